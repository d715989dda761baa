// A group with unsaved changes.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';

export type GroupBody = CallAnswer<'getGroup'>['group'];
export type Changes = Readonly<Record<string, unknown>>;

export interface Draft {
  /** The group as opened, last saved or merged. */
  base: GroupBody;
  changes: Changes;
  value(key: string): unknown;
  set(values: Changes): void;
  /** Discards these changes; all without `keys`. */
  undo(keys?: readonly string[]): void;
  /** Replaces the base, keeping these changes. */
  rebase(base: GroupBody, changes: Changes): void;
}

export function useDraft(opened: GroupBody): Draft {
  const [base, setBase] = useState(opened);
  const [changes, setChanges] = useState<Changes>({});
  const changedOnly = (values: Changes, from: GroupBody): Changes =>
    Object.fromEntries(Object.entries(values).filter(([key, value]) => !isSame(value, from[key])));
  return {
    base,
    changes,
    value: (key) => (Object.hasOwn(changes, key) ? changes[key] : base[key]),
    set: (values) => setChanges((known) => changedOnly({ ...known, ...values }, base)),
    undo: (keys) =>
      setChanges((known) =>
        keys === undefined ? {} : Object.fromEntries(Object.entries(known).filter(([key]) => !keys.includes(key))),
      ),
    rebase(next, keptChanges) {
      setBase(next);
      setChanges(changedOnly(keptChanges, next));
    },
  };
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
