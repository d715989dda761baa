// The four roles: their administrative rights and ranks (docs/adr/0056). Every decision about a role is made here.
import { Problem } from './problem.ts';

export type Role = 'user' | 'auditor' | 'administrator' | 'system_administrator';
export const roles: readonly Role[] = ['user', 'auditor', 'administrator', 'system_administrator'];

/** What determines a rank. */
export interface Ranked {
  role: Role;
  isLocal: boolean;
}

/** Rights of calls; contract/endpoint.ts names them on the wire. */
export type Right =
  | 'console.read'
  | 'console.change'
  | 'people.add'
  | 'people.manage'
  | 'people.everyone'
  | 'system.read'
  | 'system.change';

const holders: Record<Right, readonly Role[]> = {
  /** Logs, groups and their history, branding, drop pages, who sent what to whom. Never contents, texts or keys. */
  'console.read': ['auditor', 'administrator', 'system_administrator'],
  'console.change': ['administrator', 'system_administrator'],
  /** Also held by members of groups that may invite (`holds`). */
  'people.add': ['administrator', 'system_administrator'],
  /** Users below the caller's own rank. */
  'people.manage': ['administrator', 'system_administrator'],
  /** Users of any rank, and addresses that are active without a mailed code. */
  'people.everyone': ['system_administrator'],
  /** Configuration: mail, storage, security, templates. */
  'system.read': ['auditor', 'system_administrator'],
  /** The same, and the policies of groups. */
  'system.change': ['system_administrator'],
};

export interface Holder {
  role: Role;
  policy: { readonly can_invite_users: boolean };
}

export function holds({ role, policy }: Holder, right: Right): boolean {
  if (holders[right].includes(role)) return true;
  // An auditor never changes anything, regardless of the group.
  return right === 'people.add' && role === 'user' && policy.can_invite_users;
}

/** A 403 that is identical for every target. */
export function requireRight(caller: Holder, right: Right): void {
  if (holds(caller, right)) return;
  const isForSystemAdministrators = !holders[right].includes('administrator');
  const sentence = isForSystemAdministrators
    ? 'Only a System Administrator can do this.'
    : 'Only an administrator can do this.';
  throw new Problem('forbidden', 'admin.not_permitted', sentence);
}

/** Roles that see more than their own data: their sessions are shorter, and no job removes their accounts. */
export function isPrivileged({ role }: Pick<Ranked, 'role'>): boolean {
  return role !== 'user';
}

export function isAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.manage'].includes(role);
}

export function isSystemAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.everyone'].includes(role);
}

/**
 * Outside users rank below local ones, these below administrators, these below System Administrators. Auditors rank
 * with administrators, whom they watch: neither can take over the other's account.
 */
export function rankOf({ role, isLocal }: Ranked): number {
  if (role === 'system_administrator') return 3;
  if (role === 'administrator' || role === 'auditor') return 2;
  return isLocal ? 1 : 0;
}

/** Whether the new role adds a right. If so, old API keys must end. */
export function isRaised(before: Pick<Ranked, 'role'>, after: Pick<Ranked, 'role'>): boolean {
  return Object.values(holders).some((some) => some.includes(after.role) && !some.includes(before.role));
}

/** Strictly below the caller's rank, or any rank for a System Administrator. */
export function mayManage(caller: Ranked, target: Ranked): boolean {
  if (isSystemAdministrator(caller)) return true;
  return isAdministrator(caller) && rankOf(target) < rankOf(caller);
}

/** Callers who may only invite add users below their own rank. */
export function mayAddTo(caller: Ranked & Holder, group: Ranked): boolean {
  return mayManage(caller, group) || (holds(caller, 'people.add') && rankOf(group) < rankOf(caller));
}

/** The role of a group in a script: its name, or the flags of older scripts. */
export interface RoleInput {
  role?: Role | undefined;
  isSystemAdministrator?: boolean | undefined;
  isAdministrator?: boolean | undefined;
}

/** Null if name and flags contradict each other. Flags know no auditors. */
export function resolveRole(present: Role, input: RoleInput): Role | null {
  const { role, isSystemAdministrator: isHighest, isAdministrator: isHigh } = input;
  if (isHighest === undefined && isHigh === undefined) return role ?? present;
  if (isHighest === true || isHigh === true) {
    const byFlags: Role = isHighest === true ? 'system_administrator' : 'administrator';
    return role === undefined || role === byFlags ? byFlags : null;
  }
  const isNone = (other: Role) => other === 'user' || other === 'auditor';
  if (role !== undefined) return isNone(role) ? role : null;
  return isNone(present) ? present : 'user';
}
