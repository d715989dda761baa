// What is asked before something is done about a sent message. One at a time; each is drawn anew when it opens.
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ProblemNotice } from '../../../ui/error-state.tsx';
import { AddDialog } from './add-dialog.tsx';
import { AllowDialog } from './allow-dialog.tsx';
import { CorrectDialog } from './correct-dialog.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import { useSentWords } from './words.ts';
import { WrongDialog } from './wrong-dialog.tsx';

export type SentAsk =
  | { kind: 'extend' | 'add' | 'stop' | 'delete' }
  /** Without an address for everybody. */
  | { kind: 'allow'; address?: string }
  | { kind: 'correct' | 'revoke' | 'wrong'; address: string };

export interface SentDialogProps {
  message: SentMessageBody;
  onClose: () => void;
  /** Done: said politely and shown on the screen. */
  tell: (sentence: string) => void;
}

interface Props extends SentDialogProps {
  open: SentAsk | null;
  ask: (ask: SentAsk) => void;
}

export function SentDialogs({ open, ask, ...common }: Props) {
  switch (open?.kind) {
    case 'extend':
      return <ExtendDialog {...common} />;
    case 'add':
      return <AddDialog {...common} />;
    case 'allow':
      return <AllowDialog {...common} address={open.address ?? null} />;
    case 'correct':
      return <CorrectDialog {...common} address={open.address} />;
    case 'wrong':
      return <WrongDialog {...common} address={open.address} onStop={() => ask({ kind: 'stop' })} />;
    case 'stop':
      return <StopDialog {...common} />;
    case 'delete':
      return <DeleteDialog {...common} />;
    case 'revoke':
      return <RevokeDialog {...common} address={open.address} />;
    default:
      return null;
  }
}

function StopDialog({ message, onClose, tell }: SentDialogProps) {
  const text = useText('sent');
  const words = useSentWords();
  const stop = useApiChange('revokeMessage', ['messages']);
  const go = () => stop.mutate({ params: { id: message.id }, body: {} }, { onSuccess: end });
  const end = () => {
    onClose();
    tell(text('stopped'));
  };
  return (
    <ConfirmDialog
      isOpen
      question={text('stopQuestion', { subject: words.subject(message.subject) })}
      consequence={text('stopConsequence')}
      keepLabel={text('stopKeep')}
      goLabel={text('stop')}
      isBusy={stop.isPending}
      problem={<ProblemNotice error={stop.error} />}
      onKeep={onClose}
      onGo={go}
    />
  );
}

function DeleteDialog({ message, onClose, tell }: SentDialogProps) {
  const text = useText('sent');
  const words = useSentWords();
  const erase = useApiChange('deleteMessageFiles', ['messages']);
  const end = () => {
    onClose();
    tell(text('deleted'));
  };
  return (
    <ConfirmDialog
      isOpen
      question={text('deleteQuestion', { subject: words.subject(message.subject) })}
      consequence={text('deleteConsequence')}
      keepLabel={text('deleteKeep')}
      goLabel={text('deleteFiles')}
      isBusy={erase.isPending}
      problem={<ProblemNotice error={erase.error} />}
      onKeep={onClose}
      onGo={() => erase.mutate({ params: { id: message.id }, body: {} }, { onSuccess: end })}
    />
  );
}

function RevokeDialog({ message, address, onClose, tell }: SentDialogProps & { address: string }) {
  const text = useText('sent');
  const revoke = useApiChange('revokeRecipient', ['messages']);
  const shown = visibleText(address);
  const end = () => {
    onClose();
    tell(text('revoked', { address: shown }));
  };
  return (
    <ConfirmDialog
      isOpen
      question={text('revokeQuestion', { address: shown })}
      consequence={text('revokeConsequence')}
      keepLabel={text('revokeKeep')}
      goLabel={text('takeAway')}
      isBusy={revoke.isPending}
      problem={<ProblemNotice error={revoke.error} />}
      onKeep={onClose}
      onGo={() => revoke.mutate({ params: { id: message.id, address }, body: {} }, { onSuccess: end })}
    />
  );
}
