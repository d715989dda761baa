// What the screens of a sent message may ask before something is done, and what every dialog of them gets.
import type { SentMessageBody } from '#contract/app/messages.ts';

export type SentAsk =
  | { kind: 'extend' | 'add' | 'stop' | 'delete' }
  /** Without an address for everybody. */
  | { kind: 'allow'; address?: string }
  | { kind: 'correct' | 'revoke' | 'wrong'; address: string }
  | { kind: 'remove'; fileId: string };

/** What every part of the tracker gets. */
export interface TrackerProps {
  message: SentMessageBody;
  ask: (ask: SentAsk) => void;
  /** Done: said politely and shown on the screen; null takes it away. */
  tell: (sentence: string | null) => void;
}

export interface SentDialogProps {
  message: SentMessageBody;
  onClose: () => void;
  /** Closes the dialog and says what was done. */
  onDone: (sentence: string) => void;
}

export interface PersonDialogProps extends SentDialogProps {
  address: string;
}
