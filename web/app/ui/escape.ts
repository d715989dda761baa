// Escape closes only the topmost layer: a list or calendar before its dialog, a dialog before the one below. Mantine
// would close all of them.
import { useEffect, useRef } from 'react';

/** Open dialogs and drawers, the topmost last. */
const open: object[] = [];

/** Elements that handle Escape themselves while focused. */
const inFront = '[role="menu"], [role="dialog"]:not([aria-modal="true"]), [role="combobox"][aria-expanded="true"]';

/** `close` is null if the layer must stay open; Escape still does not reach the layers below. */
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
    // Captured first: later, an open list would be closed already.
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      removeEventListener('keydown', onKeyDown, { capture: true });
      open.splice(open.indexOf(self), 1);
    };
  }, [isOpen]);
}
