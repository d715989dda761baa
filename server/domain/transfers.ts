// A message, link, File Request or submission as administrators see it: people and dates, never its subject, text or
// file names.

export const transferKinds = ['message', 'answer', 'drop', 'link', 'request'] as const;
/** `answer`: submitted to a File Request. `drop`: submitted through a drop page. */
export type TransferKind = (typeof transferKinds)[number];

export const transferStates = ['open', 'expired', 'stopped', 'answered'] as const;
/** `answered`: a single-use File Request with its answer. */
export type TransferState = (typeof transferStates)[number];

export interface TransferHead {
  id: string;
  kind: TransferKind;
  state: TransferState;
  ownerId: string;
  /** The submitter; null for what its owner sent. */
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
  /** The public reference, for all but the owner. */
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
  /** A recipient's address. */
  recipient: string | null;
  /** A recipient's domain. */
  domain: string | null;
  state: TransferState | null;
  /** Created at or after this instant. */
  createdFrom: number | null;
  /** Created before this instant. */
  createdBefore: number | null;
  ids: string[] | null;
}

/** The cursor of a list, newest first. */
export interface TransferPlace {
  createdAt: number;
  id: string;
}

/** Excludes transfers of users in these groups, except the caller's own. */
export interface TransferScope {
  hiddenGroupIds: string[];
  callerId: string;
  now: number;
}
