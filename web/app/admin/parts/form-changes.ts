// Edits over server values. Sends only changed fields, so that two administrators do not overwrite each other's.
import { useState } from 'react';

export interface FormChanges<Values extends object> {
  values: Values;
  changes: Partial<Values>;
  isChanged: boolean;
  set(values: Partial<Values>): void;
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
