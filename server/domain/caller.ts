// Created in the HTTP layer, never stored.
import type { SenderAddresses } from './addresses.ts';
import { type Membership, shippedGroups } from './groups.ts';
import type { Policy } from './policy.ts';
import { Problem } from './problem.ts';

export interface Origin {
  address: string;
  agent: string;
  requestId: string;
}

export interface UserCaller extends Membership, SenderAddresses {
  kind: 'user';
  userId: string;
  name: string;
  /** Null for a browser session. */
  apiKeyId: string | null;
  /** A keyed hash; null for an API key. */
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

/** For jobs and operator commands. */
export const systemCaller: SystemCaller = { kind: 'system', from: { address: '', agent: '', requestId: '' } };

/** The operator on the machine has the rights of a System Administrator and no account. */
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

export interface SubmissionLimits {
  /** Per file, which cannot be larger than a delivery. */
  fileBytes: number;
  /** Of one request or drop page. */
  waitingBytes: number;
  /** Its undelivered files have their own reserve; null for a request. */
  dropName: string | null;
}

export interface Uploader {
  ownerId: string;
  policy: Policy;
  /** '' for the owner, `drop:<key id>` or `request:<id>` for an outside uploader. */
  source: string;
  /** Null for the owner. */
  submissionLimits: SubmissionLimits | null;
  caller: Caller;
}

export function ownUploader(caller: UserCaller): Uploader {
  return { ownerId: caller.userId, policy: caller.policy, source: '', submissionLimits: null, caller };
}

/** The same sentence as for a wrong key. */
export function switchedOff(): Problem {
  return new Problem('unauthenticated', 'credentials.invalid', 'The API key is missing or not valid.');
}
