// Finds cycles in a graph (Tarjan's algorithm for strongly connected components, without recursion).

/** One path for each component with a cycle: the shortest from its first member to itself. */
export function cyclesOf(edges: Map<string, string[]>): string[][] {
  return strongGroups(edges)
    .map((group) => shortestCircle(new Set(group), edges))
    .filter((cycle) => cycle.length > 0)
    .sort((a, b) => a[0]!.localeCompare(b[0]!));
}

interface Visit {
  name: string;
  next: number;
}

function strongGroups(edges: Map<string, string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const waiting: string[] = [];
  const isWaiting = new Set<string>();
  const groups: string[][] = [];
  const enter = (name: string): Visit => {
    order.set(name, order.size);
    low.set(name, order.get(name)!);
    waiting.push(name);
    isWaiting.add(name);
    return { name, next: 0 };
  };
  const lower = (name: string, to: number) => low.set(name, Math.min(low.get(name)!, to));
  for (const start of edges.keys()) {
    const path = order.has(start) ? [] : [enter(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const target = edges.get(visit.name)?.[visit.next];
      visit.next += 1;
      if (target !== undefined) {
        if (!order.has(target)) path.push(enter(target));
        else if (isWaiting.has(target)) lower(visit.name, order.get(target)!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.name, low.get(visit.name)!);
      if (low.get(visit.name) !== order.get(visit.name)) continue;
      const group = waiting.splice(waiting.indexOf(visit.name));
      for (const name of group) isWaiting.delete(name);
      groups.push(group);
    }
  }
  return groups;
}

/** Empty for a file that does not import itself. */
function shortestCircle(group: Set<string>, edges: Map<string, string[]>): string[] {
  const start = [...group].sort()[0]!;
  const cameFrom = new Map<string, string>();
  const pending = [start];
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    for (const target of edges.get(name) ?? []) {
      if (!group.has(target) || cameFrom.has(target)) continue;
      cameFrom.set(target, name);
      pending.push(target);
    }
  }
  if (!cameFrom.has(start)) return [];
  const cycle = [start];
  for (let name = cameFrom.get(start)!; name !== start; name = cameFrom.get(name)!) cycle.unshift(name);
  return [start, ...cycle];
}
