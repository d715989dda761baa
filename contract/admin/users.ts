// People, for administrators' scripts. Keys are never listed.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { role } from '../roles.ts';
import { flag, instantMs, optional } from '../wire.ts';

export const user = wire({
  id: z.string().describe('Id of the person.'),
  email: z.string().describe('E-mail address, which is also the user name.'),
  name: z.string().describe('Full name. Invisible and directional characters are refused.'),
  group: named('groupId', z.string().describe('Id of the group.')),
  group_name: z.string().describe('Name of the group.'),
  is_local: z.boolean().describe('Whether this is a member of the organisation.'),
  role: role.describe('What they may do beyond sending, which comes from the group.'),
  disabled: derived(
    z.boolean().describe('Whether they can neither sign in nor use keys.'),
    ({ state }: { state: 'active' | 'disabled' }) => state === 'disabled',
  ),
  sender_aliases: z.array(z.string()).describe('Further addresses from which they may send.'),
  recipient_aliases: z.array(z.string()).describe('Further addresses at which they receive.'),
  default_sender_alias: z.string().describe('The one used unless a message names another.'),
  unconfirmed_addresses: z
    .array(z.string())
    .describe(
      'Addresses of the list above that are not proven by a mailed code yet; until then they open and send nothing.',
    ),
  storage_used: named('storedBytes', z.int().describe('Bytes.')),
  api_key: z.enum(['set', 'expired', 'none']).describe('Never the key itself.'),
  api_key_expires_at: instantMs.nullable().describe('When their key ends; null if it does not.'),
  last_login_at: named('lastSeenAt', instantMs.nullable().describe('When they last signed in; null if never.')),
  created_at: instantMs.describe('When they were added.'),
}).meta({ id: 'User' });

const aliases = z.union([z.string().max(20_000), z.array(z.string().max(320)).max(50)]);

export const userInput = z.object({
  user: wire({
    email: optional(z.string().max(320)).describe('E-mail address, which is also the user name. A new user needs one.'),
    name: optional(z.string().max(400)).describe('Full name.'),
    group: named('groupId', optional(z.string().max(100))).describe(
      'Id of the group. Default for a new user: local-users.',
    ),
    password: optional(z.string().max(1024)).describe(
      'A new password; it ends sessions and lifts a lock of signing in.',
    ),
    invite: named('isInvited', optional(flag)).describe(
      'For a new person without a password: mails them a link to choose one.',
    ),
    disabled: named('isDisabled', optional(flag)).describe(
      'True: neither signing in nor any key works, and running downloads end.',
    ),
    sender_aliases: optional(aliases).describe(
      'Further addresses from which they may send: a list, or one text with commas.',
    ),
    recipient_aliases: optional(aliases).describe(
      'Further addresses at which they receive: a list, or one text with commas.',
    ),
    default_sender_alias: optional(z.string().max(320)).describe('One of the sender aliases.'),
    reason: optional(z.string().max(2000)).describe(
      'Why a System Administrator sets these addresses; it is in the event and in the mail to the addresses.',
    ),
  }),
});

export const userAnswer = z.object({ user });
export const usersAnswer = z.object({ users: z.array(user) });

export const userEndpoints = {
  listUsers: define({
    ...adminCall,
    right: 'people.manage',
    shows: 'people',
    method: 'GET',
    path: '/admin/users',
    summary: 'List people',
    answer: usersAnswer,
    origin: 'compatibility',
  }),
  createUser: define({
    ...adminCall,
    right: 'people.add',
    method: 'POST',
    path: '/admin/users',
    summary: 'Add a person',
    body: userInput,
    answer: userAnswer,
    origin: 'compatibility',
  }),
  getUser: define({
    ...adminCall,
    right: 'people.manage',
    method: 'GET',
    path: '/admin/users/:id',
    summary: 'One person',
    answer: userAnswer,
    origin: 'compatibility',
  }),
  changeUser: define({
    ...adminCall,
    right: 'people.manage',
    method: 'PUT',
    path: '/admin/users/:id',
    summary: 'Change a person',
    body: userInput,
    answer: userAnswer,
    origin: 'compatibility',
  }),
  deleteUser: define({
    ...adminCall,
    right: 'people.manage',
    method: 'DELETE',
    path: '/admin/users/:id',
    summary: 'Remove a person and their files',
    answer: 'empty',
    origin: 'compatibility',
  }),
  removeSecondFactor: define({
    ...adminCall,
    right: 'people.manage',
    method: 'DELETE',
    path: '/admin/users/:id/second_factor',
    summary: 'Remove the second step at sign-in of a person who has lost their authenticator app',
    answer: 'empty',
    origin: 'additive',
  }),
} as const;
