// A question or a small form over the screen: focus stays inside and goes back afterwards, Escape closes unless work would
// be lost, a full-height sheet on phones. `ConfirmDialog` is the one way to ask before something is destroyed.
import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useId } from 'react';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './dialog.module.css';

interface Props {
  title: string;
  isOpen: boolean;
  /** Left out: it cannot be closed without an answer. */
  onClose?: () => void;
  /** Escape and a press beside it do nothing: something typed would be lost. */
  holdsWork?: boolean;
  children: ReactNode;
  /** Buttons; the one that goes on comes first. */
  actions?: ReactNode;
}

export function Dialog({ title, isOpen, onClose, holdsWork, children, actions }: Props) {
  const text = useText('ui');
  const isPhone = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false });
  const isEasy = onClose !== undefined && holdsWork !== true;
  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => onClose?.()}
      fullScreen={isPhone === true && holdsWork === true}
      centered
      closeOnEscape={isEasy}
      closeOnClickOutside={isEasy}
      transitionProps={{ duration: 120 }}
      // Not as `className` of the content: the library would give it to the layer around the content too.
      classNames={{ content: classes.content! }}
    >
      <Modal.Overlay className={classes.overlay!} />
      <Modal.Content>
        {/* Not the library's own header: a second banner in the document. */}
        <div className={classes.header}>
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

interface ConfirmProps {
  /** A question that names the object: `Stop sharing “Cost sheet.xlsx”?` */
  question: string;
  /** One sentence of consequence. */
  consequence: ReactNode;
  /** Two verbs: `Keep sharing`, `Stop sharing`. Never Yes and No. */
  keepLabel: string;
  goLabel: string;
  isOpen: boolean;
  isBusy?: boolean;
  isDanger?: boolean;
  /** A refusal, in the server's words. */
  problem?: ReactNode;
  onKeep: () => void;
  onGo: () => void;
}

export function ConfirmDialog(props: ConfirmProps) {
  const { question, consequence, keepLabel, goLabel, isOpen, isBusy, isDanger = true, problem, onKeep, onGo } = props;
  const id = useId();
  return (
    <Dialog
      title={question}
      isOpen={isOpen}
      onClose={onKeep}
      actions={
        <>
          <Button onClick={onKeep} data-autofocus>
            {keepLabel}
          </Button>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            isBusy={isBusy === true}
            onClick={onGo}
            aria-describedby={id}
          >
            {goLabel}
          </Button>
        </>
      }
    >
      <p id={id}>{consequence}</p>
      {problem}
    </Dialog>
  );
}
