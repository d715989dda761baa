// Handing files in from outside: the key of a drop page, what waits under it, and what remains of a delivery.

/** A submission that waits until the sender proves their address. */
export interface PendingDelivery {
  /** The key it waits under; another browser that proves the address takes it over. */
  key: string;
  fields: Record<string, string>;
  attachmentIds: string[];
}

/** A key to deliver with at one drop page: one day, one delivery (security D28). */
export interface DropKey {
  id: string;
  ownerId: string;
  dropName: string;
  pending: PendingDelivery | null;
  state: 'open' | 'used';
  /** Something was uploaded under it. */
  isOpened: boolean;
  expiresAt: number;
}

/** Proof of a delivery: what arrived, when and for whom. Never leads to the files themselves. */
export interface UploaderReceipt {
  /** Address of its page; known only to the person who submitted the files. */
  id: string;
  /** The message that was made; mails and the receiver name it too. */
  reference: string;
  deliveredAt: number;
  files: { name: string; sizeBytes: number; sha256: string }[];
  /** As shown to the person who submitted. */
  receiver: { name: string; email: string };
  place: SubmissionPlace;
  /** Who gets the same receipt by e-mail; null when the address was never proven. */
  mailedTo: string | null;
}

/** Where files were handed in. */
export type SubmissionPlace = { is: 'request'; id: string; isReusable: boolean } | { is: 'filedrop'; name: string };

/** How long the page of a receipt can be opened. */
export const receiptDays = 90;
