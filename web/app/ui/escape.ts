// Escape closes only the topmost layer. Mantine would close all of them.
import { useEffect, useRef } from 'react';

/** The topmost last. */
const open: object[] = [];

/** Elements that handle Escape themselves while focused. */
const inFront = '[role="menu"], [role="dialog"]:not([aria-modal="true"]), [role="combobox"][aria-expanded="true"]';

/** `close` is null if the layer must stay open; it still captures Escape. */
export function useEscape(isOpen: boolean, close: (() => void) | null): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    const self = {};
    open.push(self);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || open.at(-1) !== self) return;
      if (event.target instanceof Element && event.target.closest(inFront) !== null) return;
      latest.current?.();
    };
    // Captured: later, an open list would be closed already.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true });
      open.splice(open.indexOf(self), 1);
    };
  }, [isOpen]);
}
