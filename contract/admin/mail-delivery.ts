// Mail delivery: settings in force, a test in steps, DNS records of the sender domain, queue, refusals.
// For System Administrators. Additive.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields } from '../lists.ts';
import { instantMs, otherwise } from '../wire.ts';
import { check } from './checks.ts';
import { settingInForce } from './settings.ts';

export const mailDelivery = wire({
  is_set_up: named('isReal', z.boolean().describe('False: there is no mail server, mails are kept as files.')),
  server: z.string().describe('Host and port, or the folder mails are kept in.'),
  security: z.enum(['TLS', 'STARTTLS', 'none']),
  user: z.string().nullable(),
  from: z.string(),
  envelope_from: z.string(),
  own_domains: z.array(z.string()),
  rate_per_minute: named('perMinute', z.int().describe('0 for no limit.')),
  settings: z.array(settingInForce),
  waiting: z.int(),
  refused_today: z.int().describe('In the last 24 hours.'),
}).meta({ id: 'MailSettings' });

export const mailTestAnswer = wire({
  mail_test: wire({
    to: z.string(),
    is_accepted: derived(z.boolean(), ({ steps }: { steps: { state: string }[] }) => steps.at(-1)?.state === 'passed'),
    steps: z.array(check),
  }),
});

const mailStates = {
  pending: 'waiting',
  sending: 'sending',
  sent: 'sent',
  failed: 'refused',
  cancelled: 'dropped',
} as const;
type Stored = { state: keyof typeof mailStates };

export const mailQueueItem = wire({
  id: z.string(),
  kind: z.string(),
  to: named('recipient', z.string()),
  state: derived(
    z.enum(['waiting', 'sending', 'sent', 'refused', 'dropped']),
    ({ state }: Stored) => mailStates[state],
  ),
  attempts: z.int(),
  created_at: instantMs,
  next_at: derived(
    instantMs.nullable().describe('The next attempt; null when there is none.'),
    ({ state, nextAt }: Stored & { nextAt: number }) => (state === 'pending' ? nextAt : null),
  ),
  finished_at: instantMs.nullable(),
  said: named('serverText', z.string().describe('What the mail server said last.')),
  about: z.string().nullable().describe('Reference of the message, link or request it belongs to.'),
}).meta({ id: 'QueuedMail' });

const queues = {
  waiting: ['pending', 'sending'],
  refused: ['failed'],
  sent: ['sent'],
  dropped: ['cancelled'],
  all: null,
} as const;

const queueQuery = wire({
  state: named(
    'states',
    otherwise(
      z
        .enum(['waiting', 'refused', 'sent', 'dropped', 'all'])
        .transform((state) => queues[state])
        .describe('`waiting` when left out.'),
      queues.waiting,
    ),
  ),
  domain: otherwise(
    z
      .string()
      .max(253)
      .transform((text) => text || null)
      .describe('Of the recipient.'),
    null,
  ),
  ...cursorFields(60, 25),
});

export const mailDeliveryEndpoints = {
  getMailDelivery: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/mail',
    summary: 'How mail leaves',
    answer: z.object({ mail: mailDelivery }),
    origin: 'additive',
  }),
  testMail: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/mail/test',
    summary: 'Hand one test mail over and say each step',
    body: wire({
      mail_test: z.object({ to: z.string().max(320).optional().describe('The caller when left out.') }),
    }),
    answer: mailTestAnswer,
    origin: 'additive',
  }),
  checkMailDomain: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/mail/domain',
    summary: 'SPF, DKIM, DMARC and PTR of the sender domain, with the records to add',
    query: z.object({
      selector: z
        .string()
        .max(63)
        .regex(/^[A-Za-z0-9._-]*$/)
        .optional()
        .describe('Of the DKIM key; usual ones are tried when left out.'),
    }),
    answer: z.object({ domain: z.object({ name: z.string(), checks: z.array(check) }) }),
    origin: 'additive',
  }),
  listMails: define({
    ...adminCall,
    right: 'system.read',
    shows: 'mails',
    method: 'GET',
    path: '/admin/mail/queue',
    summary: 'Mails and what became of them, newest first',
    query: queueQuery,
    answer: z.object({ mails: z.array(mailQueueItem), next: z.string().nullable() }),
    origin: 'additive',
  }),
  retryMail: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/mail/queue/:id/retry',
    summary: 'Try a waiting or refused mail again now',
    answer: z.object({ mail: mailQueueItem }),
    origin: 'additive',
  }),
  dropMail: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/mail/queue/:id/drop',
    summary: 'Never send a waiting mail',
    answer: z.object({ mail: mailQueueItem }),
    origin: 'additive',
  }),
  listMailRefusals: define({
    ...adminCall,
    right: 'system.read',
    shows: 'mails',
    method: 'GET',
    path: '/admin/mail/refusals',
    summary: 'Refused mails of the last 30 days, by domain of the recipient',
    answer: z.object({
      refusals: z.array(
        wire({ domain: z.string(), mails: z.int(), last_at: instantMs, said: z.string() }).meta({ id: 'MailRefusals' }),
      ),
    }),
    origin: 'additive',
  }),
} as const;
