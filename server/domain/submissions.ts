// Submissions from outside: drop keys, pending deliveries, receipts.

/** Waits until the sender proves their address. */
export interface PendingDelivery {
  /** The drop key; another browser that proves the address takes the delivery over. */
  key: string;
  fields: Record<string, string>;
  attachmentIds: string[];
}

/** Permits one delivery to one drop page within one day. */
export interface DropKey {
  id: string;
  ownerId: string;
  dropName: string;
  pending: PendingDelivery | null;
  state: 'open' | 'used';
  /** It was used for an upload. */
  isOpened: boolean;
  expiresAt: number;
}

/** Proof of a delivery. Never links to the files themselves. */
export interface UploaderReceipt {
  /** Known only to the person who submitted the files. */
  id: string;
  /** The reference of the created message; mails and the receiver name it too. */
  reference: string;
  deliveredAt: number;
  files: { name: string; sizeBytes: number; sha256: string }[];
  /** As shown to the person who submitted. */
  receiver: { name: string; email: string };
  place: SubmissionPlace;
  /** Who gets the same receipt by e-mail; null if the address was never proven. */
  mailedTo: string | null;
}

export type SubmissionPlace = { is: 'request'; id: string; isReusable: boolean } | { is: 'filedrop'; name: string };

/** How long the page of a receipt is available. */
export const receiptDays = 90;
