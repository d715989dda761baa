// A legal hold: the only thing that keeps files from being deleted. It covers one transfer, or everything of one person, and
// is visible to administrators and auditors only.
import type { EventKind } from './events.ts';

/** Events that would show a hold. */
export const holdKinds: readonly EventKind[] = ['hold.set', 'hold.lifted', 'attachment.kept_on_hold'];

export interface LegalHold {
  id: string;
  targetKind: 'user' | 'message' | 'link' | 'request';
  /** Id of the person or of the transfer. */
  targetId: string;
  /** Whose files it keeps. */
  ownerId: string;
  reason: string;
  setBy: string;
  setAt: number;
  liftReason: string;
  liftedBy: string;
  liftedAt: number | null;
}
