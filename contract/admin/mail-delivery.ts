// How mail leaves: the settings in force, a test in steps, the records of the sender domain, the queue, and who refuses.
// For System Administrators. Additive.
import { z } from 'zod';
import { adminCall, define } from '../endpoint.ts';
import { instant } from '../wire.ts';
import { check } from './checks.ts';
import { settingInForce } from './settings.ts';

export const mailDelivery = z
  .object({
    is_set_up: z.boolean().describe('False: there is no mail server, mails are kept as files.'),
    server: z.string().describe('Host and port, or the folder mails are kept in.'),
    security: z.enum(['TLS', 'STARTTLS', 'none']),
    user: z.string().nullable(),
    from: z.string(),
    envelope_from: z.string(),
    own_domains: z.array(z.string()),
    rate_per_minute: z.int().describe('0 for no limit.'),
    settings: z.array(settingInForce),
    waiting: z.int(),
    refused_today: z.int().describe('In the last 24 hours.'),
  })
  .meta({ id: 'MailSettings' });

export const mailQueueItem = z
  .object({
    id: z.string(),
    kind: z.string(),
    to: z.string(),
    state: z.enum(['waiting', 'sending', 'sent', 'refused', 'dropped']),
    attempts: z.int(),
    created_at: instant,
    next_at: instant.nullable().describe('The next attempt; null when there is none.'),
    finished_at: instant.nullable(),
    said: z.string().describe('What the mail server said last.'),
    about: z.string().nullable().describe('Reference of the message, link or request it belongs to.'),
  })
  .meta({ id: 'QueuedMail' });

const queueStates = ['waiting', 'refused', 'sent', 'dropped', 'all'] as const;

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
    body: z.object({
      mail_test: z.object({ to: z.string().max(320).optional().describe('The caller when left out.') }),
    }),
    answer: z.object({ mail_test: z.object({ to: z.string(), is_accepted: z.boolean(), steps: z.array(check) }) }),
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
    query: z.object({
      state: z.enum(queueStates).optional().describe('`waiting` when left out.'),
      domain: z.string().max(253).optional().describe('Of the recipient.'),
      after: z.string().max(60).optional().describe('`next` of the page before.'),
      size: z
        .string()
        .regex(/^([1-9]\d?|100)$/)
        .transform(Number)
        .optional()
        .describe('At most 100; 25 when left out.'),
    }),
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
        z
          .object({ domain: z.string(), mails: z.int(), last_at: instant, said: z.string() })
          .meta({ id: 'MailRefusals' }),
      ),
    }),
    origin: 'additive',
  }),
} as const;
