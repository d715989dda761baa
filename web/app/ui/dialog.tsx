// Questions and small forms over the screen. A dialog is drawn only while it is open, so that each time starts fresh; the
// screen keeps which one in its state. `AskDialog` is the one way to ask: it is busy while the change runs and shows why it
// was refused. Focus stays inside and goes back afterwards; Escape closes unless work would be lost.

import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FormEvent, type ReactNode, type RefCallback, useEffect, useId, useState } from 'react';
import { useText } from '../texts.ts';
import { warn } from './announcer.tsx';
import { Button } from './button.tsx';
import classes from './dialog.module.css';
import { untakenIn } from './error-summary.tsx';
import { useEscape } from './escape.ts';
import { ProblemNotice, problemAt } from './states.tsx';

interface Props {
  title: string;
  /** Left out: it cannot be closed without an answer. */
  onClose?: () => void;
  /** Escape and a press beside it do nothing: something typed would be lost. A full-height sheet on phones. */
  holdsWork?: boolean | undefined;
  children: ReactNode;
  /** Buttons; the one that continues comes first. */
  actions?: ReactNode;
}

export function Dialog({ title, onClose, holdsWork, children, actions }: Props) {
  const text = useText('ui');
  const isPhone = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false });
  const isEasy = onClose !== undefined && holdsWork !== true;
  const remember = useReturnOfFocus();
  useEscape(true, isEasy ? onClose : null);
  return (
    <Modal.Root
      opened
      onClose={() => onClose?.()}
      fullScreen={isPhone === true && holdsWork === true}
      centered
      closeOnEscape={false}
      closeOnClickOutside={isEasy}
      transitionProps={{ duration: 120 }}
      // Not as `className` of the content: the library would give it to the layer around the content too.
      classNames={{ content: classes.content! }}
    >
      <Modal.Overlay className={classes.overlay!} />
      <Modal.Content>
        {/* Not the library's own header: a second banner in the document. */}
        <div ref={remember} className={classes.header}>
          <Modal.Title className={classes.title!}>{title}</Modal.Title>
          {onClose === undefined ? null : <Modal.CloseButton className={classes.close!} aria-label={text('close')} />}
        </div>
        <Modal.Body className={classes.body!}>
          {children}
          {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** What had the focus before each open dialog. */
const openers = new WeakMap<Element, Element>();

/**
 * Back to the button, or the button of the menu, that opened it; to the heading of the screen when that is gone. Returns
 * the ref of an element inside.
 */
function useReturnOfFocus(): RefCallback<HTMLElement> {
  const [opener] = useState(() => openerOf(document.activeElement));
  // After the dialog has gone, and with it what held the focus inside.
  useEffect(() => () => void setTimeout(() => returnFocus(opener)), [opener]);
  return (element) => {
    const dialog = element?.closest('[role="dialog"]');
    if (!dialog) return;
    if (opener) openers.set(dialog, opener);
    markFirstField(dialog);
  };
}

const textFields = 'input:not([type="checkbox"], [type="radio"], [type="file"], [readonly]), textarea:not([readonly])';

/** People type at once. Otherwise the button that closes it would come first, and Enter would throw their words away. */
function markFirstField(dialog: Element): void {
  if (dialog.querySelector('[data-autofocus]') === null)
    dialog.querySelector(textFields)?.setAttribute('data-autofocus', 'true');
}

function returnFocus(opener: Element | null): void {
  // Somebody has put it elsewhere meanwhile, by a key or by opening another dialog; within one it only fell back.
  const focused = document.activeElement ?? document.body;
  const isInSameDialog = focused.closest('[role="dialog"]') !== null && opener?.closest('[role="dialog"]') != null;
  if (focused !== document.body && !isInSameDialog) return;
  // It may have been rendered again meanwhile; then it is found by its id.
  const isThere = opener?.isConnected && opener !== document.body;
  const back = isThere ? opener : document.getElementById(opener?.id ?? '');
  const target = back ?? document.querySelector('main h1');
  if (target instanceof HTMLElement) target.focus({ preventScroll: target.tagName === 'H1' });
}

/** An item of a menu is gone by then, its button is not; a dialog that follows another returns to what opened the first. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  if (menu?.id) return document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`);
  const dialog = element?.closest('[role="dialog"]');
  return (dialog ? openers.get(dialog) : undefined) ?? element;
}

interface AskProps {
  /** A question that names the object: `Stop sharing “Cost sheet.xlsx”?` */
  title: string;
  /** A verb: `Stop sharing`. Never Yes or OK. */
  goLabel: string;
  /** Cancel unless said; for what destroys, a verb of its own: `Keep sharing`. */
  keepLabel?: string | undefined;
  /** Destroys something: keeping comes first and has the focus. */
  isDanger?: boolean;
  /** What the press starts; while it runs the button is busy, its refusal is shown above the buttons. */
  change?: { isPending: boolean; error: Error | null };
  /** Names of the fields that show the refusals about them themselves. */
  fields?: readonly string[];
  isDisabled?: boolean;
  holdsWork?: boolean;
  onGo: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** The one way to ask before something is done. Enter in a field submits. */
export function AskDialog(props: AskProps) {
  const { title, goLabel, keepLabel, isDanger, change, fields = [], isDisabled, holdsWork, onGo, onClose } = props;
  const text = useText('ui');
  const id = useId();
  const isBusy = change?.isPending === true;
  const isShownAtField = fields.some((field) => problemAt(change?.error, field) !== null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React hands it on to the form the dialog was opened from, if there is one.
    event.stopPropagation();
    if (isBusy || isDisabled === true) return;
    const [untaken] = untakenIn(event.currentTarget);
    if (untaken === undefined) return onGo();
    document.getElementById(untaken.fieldId)?.focus();
    warn(untaken.sentence);
  };
  const keep = (
    <Button key="keep" variant={isDanger ? 'secondary' : 'quiet'} onClick={onClose} data-autofocus={isDanger}>
      {keepLabel ?? text('cancel')}
    </Button>
  );
  const go = (
    <Button
      key="go"
      type="submit"
      form={id}
      variant={isDanger ? 'danger' : 'primary'}
      isBusy={isBusy}
      isDisabled={isDisabled === true}
      aria-describedby={isDanger ? id : undefined}
    >
      {goLabel}
    </Button>
  );
  return (
    <Dialog title={title} onClose={onClose} holdsWork={holdsWork} actions={isDanger ? [keep, go] : [go, keep]}>
      <form id={id} className={classes.form} onSubmit={submit} noValidate>
        {props.children}
      </form>
      {isShownAtField ? null : <ProblemNotice error={change?.error} />}
    </Dialog>
  );
}
