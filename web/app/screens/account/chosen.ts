// A choice that is in force at once: shown as pressed while the server is told, and taken back when it refuses.
import { useEffect, useState } from 'react';

/** `value` is what the server says; `choose` shows another one before it does, `undo` goes back. */
export function useChosen<Value>(value: Value): { shown: Value; choose(value: Value): void; undo(): void } {
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  return { shown, choose: setShown, undo: () => setShown(value) };
}
