// Render a dialog only while it is open, so that its state starts fresh.

import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FormEvent, type ReactNode, type RefCallback, useEffect, useId, useState } from 'react';
import { useText } from '../texts.ts';
import { warn } from './announcer.tsx';
import { Button } from './button.tsx';
import classes from './dialog.module.css';
import { invalidFieldsIn } from './error-summary.tsx';
import { useEscape } from './escape.ts';
import { ProblemNotice, problemAt } from './states.tsx';

interface Props {
  title: string;
  /** Without it the dialog cannot be closed without an answer. */
  onClose?: () => void;
  /** A click outside does not close it. A full-height sheet on phones. */
  hasInput?: boolean | undefined;
  children: ReactNode;
  /** The one that continues comes last. */
  actions?: ReactNode;
}

export function Dialog({ title, onClose, hasInput, children, actions }: Props) {
  const text = useText('ui');
  const isPhone = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false });
  const isDismissible = onClose !== undefined && hasInput !== true;
  const header = useReturnOfFocus();
  useEscape(true, onClose ?? null);
  return (
    <Modal.Root
      opened
      onClose={() => onClose?.()}
      fullScreen={isPhone === true && hasInput === true}
      centered
      closeOnEscape={false}
      closeOnClickOutside={isDismissible}
      transitionProps={{ duration: 120 }}
      // With `className`, Mantine would also set it on the layer around the content.
      classNames={{ content: classes.content! }}
    >
      <Modal.Overlay className={classes.overlay!} />
      <Modal.Content>
        {/* Mantine's header would be a second banner in the document. */}
        <div ref={header} className={classes.header}>
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

/** The focused element before each open dialog. */
const openers = new WeakMap<Element, Element>();

/** Returns the focus to the opener or the screen's heading. Returns the ref of an element inside. */
export function useReturnOfFocus(): RefCallback<HTMLElement> {
  const [opener] = useState(() => openerOf(document.activeElement));
  // After the dialog has been removed, with its focus trap.
  useEffect(() => () => void setTimeout(() => returnFocus(opener)), [opener]);
  return (element) => {
    const dialog = element?.closest('[role="dialog"]');
    if (!dialog) return;
    if (opener) openers.set(dialog, opener);
    markFirstField(dialog);
  };
}

const textFields = 'input:not([type="checkbox"], [type="radio"], [type="file"], [readonly]), textarea:not([readonly])';

/** Focuses the first field: with the focus on the close button, Enter would discard what is typed. */
function markFirstField(dialog: Element): void {
  if (dialog.querySelector('[data-autofocus]') === null)
    dialog.querySelector(textFields)?.setAttribute('data-autofocus', 'true');
}

function returnFocus(opener: Element | null): void {
  // Keep a focus that was moved by a key or another dialog.
  const focused = document.activeElement ?? document.body;
  const isInSameDialog = focused.closest('[role="dialog"]') !== null && opener?.closest('[role="dialog"]') != null;
  if (focused !== document.body && !isInSameDialog) return;
  // Find a re-rendered element by id.
  const isRendered = opener?.isConnected && opener !== document.body;
  const found = isRendered ? opener : document.getElementById(opener?.id ?? '');
  const target = found ?? document.querySelector('main h1');
  if (target instanceof HTMLElement) target.focus({ preventScroll: target.tagName === 'H1' });
}

/** The button of a menu item, or the opener of the first of several dialogs. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  if (menu?.id) return document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`);
  const dialog = element?.closest('[role="dialog"]');
  return (dialog ? openers.get(dialog) : undefined) ?? element;
}

interface ConfirmProps {
  /** Names the object: `Stop sharing “Cost sheet.xlsx”?` */
  title: string;
  /** A verb: `Stop sharing`. */
  confirmLabel: string;
  /** Cancel by default; for destructive actions `Keep sharing`. */
  cancelLabel?: string | undefined;
  /** The cancel button has the focus. */
  isDanger?: boolean;
  /** Makes the button busy; its refusal is shown above the buttons. */
  change?: { isPending: boolean; error: Error | null };
  /** Fields that show their refusals themselves. */
  fields?: readonly string[];
  isDisabled?: boolean;
  hasInput?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Enter in a field submits. */
export function ConfirmDialog(props: ConfirmProps) {
  const {
    title,
    confirmLabel,
    cancelLabel,
    isDanger,
    change,
    fields = [],
    isDisabled,
    hasInput,
    onConfirm,
    onClose,
  } = props;
  const text = useText('ui');
  const id = useId();
  const isBusy = change?.isPending === true;
  const isShownAtField = fields.some((field) => problemAt(change?.error, field) !== null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React events bubble to a form around the dialog's component.
    event.stopPropagation();
    if (isBusy || isDisabled === true) return;
    const [invalid] = invalidFieldsIn(event.currentTarget);
    if (invalid === undefined) return onConfirm();
    document.getElementById(invalid.fieldId)?.focus();
    warn(invalid.sentence);
  };
  const keep = (
    <Button key="keep" variant={isDanger ? 'secondary' : 'quiet'} onClick={onClose} data-autofocus={isDanger}>
      {cancelLabel ?? text('cancel')}
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
      {confirmLabel}
    </Button>
  );
  return (
    <Dialog title={title} onClose={onClose} hasInput={hasInput} actions={[keep, go]}>
      <form id={id} className={classes.form} onSubmit={submit} noValidate>
        {props.children}
      </form>
      {isShownAtField ? null : <ProblemNotice error={change?.error} />}
    </Dialog>
  );
}
