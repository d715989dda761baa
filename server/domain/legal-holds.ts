// A legal hold: the only thing that keeps files from being deleted. It covers one transfer, or everything of one person.

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
