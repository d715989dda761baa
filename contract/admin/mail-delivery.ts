// Mail delivery: settings in force, a test in steps, DNS records of the sender domain, queue, refusals.
// For System Administrators. Additive.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { cursorFields } from '../lists.ts';
import { instantMs, otherwise } from '../wire.ts';
import { check, zoneRecord } from './checks.ts';
import { settingInForce } from './settings.ts';

export const mailDelivery = wire({
  is_set_up: named('isReal', z.boolean().describe('False: there is no mail server, and mails wait.')),
  source: z.enum(['environment', 'console', 'none']).describe('Where the mail server is set; the environment wins.'),
  server: z.string().describe('Host and port, or the folder mails are kept in.'),
  security: z.enum(['TLS', 'STARTTLS', 'none']),
  user: z.string().nullable(),
  from: z.string(),
  envelope_from: z.string(),
  own_domains: z.array(z.string()),
  rate_per_minute: named('perMinute', z.int().describe('0 for no limit.')),
  settings: z.array(settingInForce),
  waiting: z.int(),
  held: z.int().describe('Waited when the installation was restored; an administrator sends or drops them.'),
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
  held: 'held',
} as const;
type Stored = { state: keyof typeof mailStates };

export const mailQueueItem = wire({
  id: z.string(),
  kind: z.string(),
  to: named('recipient', z.string()),
  state: derived(
    z.enum(['waiting', 'sending', 'sent', 'refused', 'dropped', 'held']),
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
  held: ['held'],
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
        .enum(['waiting', 'held', 'refused', 'sent', 'dropped', 'all'])
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

const secretText = z.string().max(20_000).optional();
const settingText = z.string().max(320).optional();
const secretMeaning = 'Write-only. Left out: the saved one stays, unless the server, address or client changes.';

const setupFields = {
  method: z.enum(['smtp', 'graph']).describe('`graph`: Microsoft Graph `sendMail`.'),
  host: z.string(),
  port: z.int(),
  security: z.enum(['starttls', 'tls']).describe('`tls`: from the start, usually port 465.'),
  sign_in: z.enum(['none', 'password', 'oauth']).describe('`oauth`: XOAUTH2 with an access token.'),
  user: z.string().describe('At the mail server, or the mailbox that Microsoft Graph sends from.'),
  token_url: z.string(),
  client_id: z.string(),
  scope: z.string(),
  graph_url: z.string(),
  from: z.string().describe('Sender address.'),
  envelope_from: z.string().describe('Where undeliverable mail goes; the sender address when empty.'),
  dkim_domain: z.string(),
  dkim_selector: z.string(),
};

export const mailSettings = wire({
  source: z.enum(['environment', 'console', 'none']),
  fixed: wire({
    method: z.string().optional(),
    from: z.string().optional(),
    envelope_from: z.string().optional(),
    dkim_domain: z.string().optional(),
  }).describe('Variables of the environment that win; `method` stands for everything but sender and DKIM.'),
  setup: wire(setupFields),
  secrets: z
    .array(z.string())
    .describe('Secrets that are set: `password`, `client_secret`, `certificate`, `refresh_token`, `dkim_key`.'),
  dkim_record: zoneRecord.nullable().describe('To add to the domain.'),
}).meta({ id: 'MailSetup' });

const mailSettingsAnswer = wire({ mail_settings: mailSettings });

const mailSettingsInput = wire({
  method: setupFields.method.optional(),
  host: settingText,
  port: z.int().min(1).max(65_535).optional(),
  security: setupFields.security.optional(),
  sign_in: setupFields.sign_in.optional(),
  user: settingText,
  password: secretText.describe(secretMeaning),
  token_url: z.string().max(2000).optional().describe('Gives access tokens.'),
  client_id: settingText,
  client_secret: secretText.describe(secretMeaning),
  certificate: secretText.describe('Certificate and private key as PEM, instead of the secret. Write-only.'),
  refresh_token: secretText.describe('Without it the client-credentials grant is used. Write-only.'),
  scope: z.string().max(2000).optional(),
  graph_url: z.string().max(2000).optional().describe('`https://graph.microsoft.com` when left out.'),
  from: settingText,
  envelope_from: settingText,
  dkim_domain: settingText,
  dkim_selector: settingText,
  dkim_key: secretText.describe('Private RSA key as PEM; one is created when left out. Write-only.'),
});

export const mailDeliveryEndpoints = {
  getMailSettings: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/mail/settings',
    summary: 'The mail settings in force, without secrets',
    answer: mailSettingsAnswer,
    origin: 'additive',
  }),
  changeMailSettings: define({
    ...adminCall,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/mail/settings',
    summary:
      'Send a test mail to the caller with new settings, and save them if it is accepted; 422 with the steps if not',
    body: wire({ mail_settings: mailSettingsInput }),
    answer: mailSettingsAnswer,
    origin: 'additive',
  }),
  removeMailSettings: define({
    ...adminCall,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/mail/settings',
    summary: 'Remove the mail settings of the console',
    answer: mailSettingsAnswer,
    origin: 'additive',
  }),
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
