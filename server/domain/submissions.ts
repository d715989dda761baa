// What remains of a delivery for the person outside who made it.

/** Proof of a delivery: what arrived, when and for whom. Never leads to the files themselves. */
export interface UploaderReceipt {
  /** Address of its page; known to nobody but the person who handed the files in. */
  id: string;
  /** The message that was made; mails and the receiver name it too. */
  reference: string;
  deliveredAt: number;
  files: { name: string; sizeBytes: number; sha256: string }[];
  /** As whoever handed in was told. */
  receiver: { name: string; email: string };
  place: SubmissionPlace;
  /** Who gets the same receipt by e-mail; null when the address was never proven. */
  mailedTo: string | null;
}

/** Where files were handed in. */
export type SubmissionPlace = { is: 'request'; id: string; isReusable: boolean } | { is: 'filedrop'; name: string };

/** How long the page of a receipt can be opened. */
export const receiptDays = 90;
