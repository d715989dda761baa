// Webhooks and event streams: where events are sent, and whether they arrive. Additive.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields, nextPage } from '../lists.ts';
import { digits, instantMs, wholeNumber } from '../wire.ts';

const format = z
  .enum(['standard', 'slack', 'teams', 'matrix'])
  .describe('`standard`: Standard Webhooks 1.0.0 with a signature. Others: a sentence for a chat.');

export const webhook = wire({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()).describe('Kinds of events; `*` for all.'),
  format,
  enabled: derived<{ state: string }, z.ZodBoolean>(z.boolean(), ({ state }) => state === 'on'),
  state: z.enum(['on', 'off', 'failed']).describe('`failed`: switched off after three days without success.'),
  cursor: derived<{ position: number }, z.ZodString>(
    z.string().describe('All events up to here are delivered; a position for `GET /admin/events`.'),
    ({ position }) => String(position),
  ),
  attempts: z.int().describe('Failures in a row.'),
  failing_since: named('firstFailedAt', instantMs.nullable().describe('Of the first failure in a row.')),
  next_at: named(
    'nextAttemptAt',
    instantMs.nullable().describe('Of the next attempt; null if no delivery has failed.'),
  ),
  last_error: z.string(),
  delivered_at: instantMs.nullable().describe('Of the last success.'),
  previous_secret_ends_at: instantMs.nullable().describe('Until then both secrets sign.'),
  created_at: instantMs,
  updated_at: instantMs,
}).meta({ id: 'Webhook' });

export const webhookDelivery = wire({
  id: named('number', z.int()),
  event: named('seq', z.int().describe('Id of the event.')),
  action: z.string(),
  at: instantMs,
  took_ms: z.int(),
  status: z.int().nullable().describe('null: there was no answer.'),
  error: z.string().describe('Empty after a success.'),
}).meta({ id: 'WebhookDelivery' });

export const eventStream = wire({
  name: z.enum(['syslog', 'file']),
  target: z.string().describe('Address or path.'),
  format: z.enum(['json', 'cef', 'ocsf']),
  waiting: z.boolean().describe('There are events that are not written yet.'),
  attempts: z.int().describe('Failures in a row.'),
  failing_since: named('firstFailedAt', instantMs.nullable().describe('Of the first failure in a row.')),
  last_error: z.string(),
  delivered_at: instantMs.nullable().describe('Of the last success.'),
}).meta({ id: 'EventStream' });

const posted = wire({
  status: z.int().nullable().describe('null: there was no answer.'),
  error: z.string().describe('Empty after a success.'),
  took_ms: z.int(),
});

const url = z.string().max(2000);
const changes = {
  events: z.array(z.string().max(60)).max(300).optional(),
  format: format.optional(),
  enabled: z.boolean().optional(),
};
const secret = z.string().describe('`whsec_…`, shown once. Receivers check signatures with it.');
const one = z.object({ webhook });
const system = { ...adminCall, origin: 'additive' } as const;
const change = { ...system, right: 'system.change' } as const;
const read = { ...system, right: 'system.read' } as const;

export const webhookEndpoints = {
  listWebhooks: define({
    ...read,
    method: 'GET',
    path: '/admin/webhooks',
    summary: 'Addresses that receive events',
    answer: z.object({
      webhooks: z.array(webhook),
      kinds: z.array(z.string()).describe('Kinds of events that exist.'),
    }),
  }),
  createWebhook: define({
    ...change,
    method: 'POST',
    path: '/admin/webhooks',
    summary: 'Send events to an address, from now on',
    body: z.object({ webhook: wire({ url, ...changes }) }),
    answer: z.object({ webhook, secret }),
  }),
  getWebhook: define({
    ...read,
    method: 'GET',
    path: '/admin/webhooks/:id',
    summary: 'One webhook',
    answer: one,
  }),
  changeWebhook: define({
    ...change,
    method: 'PUT',
    path: '/admin/webhooks/:id',
    summary: 'Change a webhook; the next attempt is immediate',
    body: z.object({ webhook: wire({ url: url.optional(), ...changes }) }),
    answer: one,
  }),
  deleteWebhook: define({
    ...change,
    method: 'DELETE',
    path: '/admin/webhooks/:id',
    summary: 'Delete a webhook and its log',
    answer: 'empty',
  }),
  testWebhook: define({
    ...change,
    method: 'POST',
    path: '/admin/webhooks/:id/test',
    summary: 'Send an event of the kind `webhook.tested`',
    answer: z.object({ test: posted }),
  }),
  rotateWebhookSecret: define({
    ...change,
    method: 'POST',
    path: '/admin/webhooks/:id/rotate_secret',
    summary: 'Create another secret; the previous one signs too for 24 hours',
    answer: z.object({ webhook, secret }),
  }),
  listWebhookDeliveries: define({
    ...read,
    method: 'GET',
    path: '/admin/webhooks/:id/deliveries',
    summary: 'The last 1,000 attempts, newest first',
    query: z.object(cursorFields()),
    answer: z.object({ deliveries: z.array(webhookDelivery), next: nextPage }),
  }),
  replayWebhook: define({
    ...change,
    method: 'POST',
    path: '/admin/webhooks/:id/replay',
    summary: 'Send all events after a position again',
    body: z.object({ replay: wire({ after: z.union([digits(0), wholeNumber]) }) }),
    answer: one,
  }),
  listEventStreams: define({
    ...read,
    method: 'GET',
    path: '/admin/streams',
    summary: 'Syslog and file, if the operator configured them',
    answer: z.object({ streams: z.array(eventStream) }),
  }),
  testEventStream: define({
    ...change,
    method: 'POST',
    path: '/admin/streams/:name/test',
    summary: 'Write an event of the kind `stream.tested`',
    answer: z.object({ test: z.object({ error: z.string().describe('Empty after a success.') }) }),
  }),
} as const;
