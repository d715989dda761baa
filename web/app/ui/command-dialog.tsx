// A dialog with a field at its top whose list it fills: near the top of wide screens, all of a phone.
import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './command-dialog.module.css';
import { useReturnOfFocus } from './dialog.tsx';
import { useEscape } from './escape.ts';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export function CommandDialog({ title, onClose, children }: Props) {
  const isPhone = useMediaQuery('(max-width: 47.99rem)', false, { getInitialValueInEffect: false });
  const inside = useReturnOfFocus();
  useEscape(true, onClose);
  return (
    <Modal.Root
      opened
      onClose={onClose}
      fullScreen={isPhone === true}
      closeOnEscape={false}
      size="42rem"
      yOffset="10dvh"
      transitionProps={{ duration: 0 }}
      classNames={{ content: classes.content! }}
    >
      <Modal.Overlay className={classes.overlay!} />
      <Modal.Content>
        <Modal.Title className="visually-hidden">{title}</Modal.Title>
        <div ref={inside} className={classes.inside}>
          {children}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
