// Which dialog of a screen is open. It is drawn only while it is, so that each time starts fresh; the focus then goes back
// to the button, or to the button of the menu, that opened it.
import { useCallback, useRef, useState } from 'react';

export interface DialogState<Kind> {
  open: Kind | null;
  show(kind: Kind): void;
  hide(): void;
}

export function useDialogState<Kind>(): DialogState<Kind> {
  const [open, setOpen] = useState<Kind | null>(null);
  const opener = useRef<Element | null>(null);
  const show = useCallback((kind: Kind) => {
    opener.current ??= openerOf(document.activeElement);
    setOpen(kind);
  }, []);
  const hide = useCallback(() => {
    const back = opener.current;
    opener.current = null;
    setOpen(null);
    // After the dialog has gone, and with it what held the focus inside.
    setTimeout(() => {
      const target = back?.isConnected ? back : document.querySelector('main h1');
      if (target instanceof HTMLElement) target.focus({ preventScroll: target.tagName === 'H1' });
    });
  }, []);
  return { open, show, hide };
}

/** An item of a menu is gone by then; its button is not. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu?.id ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : element;
}
