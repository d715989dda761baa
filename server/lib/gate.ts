// Mutexes and semaphores with a bounded, fair queue: the waiting party with the fewest running tasks is next, and equal
// ones take turns.

export class TooBusy extends Error {
  constructor() {
    super('too many of these are waiting already');
    this.name = 'TooBusy';
  }
}

export interface Gate {
  /**
   * If the queue is full, the party with the most waiting tasks loses its newest one, which rejects with `TooBusy`, to
   * a party with fewer; otherwise the new task is rejected.
   */
  run<Result>(task: () => Promise<Result> | Result, party?: string): Promise<Result>;
  readonly running: number;
  readonly waiting: number;
}

/** Bounded only on request, because a mutex has few callers. */
export function createMutex(queueLimit = Number.POSITIVE_INFINITY): Gate {
  return createSemaphore(1, queueLimit);
}

/** At most `limit` running, at most `queueLimit` waiting. */
export function createSemaphore(limit: number, queueLimit: number): Gate {
  const runningOf = new Map<string, number>();
  const queue = createQueue((party) => runningOf.get(party) ?? 0);
  let running = 0;

  function count(party: string, change: 1 | -1): void {
    const left = (runningOf.get(party) ?? 0) + change;
    if (left === 0) runningOf.delete(party);
    else runningOf.set(party, left);
    running += change;
  }

  async function enter(party: string): Promise<void> {
    if (running < limit) return count(party, 1);
    if (queue.length() >= queueLimit) queue.makeRoom(party);
    await queue.wait(party);
  }

  function leave(leaving: string): void {
    count(leaving, -1);
    const next = queue.take();
    if (next === undefined) return;
    // Counted before it starts, so that no other task takes its place.
    count(next.party, 1);
    next.start();
  }

  return {
    async run(task, party = '') {
      await enter(party);
      try {
        return await task();
      } finally {
        leave(party);
      }
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.length();
    },
  };
}

interface Waiting {
  party: string;
  start(): void;
  refuse(error: TooBusy): void;
}

function createQueue(runningOf: (party: string) => number) {
  /** The party that has waited longest for its turn comes first. */
  const lines = new Map<string, Waiting[]>();
  let length = 0;
  return {
    length: () => length,
    wait(party: string): Promise<void> {
      const line = lines.get(party) ?? [];
      lines.set(party, line);
      length += 1;
      return new Promise((start, refuse) => line.push({ party, start, refuse }));
    },
    /** Removes the next task. */
    take(): Waiting | undefined {
      if (length === 0) return undefined;
      const party = [...lines.keys()].reduce((one, other) => (runningOf(other) < runningOf(one) ? other : one));
      const line = lines.get(party)!;
      const next = line.shift()!;
      lines.delete(party);
      if (line.length > 0) lines.set(party, line);
      length -= 1;
      return next;
    },
    /** Throws unless another party has more waiting tasks. */
    makeRoom(party: string): void {
      const own = lines.get(party)?.length ?? 0;
      const longest = [...lines.values()].reduce((most, line) => (line.length > most.length ? line : most), []);
      if (longest.length <= own + 1) throw new TooBusy();
      length -= 1;
      longest.pop()!.refuse(new TooBusy());
    },
  };
}
