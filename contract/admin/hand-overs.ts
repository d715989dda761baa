// Confirmations of a second System Administrator: handing transfers over to an account that an administrator could sign in to.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { id, instantMs } from '../wire.ts';

const person = z.object({ id: z.string(), email: z.string(), name: z.string() });

export const handOverConfirmation = wire({
  id,
  state: z
    .enum(['waiting', 'confirmed', 'ended'])
    .describe('Requests wait for 7 days; a confirmation holds for 24 hours.'),
  asked_by: person.describe('Who may hand over.'),
  new_owner: person.describe('To whom.'),
  reason: z.string(),
  asked_at: instantMs,
  confirmed_by: person.nullable(),
  confirmed_at: instantMs.nullable(),
  may_confirm: z.boolean().describe('Whether the caller may be the second System Administrator.'),
}).meta({ id: 'HandOverConfirmation' });

export type HandOverConfirmationBody = z.input<typeof handOverConfirmation>;

const call = { ...adminCall, origin: 'additive' } as const;
const answer = z.object({ confirmation: handOverConfirmation });

export const handOverEndpoints = {
  listHandOverConfirmations: define({
    ...call,
    right: 'console.change',
    method: 'GET',
    path: '/admin/hand_over_confirmations',
    summary: 'Requests to confirm a hand-over, newest first; System Administrators see all',
    answer: z.object({ confirmations: z.array(handOverConfirmation) }),
  }),
  requestHandOver: define({
    ...call,
    right: 'console.change',
    method: 'POST',
    path: '/admin/hand_over_confirmations',
    summary: 'Ask a second System Administrator to confirm handing over to an account one could sign in to',
    body: z.object({
      confirmation: z.object({
        to: z.string().max(400).describe('Id or e-mail address of the new owner.'),
        reason: z.string().max(2000).describe('Kept in the log.'),
      }),
    }),
    answer,
  }),
  confirmHandOver: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/hand_over_confirmations/:id/confirm',
    summary: 'Confirm it, as a System Administrator who did not ask and could not sign in to the account',
    answer,
  }),
} as const;
