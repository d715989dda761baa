// SCIM: the service it belongs to, its tokens, and mass changes that wait for permission. Additive.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { instantMs } from '../wire.ts';

const token = {
  id: z.string(),
  name: z.string().describe('What the token is for.'),
  created_by: z.string().describe('Id of the administrator.'),
  created_at: instantMs,
  last_used_at: instantMs.nullable(),
};

const scimState = wire({
  service: z.string().nullable().describe('Id of the sign-in service that SCIM belongs to; null: the only one.'),
  service_source: z.enum(['environment', 'console']),
  has_environment_token: named('hasEnvironmentToken', z.boolean()).describe('`WAYBILL_SCIM_TOKEN` is set.'),
  is_stopped: z.boolean().describe('More than 10 % of the people would be disabled or moved; permission is needed.'),
  tokens: z.array(wire(token)),
}).meta({ id: 'ScimState' });

const call = { ...adminCall, origin: 'additive' } as const;
const answer = z.object({ scim: scimState });

export const scimEndpoints = {
  getScim: define({
    ...call,
    right: 'system.read',
    method: 'GET',
    path: '/admin/scim',
    summary: 'SCIM: its service and tokens',
    answer,
  }),
  changeScim: define({
    ...call,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/scim',
    summary: 'Choose the sign-in service that SCIM belongs to',
    body: z.object({ scim: wire({ service: z.string().max(40).nullable() }) }),
    answer,
  }),
  createScimToken: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/scim/tokens',
    summary: 'Create a token for a SCIM client; it is returned once',
    body: z.object({ token: wire({ name: z.string().max(100) }) }),
    answer: z.object({ token: wire({ ...token, token: z.string().describe('Shown here only.') }) }),
  }),
  deleteScimToken: define({
    ...call,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/scim/tokens/:id',
    summary: 'Remove a token of a SCIM client',
    answer: 'empty',
  }),
  permitScimChange: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/scim/permit',
    summary: 'Permit a SCIM client to disable and move many people, for a day',
    answer: 'empty',
  }),
} as const;
