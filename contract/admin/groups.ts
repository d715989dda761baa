// Groups, for administrators' scripts. The settings go by their names in the account answer.
import { z } from 'zod';
import { adminCall, define } from '../endpoint.ts';
import { role } from '../roles.ts';
import { flag, instant, optional } from '../wire.ts';

export const group = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    is_local: z.boolean(),
    role,
    is_sysadmin: z.boolean(),
    is_admin: z.boolean(),
    shipped: z.boolean(),
    members: z.int(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Group', description: 'With every setting of the group beside these fields.' });

export const groupInput = z.object({
  group: z.looseObject({
    name: optional(z.string().max(200)),
    is_local: optional(flag),
    role: optional(role),
    is_sysadmin: optional(flag).describe('The same as role system_administrator.'),
    is_admin: optional(flag).describe('The same as role administrator.'),
  }),
});

export const groupAnswer = z.object({ group });
export const groupsAnswer = z.object({ groups: z.array(group) });

export const groupEndpoints = {
  listGroups: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/groups',
    summary: 'List groups',
    answer: groupsAnswer,
    origin: 'compatibility',
  }),
  createGroup: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/groups',
    summary: 'Make a group',
    body: groupInput,
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  getGroup: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/groups/:id',
    summary: 'One group with its settings',
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  changeGroup: define({
    ...adminCall,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/groups/:id',
    summary: 'Change a group',
    body: groupInput,
    answer: groupAnswer,
    origin: 'compatibility',
  }),
  deleteGroup: define({
    ...adminCall,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/groups/:id',
    summary: 'Delete a group without members',
    answer: 'empty',
    origin: 'compatibility',
  }),
} as const;
