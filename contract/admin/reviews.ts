// Messages that wait until a second person releases them (setting `message_review`).
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { heldVerdict, scanReason } from '../scanning.ts';
import { fileName, instantMs, sizeBytes } from '../wire.ts';
import { transfer } from './transfers.ts';

export const messageReview = wire({
  transfer,
  requested_at: instantMs,
  own: named('isOwn', z.boolean().describe('Its sender is the caller, who cannot decide about it.')),
  files: z.array(
    wire({
      filename: fileName,
      size: sizeBytes,
      scan_state: z
        .enum(['free', 'waiting', 'held'])
        .describe('`waiting`: still being checked. `held`: in quarantine; a release frees it unless it is infected.'),
      verdict: heldVerdict.nullable().describe('Of a held file.'),
      reason: scanReason,
      signature: z.string().describe('Name of the malware.'),
    }),
  ),
}).meta({ id: 'MessageReview' });

const call = { ...adminCall, origin: 'additive' } as const;
const body = z.object({ review: z.object({ reason: z.string().max(2000).describe('Shown to the sender.') }) });

export const reviewEndpoints = {
  listReviews: define({
    ...call,
    right: 'console.read',
    shows: 'transfers',
    method: 'GET',
    path: '/admin/message_reviews',
    summary: 'Messages that wait for a second person, oldest first',
    answer: z.object({ reviews: z.array(messageReview) }),
  }),
  releaseMessage: define({
    ...call,
    right: 'console.change',
    method: 'POST',
    path: '/admin/message_reviews/:id/release',
    summary: 'Deliver a message that waits, named by its reference',
    body,
    answer: 'empty',
  }),
  refuseMessage: define({
    ...call,
    right: 'console.change',
    method: 'POST',
    path: '/admin/message_reviews/:id/refuse',
    summary: 'Withdraw a message that waits, named by its reference',
    body,
    answer: 'empty',
  }),
} as const;
