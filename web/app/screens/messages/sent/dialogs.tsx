// Each dialog starts with fresh state.
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import type { PersonDialogProps, SentDialogProps, SentDialogState, TrackerProps } from './dialog-props.ts';
import { ExtendDialog } from './extend-dialog.tsx';
import { AddDialog, AllowDialog, CorrectDialog } from './recipient-dialogs.tsx';
import { nameOfFile, useSentFormats } from './sent-formats.ts';
import { WrongDialog } from './wrong-dialog.tsx';

interface Props extends TrackerProps {
  open: SentDialogState;
  onClose: () => void;
}

export function SentDialog({ open, openDialog, notify, onClose, message }: Props) {
  const onDone = (sentence: string) => {
    onClose();
    notify(sentence);
  };
  const common = { message, onClose, onDone };
  switch (open.kind) {
    case 'extend':
      return <ExtendDialog {...common} />;
    case 'add':
      return <AddDialog {...common} />;
    case 'allow':
      return <AllowDialog {...common} address={open.address ?? null} />;
    case 'correct':
      return <CorrectDialog {...common} address={open.address} />;
    case 'wrong':
      return (
        <WrongDialog {...common} address={open.address} notify={notify} onStop={() => openDialog({ kind: 'stop' })} />
      );
    case 'stop':
      return <StopDialog {...common} />;
    case 'delete':
      return <DeleteDialog {...common} />;
    case 'revoke':
      return <RevokeDialog {...common} address={open.address} />;
    case 'remove':
      return <RemoveDialog {...common} fileId={open.fileId} />;
  }
}

function StopDialog({ message, onClose, onDone }: SentDialogProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  const stop = useApiChange('revokeMessage', ['messages']);
  const onSuccess = () => onDone(text('stopped'));
  return (
    <ConfirmDialog
      isDanger
      title={text('stopQuestion', { subject: formats.subject(message.subject) })}
      cancelLabel={text('stopKeep')}
      confirmLabel={text('stop')}
      change={stop}
      onConfirm={() => stop.mutate({ params: { id: message.id }, body: {} }, { onSuccess })}
      onClose={onClose}
    >
      {text('stopConsequence')}
    </ConfirmDialog>
  );
}

function DeleteDialog({ message, onClose, onDone }: SentDialogProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  const erase = useApiChange('deleteMessageFiles', ['messages']);
  const onSuccess = () => onDone(text('deleted'));
  return (
    <ConfirmDialog
      isDanger
      title={text('deleteQuestion', { subject: formats.subject(message.subject) })}
      cancelLabel={text('deleteKeep')}
      confirmLabel={text('deleteFiles')}
      change={erase}
      onConfirm={() => erase.mutate({ params: { id: message.id }, body: {} }, { onSuccess })}
      onClose={onClose}
    >
      {text('deleteConsequence')}
    </ConfirmDialog>
  );
}

function RevokeDialog({ message, address, onClose, onDone }: PersonDialogProps) {
  const text = useText('sent');
  const revoke = useApiChange('revokeRecipient', ['messages']);
  const shown = useNames().full(address);
  const onSuccess = () => onDone(text('revoked', { address: shown }));
  return (
    <ConfirmDialog
      isDanger
      title={text('revokeQuestion', { address: shown })}
      cancelLabel={text('revokeKeep')}
      confirmLabel={text('takeAway')}
      change={revoke}
      onConfirm={() => revoke.mutate({ params: { id: message.id, address }, body: {} }, { onSuccess })}
      onClose={onClose}
    >
      {text('revokeConsequence')}
    </ConfirmDialog>
  );
}

function RemoveDialog({ message, fileId, onClose, onDone }: SentDialogProps & { fileId: string }) {
  const text = useText('sent');
  const remove = useApiChange('removeMessageFile', ['messages']);
  // The name of a removed file stays while the dialog closes.
  const file = visibleText(nameOfFile(message, fileId));
  const onSuccess = () => onDone(text('removed', { file }));
  return (
    <ConfirmDialog
      isDanger
      title={text('removeQuestion', { file })}
      cancelLabel={text('removeKeep')}
      confirmLabel={text('removeGo')}
      change={remove}
      onConfirm={() => remove.mutate({ params: { id: message.id, file: fileId }, body: {} }, { onSuccess })}
      onClose={onClose}
    >
      {text('removeConsequence')}
    </ConfirmDialog>
  );
}
