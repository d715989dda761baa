import { defaultPolicy, type Policy } from './policy.ts';
import type { Role } from './roles.ts';

export interface Group {
  id: string;
  name: string;
  isLocal: boolean;
  role: Role;
  policy: Policy;
  /** For new users with such an address. */
  domains: readonly string[];
  /** Names or DNs of directory groups whose people belong to this group. */
  matchGroups: readonly string[];
  /** A save can name the version it is based on. */
  version: number;
  isShipped: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface Membership {
  groupId: string;
  groupName: string;
  isLocal: boolean;
  role: Role;
  policy: Policy;
}

/** They can be changed but not deleted. */
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

/** In the order of groups. */
export function groupClaiming<Claiming extends Pick<Group, 'domains'>>(
  groups: readonly Claiming[],
  address: string,
): Claiming | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return groups.find((group) => group.domains.includes(domain));
}
