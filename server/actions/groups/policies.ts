// Applies changes to a group's policy, and compares policies.
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

/** By wire name. */
export function differences(before: object, after: object): Record<string, Difference> {
  const changed: Record<string, Difference> = {};
  const old = before as Record<string, unknown>;
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(old[key]) !== JSON.stringify(value)) changed[key] = { from: old[key], to: value };
  }
  return changed;
}

interface Difference {
  from: unknown;
  to: unknown;
}

/** `isLocal` only if it changes too. */
export interface GroupChange {
  changes: Record<string, unknown>;
  isLocal?: boolean | undefined;
}
