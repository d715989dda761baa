export interface PendingDelivery {
  /** Another browser that proves the address takes the delivery over. */
  key: string;
  fields: Record<string, string>;
  attachmentIds: string[];
}

/** One delivery within one day. */
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

/** Never links to the files themselves. */
export interface UploaderReceipt {
  /** Known only to the uploader. */
  id: string;
  /** Mails and the receiver name it too. */
  reference: string;
  deliveredAt: number;
  files: { name: string; sizeBytes: number; sha256: string }[];
  receiver: { name: string; email: string };
  place: SubmissionPlace;
  /** Null if the address was never proven. */
  mailedTo: string | null;
}

export type SubmissionPlace = { is: 'request'; id: string; isReusable: boolean } | { is: 'filedrop'; name: string };

export const receiptDays = 90;
