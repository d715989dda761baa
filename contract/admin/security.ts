// Locked sign-ins with unlocking, and the networks from which the console is open. Additive.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { date, id, instantMs } from '../wire.ts';

export const lock = z
  .object({
    id: z.string(),
    kind: z
      .enum(['sign_in', 'sign_in_network', 'slowed', 'second_step', 'password_again', 'link_password', 'reset'])
      .describe(
        '`sign_in_network`: any name from one network. `slowed`: one name from all networks. `password_again`: confirming the current password. `reset`: asking for new passwords.',
      ),
    user: z
      .object({ id: z.string(), email: z.string(), name: z.string() })
      .nullable()
      .describe('Null for an unknown name; the typed text is not shown, because it may be a password.'),
    link: z.string().nullable().describe('Reference of the link whose password was guessed at.'),
    network: z.string().nullable().describe('The address it came from; null when it counts from everywhere.'),
    failures: z.int(),
    until: instantMs,
  })
  .meta({ id: 'Lock' });

export const securitySettings = wire({
  console_networks: z.array(z.string()).describe('Administrators get in from here only; empty for everywhere.'),
  your_address: z.string().describe('Where this call came from.'),
}).meta({ id: 'SecuritySettings' });

export const seenClient = wire({
  client: z.string().describe('From the user agent; empty when there is none.'),
  version: z.string(),
  calls: z.int(),
  last_on: date.describe('UTC.'),
  errors: z.array(z.object({ code: z.string(), calls: z.int() })),
}).meta({ id: 'SeenClient' });

export const recipientPasskey = wire({
  id,
  address: z.string(),
  name: z.string().describe('Browser and system in which it was created.'),
  created_at: instantMs,
  last_used_at: instantMs.nullable(),
}).meta({ id: 'RecipientPasskey' });

export const securityEndpoints = {
  listRecipientPasskeys: define({
    ...adminCall,
    right: 'system.read',
    shows: 'people',
    method: 'GET',
    path: '/admin/recipient_passkeys',
    summary: 'Passkeys of recipients without an account, by address',
    query: z.object({ address: z.string().max(320).optional().describe('A part of the address.') }),
    answer: wire({
      passkeys: z.array(recipientPasskey).max(100),
      complete: named('isComplete', z.boolean().describe('False if there are more than 100.')),
    }),
    origin: 'additive',
  }),
  removeRecipientPasskey: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/recipient_passkeys/:id/remove',
    summary: 'Remove one, with a reason; a mailed code proves the address again',
    body: z.object({ passkey: z.object({ reason: z.string().max(2000) }) }),
    answer: 'empty',
    origin: 'additive',
  }),
  listClients: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/security/clients',
    summary: 'Programs that called with an API key in the last 30 days, by version, with their errors',
    answer: z.object({ clients: z.array(seenClient) }),
    origin: 'additive',
  }),
  listLocks: define({
    ...adminCall,
    right: 'system.read',
    shows: 'locks',
    method: 'GET',
    path: '/admin/security/locks',
    summary: 'Sign-ins that are locked after too many failures',
    answer: z.object({ locks: z.array(lock) }),
    origin: 'additive',
  }),
  removeLock: define({
    ...adminCall,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/security/locks/:id',
    summary: 'Unlock one of them',
    answer: 'empty',
    origin: 'additive',
  }),
  getSecuritySettings: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/security',
    summary: 'Networks the console is open to',
    answer: z.object({ security: securitySettings }),
    origin: 'additive',
  }),
  changeSecuritySettings: define({
    ...adminCall,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/security',
    summary: 'Change the networks the console is open to',
    body: z.object({ security: wire({ console_networks: z.array(z.string().max(60)).max(100) }) }),
    answer: z.object({ security: securitySettings }),
    origin: 'additive',
  }),
} as const;
