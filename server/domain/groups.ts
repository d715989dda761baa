// What a group is, and the four that are shipped.
import type { Role } from './caller.ts';
import { defaultPolicy, type Policy } from './policy.ts';

export interface Group {
  id: string;
  name: string;
  isLocal: boolean;
  role: Role;
  policy: Policy;
  isShipped: boolean;
  memberCount: number;
  createdAt: number;
  updatedAt: number;
}

/** Made at first start; they can be changed but not deleted. */
export const shippedGroups: { id: string; name: string; isLocal: boolean; role: Role; policy: Policy }[] = [
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
