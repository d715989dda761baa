// A transfer as administrators see it: a message, a link, a File Request, or files that were handed in; who it is from,
// who it goes to, until when. Never its subject, its text or the names of its files.

export const transferKinds = ['message', 'answer', 'drop', 'link', 'request'] as const;
/** `answer`: handed in to a File Request. `drop`: handed in through a drop page. */
export type TransferKind = (typeof transferKinds)[number];

export const transferStates = ['open', 'expired', 'stopped', 'answered'] as const;
/** `answered`: a File Request that could be answered once, and was. */
export type TransferState = (typeof transferStates)[number];

export interface TransferHead {
  id: string;
  kind: TransferKind;
  state: TransferState;
  ownerId: string;
  /** Who handed it in; null for what its owner sent. */
  sender: string | null;
  sizeBytes: number;
  /** The last day. */
  expiresOn: string;
  createdAt: number;
}

/** Whose transfer it is; the account may be deleted. */
export interface TransferOwner {
  id: string;
  email: string;
  name: string;
  groupId: string;
  groupName: string;
  isDeleted: boolean;
}

export interface Transfer extends TransferHead {
  /** The public reference, for all but the owner. */
  reference: string;
  owner: TransferOwner;
  fileCount: number;
  /** The first few it goes to, without blind copies. */
  recipients: string[];
  /** All who have access, blind copies included. */
  recipientCount: number;
}

/** Which transfers; null for no condition. */
export interface TransferFilter {
  kinds: readonly TransferKind[];
  ownerId: string | null;
  groupId: string | null;
  /** An address it goes to. */
  recipient: string | null;
  /** The domain of such an address. */
  domain: string | null;
  state: TransferState | null;
  /** Made at or after this instant. */
  createdFrom: number | null;
  /** Made before this instant. */
  createdBefore: number | null;
  ids: string[] | null;
}

/** A place in a list that is in order of time, newest first. */
export interface TransferPlace {
  createdAt: number;
  id: string;
}

/** Whose transfers are out of the caller's reach: of people in these groups, the caller excepted. */
export interface TransferScope {
  hiddenGroupIds: string[];
  callerId: string;
  now: number;
}
