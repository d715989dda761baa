// What a group is, what belonging to one gives a person, how groups rank, and the four that are shipped.
import { defaultPolicy, type Policy } from './policy.ts';

export type Role = 'user' | 'administrator' | 'system_administrator';
export const roles: readonly Role[] = ['user', 'administrator', 'system_administrator'];

export interface Group {
  id: string;
  name: string;
  isLocal: boolean;
  role: Role;
  policy: Policy;
  isShipped: boolean;
  createdAt: number;
  updatedAt: number;
}

/** What a person has from their group. */
export interface Membership {
  groupId: string;
  groupName: string;
  isLocal: boolean;
  role: Role;
  policy: Policy;
}

/** What decides about rank; groups, people and callers have it. */
export type Ranked = Pick<Membership, 'role' | 'isLocal'>;

/** Outside people rank below local ones, below administrators, below System Administrators (security D1). */
export function rankOf({ role, isLocal }: Ranked): number {
  if (role === 'system_administrator') return 3;
  if (role === 'administrator') return 2;
  return isLocal ? 1 : 0;
}

/** Do these rights let somebody do more to others than before? Then their old keys must end (invariant I41). */
export function isRaised(before: Ranked, after: Ranked): boolean {
  return after.role !== 'user' && rankOf(after) > rankOf(before);
}

/** Made at first start; they can be changed but not deleted. */
export const shippedGroups: Pick<Group, 'id' | 'name' | 'isLocal' | 'role' | 'policy'>[] = [
  {
    id: 'system-administrators',
    name: 'System Administrators',
    isLocal: true,
    role: 'system_administrator',
    policy: { ...defaultPolicy(true), can_invite_users: true },
  },
  {
    id: 'administrators',
    name: 'Administrators',
    isLocal: true,
    role: 'administrator',
    policy: { ...defaultPolicy(true), can_invite_users: true },
  },
  { id: 'local-users', name: 'Local Users', isLocal: true, role: 'user', policy: defaultPolicy(true) },
  { id: 'external-users', name: 'External Users', isLocal: false, role: 'user', policy: defaultPolicy(false) },
];
