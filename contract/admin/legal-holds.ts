// Legal holds: keep contents even when a transfer expires or is withdrawn.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { id, instantMs, optional } from '../wire.ts';

const reason = z.string().max(2000).describe('Kept in the log.');

export const hold = wire({
  id,
  kind: named('targetKind', z.enum(['user', 'message', 'link', 'request'])),
  target: z.string().describe('Id of the person, or reference of the transfer.'),
  owner: named('ownerId', z.string().describe('Id of the account whose files are kept.')),
  reason: z.string(),
  set_by: z.string(),
  set_at: instantMs,
  lifted_by: z.string(),
  lifted_at: instantMs.nullable().describe('null while it is in force.'),
  lift_reason: z.string(),
}).meta({ id: 'LegalHold' });

export type HoldBody = z.input<typeof hold>;
const call = { ...adminCall, origin: 'additive' } as const;

export const legalHoldEndpoints = {
  listHolds: define({
    ...call,
    right: 'console.read',
    shows: 'holds',
    method: 'GET',
    path: '/admin/holds',
    summary: 'Legal holds, those in force first',
    answer: z.object({ holds: z.array(hold) }),
  }),
  setHold: define({
    ...call,
    right: 'console.change',
    method: 'POST',
    path: '/admin/holds',
    summary: 'Keep the files of a person or of a transfer from being deleted; access to them does not change',
    body: z.object({
      hold: z.object({
        user: optional(z.string().max(400)).describe('Id or e-mail address of a person.'),
        transfer: optional(z.string().max(100)).describe('Reference or id of a message, a link or a File Request.'),
        reason,
      }),
    }),
    answer: z.object({ hold }),
  }),
  liftHold: define({
    ...call,
    right: 'console.change',
    method: 'POST',
    path: '/admin/holds/:id/lift',
    summary: 'Lift a legal hold; deletions that it held up happen now',
    body: z.object({ lift: z.object({ reason }) }),
    answer: z.object({ hold }),
  }),
} as const;
