// The four roles: what each may do in administration, and who ranks above whom. Every decision about a role is made here
// (security D1, invariant I41, docs/adr/0056). Pure: no I/O.
import { Problem } from './problem.ts';

export type Role = 'user' | 'auditor' | 'administrator' | 'system_administrator';
export const roles: readonly Role[] = ['user', 'auditor', 'administrator', 'system_administrator'];

/** What decides about rank; groups, people and callers have it. */
export interface Ranked {
  role: Role;
  isLocal: boolean;
}

/** What calls for administrators ask for; contract/endpoint.ts names them on the wire. */
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
  /** Adding people; members of groups that may invite hold it too (`holds`). */
  'people.add': ['administrator', 'system_administrator'],
  /** People below the caller's own rank. */
  'people.manage': ['administrator', 'system_administrator'],
  /** People of any rank, and addresses that act without a mailed code. */
  'people.everyone': ['system_administrator'],
  /** How the installation is set up: mail, storage, security, templates. */
  'system.read': ['auditor', 'system_administrator'],
  /** The same, and what groups decide. */
  'system.change': ['system_administrator'],
};

/** The properties of a user that decide about a right. */
export interface Holder {
  role: Role;
  policy: { readonly can_invite_users: boolean };
}

export function holds({ role, policy }: Holder, right: Right): boolean {
  if (holders[right].includes(role)) return true;
  // An auditor never changes anything, regardless of the group.
  return right === 'people.add' && role === 'user' && policy.can_invite_users;
}

/** 403 for a wrong role, identical for every target. */
export function requireRight(caller: Holder, right: Right): void {
  if (holds(caller, right)) return;
  const isForSystemAdministrators = !holders[right].includes('administrator');
  const sentence = isForSystemAdministrators
    ? 'Only a System Administrator can do this.'
    : 'Only an administrator can do this.';
  throw new Problem('forbidden', 'admin.not_permitted', sentence);
}

/** Whose sessions are shorter and whose account no job removes: all who see more than their own data. */
export function isPrivileged({ role }: Pick<Ranked, 'role'>): boolean {
  return role !== 'user';
}

/** Administrators of either kind. */
export function isAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.manage'].includes(role);
}

export function isSystemAdministrator({ role }: Pick<Ranked, 'role'>): boolean {
  return holders['people.everyone'].includes(role);
}

/**
 * Outside people rank below local ones, below administrators, below System Administrators. Auditors rank with the
 * administrators whom they watch: neither can take over the account of the other.
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

/** May the caller see or change the key and account of someone with this rank? Strictly below, or a System Administrator. */
export function mayManage(caller: Ranked, target: Ranked): boolean {
  if (isSystemAdministrator(caller)) return true;
  return isAdministrator(caller) && rankOf(target) < rankOf(caller);
}

/** Whether the caller may put a person into a group of this rank. Who may only invite reaches below their own rank, as always. */
export function mayAddTo(caller: Ranked & Holder, group: Ranked): boolean {
  return mayManage(caller, group) || (holds(caller, 'people.add') && rankOf(group) < rankOf(caller));
}

/** What a script says about the role of a group: its name, or the flags that older scripts know. */
export interface RoleInput {
  role?: Role | undefined;
  isSystemAdministrator?: boolean | undefined;
  isAdministrator?: boolean | undefined;
}

/** The role that is meant, or null where name and flags contradict each other. Flags know nothing of auditors. */
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
