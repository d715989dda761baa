// Edits over server values. Untouched fields follow the server, and only changed ones are sent, so that two
// administrators who change different fields do not overwrite each other.
import { useState } from 'react';

export interface FormChanges<Values extends object> {
  values: Values;
  /** Only fields that differ from the server. */
  changes: Partial<Values>;
  isChanged: boolean;
  set(values: Partial<Values>): void;
  /** Discards the edits, also after saving. */
  reset(): void;
}

export function useFormChanges<Values extends object>(saved: Values): FormChanges<Values> {
  const [typed, setTyped] = useState<Partial<Values>>({});
  const differs = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(saved[key as keyof Values]);
  const changes = Object.fromEntries(Object.entries(typed).filter(differs)) as Partial<Values>;
  return {
    values: { ...saved, ...typed },
    changes,
    isChanged: Object.keys(changes).length > 0,
    set: (more) => setTyped((now) => ({ ...now, ...more })),
    reset: () => setTyped({}),
  };
}
