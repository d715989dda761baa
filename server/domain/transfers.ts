// As administrators see it: never its subject, text or file names.

export const transferKinds = ['message', 'answer', 'drop', 'link', 'request'] as const;
/** `answer`: submitted to a File Request. `drop`: submitted through a drop page. */
export type TransferKind = (typeof transferKinds)[number];

export const transferStates = ['open', 'expired', 'stopped', 'answered'] as const;
export type TransferState = (typeof transferStates)[number];

export interface TransferHead {
  id: string;
  kind: TransferKind;
  state: TransferState;
  ownerId: string;
  /** Null for what its owner sent. */
  sender: string | null;
  sizeBytes: number;
  /** The last day. */
  expiresOn: string;
  createdAt: number;
}

/** The account may be deleted. */
export interface TransferOwner {
  id: string;
  email: string;
  name: string;
  groupId: string;
  groupName: string;
  isDeleted: boolean;
}

export interface Transfer extends TransferHead {
  reference: string;
  owner: TransferOwner;
  fileCount: number;
  /** The first few, without blind copies. */
  recipients: string[];
  /** All with access, blind copies included. */
  recipientCount: number;
}

/** Null for no condition. */
export interface TransferFilter {
  kinds: readonly TransferKind[];
  ownerId: string | null;
  groupId: string | null;
  recipient: string | null;
  domain: string | null;
  state: TransferState | null;
  /** Inclusive. */
  createdFrom: number | null;
  /** Exclusive. */
  createdBefore: number | null;
  ids: string[] | null;
}

export interface TransferPlace {
  createdAt: number;
  id: string;
}

/** Except the caller's own. */
export interface TransferScope {
  hiddenGroupIds: string[];
  callerId: string;
  now: number;
}
