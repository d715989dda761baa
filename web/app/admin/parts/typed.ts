// What somebody types over values of the server. Fields that they have not touched follow the server, also while others
// change them, and only what differs is sent: two administrators who change different things do not undo each other's work.
import { useState } from 'react';

export interface Typed<Values extends object> {
  /** As the fields show them. */
  values: Values;
  /** Only what really differs. */
  changes: Partial<Values>;
  isChanged: boolean;
  set(values: Partial<Values>): void;
  /** After it was saved, or to take it back. */
  forget(): void;
}

export function useTyped<Values extends object>(saved: Values): Typed<Values> {
  const [typed, setTyped] = useState<Partial<Values>>({});
  const differs = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(saved[key as keyof Values]);
  const changes = Object.fromEntries(Object.entries(typed).filter(differs)) as Partial<Values>;
  return {
    values: { ...saved, ...typed },
    changes,
    isChanged: Object.keys(changes).length > 0,
    set: (more) => setTyped((now) => ({ ...now, ...more })),
    forget: () => setTyped({}),
  };
}
