// Keeps files from being deleted. Only administrators and auditors see it.
import type { EventKind } from './events.ts';

/** Events that would reveal a hold. */
export const holdKinds: readonly EventKind[] = ['hold.set', 'hold.lifted', 'attachment.kept_on_hold'];

export interface LegalHold {
  id: string;
  targetKind: 'user' | 'message' | 'link' | 'request';
  targetId: string;
  ownerId: string;
  reason: string;
  setBy: string;
  setAt: number;
  liftReason: string;
  liftedBy: string;
  liftedAt: number | null;
}
