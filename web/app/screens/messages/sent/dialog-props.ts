import type { SentMessageBody } from '#contract/app/messages.ts';

export type SentDialogState =
  | { kind: 'extend' | 'add' | 'stop' | 'delete' }
  /** Applies to all people without an address. */
  | { kind: 'allow'; address?: string }
  | { kind: 'correct' | 'revoke' | 'wrong'; address: string }
  | { kind: 'remove'; fileId: string };

export interface TrackerProps {
  message: SentMessageBody;
  openDialog: (state: SentDialogState) => void;
  /** Announces and shows a result; null dismisses it. */
  notify: (sentence: string | null) => void;
}

export interface SentDialogProps {
  message: SentMessageBody;
  onClose: () => void;
  onDone: (sentence: string) => void;
}

export interface PersonDialogProps extends SentDialogProps {
  address: string;
}
