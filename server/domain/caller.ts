// Who is asking, and from where. Built at the HTTP edge, passed to every action, never stored.
import { type Membership, type Ranked, rankOf } from './groups.ts';
import type { Policy } from './policy.ts';
import { Problem } from './problem.ts';

/** Facts about the request that logs and events keep. */
export interface Origin {
  address: string;
  agent: string;
  requestId: string;
}

export interface UserCaller extends Membership {
  kind: 'user';
  userId: string;
  email: string;
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

/** How much somebody outside may hand in. */
export interface HandInLimits {
  /** One file, which cannot be larger than a delivery. */
  fileBytes: number;
  /** All that waits to be delivered: under one request, or at a whole drop page. */
  waitingBytes: number;
  /** The drop page, whose undelivered files are a reserve of their own; null for a request. */
  dropName: string | null;
}

/** On whose behalf bytes are received: the owner themselves, or somebody outside who was asked to hand files in. */
export interface Uploader {
  ownerId: string;
  policy: Policy;
  /** '' for the owner, `drop:<key id>` or `request:<id>` for somebody outside. */
  source: string;
  /** Null for the owner. */
  handIn: HandInLimits | null;
  caller: Caller;
}

export function ownUploader(caller: UserCaller): Uploader {
  return { ownerId: caller.userId, policy: caller.policy, source: '', handIn: null, caller };
}

export function isAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return role !== 'user';
}

/** 403 for a wrong role, identical whatever the target (security D1, D5). */
export function demandAdministrator(caller: UserCaller): void {
  if (!isAdministrator(caller)) {
    throw new Problem('forbidden', 'admin.not_permitted', 'Only an administrator can do this.');
  }
}

/** 403 for everybody else: policy and wording are the System Administrators' alone. */
export function demandSystemAdministrator(caller: UserCaller): void {
  if (caller.role !== 'system_administrator') {
    throw new Problem('forbidden', 'admin.not_permitted', 'Only a System Administrator can do this.');
  }
}

/** May the caller see or change the key and account of someone with this rank? Strictly below, or a System Administrator. */
export function mayManage(caller: Ranked, target: Ranked): boolean {
  if (caller.role === 'system_administrator') return true;
  return isAdministrator(caller) && rankOf(target) < rankOf(caller);
}

/** May the caller put somebody into a group of this rank? Who may only invite reaches below their own rank, as always. */
export function mayAddTo(caller: Ranked & Pick<Membership, 'policy'>, group: Ranked): boolean {
  return mayManage(caller, group) || (caller.policy.can_invite_users && rankOf(group) < rankOf(caller));
}

/** The account was switched off or deleted while the request ran: the same words as for a wrong key. */
export function switchedOff(): Problem {
  return new Problem('unauthenticated', 'credentials.invalid', 'The API key is missing or not valid.');
}
