// Escape closes one thing at a time, the one in front: a list or calendar of a dialog before the dialog, and a dialog that
// covers another before that one. The library's own would close all of them with one press.
import { useEffect, useRef } from 'react';

/** Dialogs and drawers, the one in front last. */
const open: object[] = [];

/** What closes by Escape itself while the focus is on it. */
const inFront = '[role="menu"], [role="dialog"]:not([aria-modal="true"]), [role="combobox"][aria-expanded="true"]';

/** `close`: null when it must stay; it still keeps the press from what it covers. */
export function useEscape(isOpen: boolean, close: (() => void) | null): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const self = {};
    open.push(self);
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || open.at(-1) !== self) return;
      if (event.target instanceof Element && event.target.closest(inFront) !== null) return;
      latest.current?.();
    };
    // Before anybody else hears of it: afterwards a list would be closed already.
    addEventListener('keydown', press, { capture: true });
    return () => {
      removeEventListener('keydown', press, { capture: true });
      open.splice(open.indexOf(self), 1);
    };
  }, [isOpen]);
}
