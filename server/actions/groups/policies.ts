// What a group decides after a change, or the refusal of the change; and what is different then.
import type { Policy } from '../../domain/policy.ts';
import { changePolicy, resolveExtensions } from '../../domain/policy-changes.ts';
import { Problem } from '../../domain/problem.ts';

export function resolvePolicy(base: Policy, changes: Record<string, unknown>, isLocal: boolean): Policy {
  const { policy, refusals } = changePolicy(base, resolveExtensions(changes), isLocal);
  const [first, ...others] = refusals;
  if (first === undefined) return policy;
  throw new Problem('invalid', first.code, first.message, {
    ...(first.field === undefined ? {} : { field: first.field }),
    others: others.map((other) => other.message),
  });
}

/** Old and new value of everything that differs, by its wire name. */
export function differences(before: object, after: object): Record<string, Difference> {
  const changed: Record<string, Difference> = {};
  const known = before as Record<string, unknown>;
  for (const [key, value] of Object.entries(after)) {
    const old = known[key];
    if (JSON.stringify(old) !== JSON.stringify(value)) changed[key] = { from: old, to: value };
  }
  return changed;
}

interface Difference {
  from: unknown;
  to: unknown;
}

/** Settings that would change, and the kind of group if that would change too. */
export interface GroupChange {
  changes: Record<string, unknown>;
  isLocal?: boolean | undefined;
}
