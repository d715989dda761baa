// Groups, for administrators' scripts. The settings go by their names in the account answer.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { nextPage } from '../lists.ts';
import { role } from '../roles.ts';
import { digits, flag, instant, instantMs, optional, otherwise } from '../wire.ts';

export const group = z
  .looseObject({
    id: z.string().describe('Id of the group.'),
    name: z.string().describe('Name of the group. Invisible and directional characters are refused.'),
    is_local: z.boolean().describe('Whether its members belong to the organisation.'),
    role: role.describe('What its members may do beyond sending.'),
    is_sysadmin: z.boolean().describe('The same as role system_administrator.'),
    is_admin: z.boolean().describe('The same as role administrator.'),
    shipped: z.boolean().describe('Whether it came with the product and cannot be deleted.'),
    version: z.int().describe('Grows with every change.'),
    match_domains: z.array(z.string()).describe('New people with an address there belong in this group.'),
    match_groups: z.array(z.string()).describe('Directory groups, by name or DN, whose people belong in this group.'),
    members: z.int().describe('How many people are in it.'),
    created_at: instant.describe('When it was made.'),
    updated_at: instant.describe('When it was last changed.'),
  })
  .meta({ id: 'Group', description: 'All settings of the group are fields, too.' });

export const groupInput = z.object({
  group: z
    .looseObject({
      name: optional(z.string().max(200)).describe('Name of the group.'),
      is_local: optional(flag).describe('Whether its members belong to the organisation.'),
      role: optional(role).describe('What its members may do beyond sending.'),
      is_sysadmin: optional(flag).describe('The same as role system_administrator.'),
      is_admin: optional(flag).describe('The same as role administrator.'),
      match_domains: z
        .unknown()
        .optional()
        .describe('New people with an address there belong in this group: a list, or one text with commas.'),
      match_groups: z
        .unknown()
        .optional()
        .describe('Directory groups, by name or DN, whose people belong in this group; also as match_ldap_groups.'),
      match_ldap_groups: z.unknown().optional().describe('The same as match_groups.'),
      version: optional(z.int()).describe(
        'The version this change was made from: 409 if the group has changed since. Without it the last save wins.',
      ),
    })
    .meta({ id: 'GroupInput', description: 'Settings of the group are fields, too; all are optional.' }),
});

export const groupAnswer = z.object({ group });
export const groupsAnswer = z.object({ groups: z.array(group) });

export const moveGroupInput = z.object({
  move: z.object({ to: z.int().min(1).describe('Place in the list, counted from 1.') }),
});

export const groupHistoryAnswer = z.object({
  history: z.array(
    wire({
      id: named('number', z.int().describe('Number of the change; `entry` when restoring.')),
      at: instantMs.describe('When.'),
      by: z.string().describe('E-mail address.'),
      action: z.enum(['created', 'changed']).describe('What was done to the group.'),
      changes: z
        .array(
          z.object({
            setting: z.string().describe('Name of the setting.'),
            from: z.unknown().describe('Before.'),
            to: z.unknown().describe('After.'),
          }),
        )
        .describe('Each setting that changed, with its values before and after.'),
    }).meta({ id: 'GroupChange' }),
  ),
  next: nextPage,
});

export const restoreGroupInput = z.object({
  restore: wire({
    entry: named('number', z.int().min(1).describe('`id` of the change.')),
    settings: optional(z.array(z.string().max(100)).max(200)).describe('Only these; all of the change unless said.'),
    version: optional(z.int()).describe('As in changing a group.'),
  }),
});

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
  moveGroup: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/groups/:id/move',
    summary: 'Put a group at another place of the list; the first group that claims a domain takes its people',
    body: moveGroupInput,
    answer: groupsAnswer,
    origin: 'additive',
  }),
  listGroupHistory: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/groups/:id/history',
    summary: 'Every change of a group, with old and new values, newest first',
    query: z.object({
      after: otherwise(digits(0).describe('`next` of the page before.'), null),
    }),
    answer: groupHistoryAnswer,
    origin: 'additive',
  }),
  restoreGroup: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/groups/:id/restore',
    summary: 'Set what one change of a group changed back to the values before it',
    body: restoreGroupInput,
    answer: groupAnswer,
    origin: 'additive',
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
