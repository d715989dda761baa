// A panel for details and longer forms, with the focus and Escape rules of a dialog.
import { Drawer as Panel } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../texts.ts';
import classes from './dialog.module.css';
import { useEscape } from './escape.ts';

interface Props {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** `bottom` for choices on phones. */
  side?: 'end' | 'bottom';
  /** A click outside does not close it. */
  hasInput?: boolean;
  children: ReactNode;
  actions?: ReactNode;
}

export function Drawer({ title, isOpen, onClose, side = 'end', hasInput, children, actions }: Props) {
  const text = useText('ui');
  useEscape(isOpen, onClose);
  const isRightToLeft = document.documentElement.dir === 'rtl';
  return (
    <Panel.Root
      opened={isOpen}
      onClose={onClose}
      position={side === 'bottom' ? 'bottom' : isRightToLeft ? 'left' : 'right'}
      size={side === 'bottom' ? 'auto' : '30rem'}
      closeOnEscape={false}
      closeOnClickOutside={hasInput !== true}
      transitionProps={{ duration: 200 }}
    >
      <Panel.Overlay className={classes.overlay!} />
      {/* `className` would also style the area around it. */}
      <Panel.Content classNames={{ content: classes.panel! }}>
        <div className={classes.header}>
          <Panel.Title className={classes.title!}>{title}</Panel.Title>
          <Panel.CloseButton className={classes.close!} aria-label={text('close')} />
        </div>
        <Panel.Body className={classes.body!}>
          {children}
          {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
        </Panel.Body>
      </Panel.Content>
    </Panel.Root>
  );
}

interface FormProps {
  /** Instead of a drawer, as on phones. */
  isPage: boolean;
  /** Gets the focus when it appears. */
  isResult?: boolean;
  children: ReactNode;
  actions: ReactNode;
}

/** Buttons stay visible at the bottom; the one that continues comes last. */
export function DrawerForm({ isPage, isResult, children, actions }: FormProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isResult) ref.current?.focus();
  }, [isResult]);
  return (
    <div className={classes.longForm} data-page={isPage} ref={ref} tabIndex={-1}>
      {children}
      <div className={classes.bar}>{actions}</div>
    </div>
  );
}
