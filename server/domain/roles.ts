// Every decision about a role is made here (docs/adr/0056).
import { Problem } from './problem.ts';

export type Role = 'user' | 'auditor' | 'administrator' | 'system_administrator';
export const roles: readonly Role[] = ['user', 'auditor', 'administrator', 'system_administrator'];

export interface Ranked {
  role: Role;
  isLocal: boolean;
}

/** contract/endpoint.ts names them on the wire. */
export type Right =
  | 'console.read'
  | 'console.change'
  | 'people.add'
  | 'people.manage'
  | 'people.everyone'
  | 'system.read'
  | 'system.change';

const holders: Record<Right, readonly Role[]> = {
  /** Never contents, texts or keys. */
  'console.read': ['auditor', 'administrator', 'system_administrator'],
  'console.change': ['administrator', 'system_administrator'],
  /** Also held by members of groups that may invite. */
  'people.add': ['administrator', 'system_administrator'],
  /** Users below the caller's own rank. */
  'people.manage': ['administrator', 'system_administrator'],
  /** Any rank, and addresses without proof. */
  'people.everyone': ['system_administrator'],
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
  // Regardless of the group.
  return right === 'people.add' && role === 'user' && policy.can_invite_users;
}

/** Identical for every target. */
export function requireRight(caller: Holder, right: Right): void {
  if (holds(caller, right)) return;
  const isForSystemAdministrators = !holders[right].includes('administrator');
  const sentence = isForSystemAdministrators
    ? 'Only a System Administrator can do this.'
    : 'Only an administrator can do this.';
  throw new Problem('forbidden', 'admin.not_permitted', sentence);
}

/** They see more than their own data: sessions are shorter, and no job removes the accounts. */
export function isPrivileged({ role }: Pick<Ranked, 'role'>): boolean {
  return role !== 'user';
}

export function isAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.manage'].includes(role);
}

export function isSystemAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.everyone'].includes(role);
}

/** Auditors rank with administrators, whom they watch: neither can take over the other's account. */
export function rankOf({ role, isLocal }: Ranked): number {
  if (role === 'system_administrator') return 3;
  if (role === 'administrator' || role === 'auditor') return 2;
  return isLocal ? 1 : 0;
}

/** If so, old API keys must end. */
export function isRaised(before: Pick<Ranked, 'role'>, after: Pick<Ranked, 'role'>): boolean {
  return Object.values(holders).some((some) => some.includes(after.role) && !some.includes(before.role));
}

/** Strictly below, or any rank for a System Administrator. */
export function mayManage(caller: Ranked, target: Ranked): boolean {
  if (isSystemAdministrator(caller)) return true;
  return isAdministrator(caller) && rankOf(target) < rankOf(caller);
}

/** Users below their own rank. */
export function mayAddTo(caller: Ranked & Holder, group: Ranked): boolean {
  return mayManage(caller, group) || (holds(caller, 'people.add') && rankOf(group) < rankOf(caller));
}

/** A name, or the flags of older scripts. */
export interface RoleInput {
  role?: Role | undefined;
  isSystemAdministrator?: boolean | undefined;
  isAdministrator?: boolean | undefined;
}

/** Null if name and flags contradict each other. */
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
