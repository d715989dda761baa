// Who is asking, and from where. Built at the HTTP edge, passed to every action, never stored.
import type { SenderAddresses } from './addresses.ts';
import { type Membership, shippedGroups } from './groups.ts';
import type { Policy } from './policy.ts';
import { Problem } from './problem.ts';

/** Facts about the request that logs and events keep. */
export interface Origin {
  address: string;
  agent: string;
  requestId: string;
}

export interface UserCaller extends Membership, SenderAddresses {
  kind: 'user';
  userId: string;
  name: string;
  /** Which API key was used, or null for a browser session. */
  apiKeyId: string | null;
  /** Keyed hash of the browser session, or null for an API key. */
  sessionHash: Buffer | null;
  apiKeyExpiresAt: number | null;
  from: Origin;
}

export interface AnonymousCaller {
  kind: 'anonymous';
  from: Origin;
}

export interface SystemCaller {
  kind: 'system';
  from: Origin;
}

export type Caller = UserCaller | AnonymousCaller | SystemCaller;

/** Jobs and the operator's commands act as the system. */
export const systemCaller: SystemCaller = { kind: 'system', from: { address: '', agent: '', requestId: '' } };

/** The operator on the machine itself has the rights of a System Administrator and no account. */
export function operatorCaller(): UserCaller {
  const group = shippedGroups.find(({ role }) => role === 'system_administrator')!;
  return {
    kind: 'user',
    userId: '',
    name: 'Operator',
    email: '',
    senderAliases: [],
    recipientAliases: [],
    provenAddresses: [],
    defaultSenderAlias: '',
    groupId: group.id,
    groupName: group.name,
    isLocal: group.isLocal,
    role: group.role,
    policy: group.policy,
    apiKeyId: null,
    sessionHash: null,
    apiKeyExpiresAt: null,
    from: systemCaller.from,
  };
}

/** How much an outside person may submit. */
export interface SubmissionLimits {
  /** One file, which cannot be larger than a delivery. */
  fileBytes: number;
  /** All that waits to be delivered: under one request, or at a whole drop page. */
  waitingBytes: number;
  /** The drop page, whose undelivered files are a reserve of their own; null for a request. */
  dropName: string | null;
}

/** On whose behalf bytes are received: the owner, or an outside person who was asked for files. */
export interface Uploader {
  ownerId: string;
  policy: Policy;
  /** '' for the owner, `drop:<key id>` or `request:<id>` for an outside person. */
  source: string;
  /** Null for the owner. */
  submissionLimits: SubmissionLimits | null;
  caller: Caller;
}

export function ownUploader(caller: UserCaller): Uploader {
  return { ownerId: caller.userId, policy: caller.policy, source: '', submissionLimits: null, caller };
}

/** The account was switched off or deleted while the request ran: the same words as for a wrong key. */
export function switchedOff(): Problem {
  return new Problem('unauthenticated', 'credentials.invalid', 'The API key is missing or not valid.');
}
