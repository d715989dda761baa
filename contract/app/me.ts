// Who is signed in, and what the web app must know before it draws anything. Additive; policy keeps the names of
// `/account`.
import { z } from 'zod';
import { account } from '../account.ts';
import { derived, fieldsOf, named, unrenamed, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { role } from '../roles.ts';

/** The group's rules under the names of `/account`, without what is about the person or the key. */
const shared = z.object(fieldsOf(account)).pick({
  can_use_messages: true,
  can_use_filelinks: true,
  can_use_file_requests: true,
  can_invite_users: true,
  permitted_extensions: true,
  blocked_extensions: true,
  message_max_size: true,
  message_default_expiration: true,
  message_can_change_expiration: true,
  message_max_expiration: true,
  message_can_change_expires_after: true,
  message_max_expires_after: true,
  message_default_bcc_myself: true,
  message_can_change_bcc_myself: true,
  message_default_private_message: true,
  message_can_change_private_message: true,
  message_default_authorization: true,
  message_can_change_authorization: true,
  message_limit_recipients: true,
  message_can_send_to_local_users: true,
  message_can_send_to_local_users_only: true,
  message_recipient_domains: true,
  message_recipient_pattern: true,
  message_can_use_html: true,
  filelink_default_expiration: true,
  filelink_can_change_expiration: true,
  filelink_max_expiration: true,
  filelink_default_require_authentication: true,
  filelink_can_change_require_authentication: true,
  filelink_default_download_confirmation: true,
  filelink_can_change_download_confirmation: true,
  file_request_permission: true,
  file_request_multiuse: true,
  file_request_multiuse_can_change: true,
});

export const mePolicy = wire({
  ...shared.shape,
  ...unrenamed({
    message_authorizations: z.array(z.int().min(0).max(4)).describe('The values of `authorization` the group may use.'),
    message_default_expires_after: z.int().min(0).describe('0 = no limit.'),
    message_reminders: z.int().min(0).describe('Most reminders for one person.'),
    filelink_can_set_password: z.boolean(),
    file_request_expiration: z.int().min(0).describe('Days.'),
  }),
}).meta({ id: 'AppPolicy' });

export const me = wire({
  id: named('userId', z.string()),
  email: z.string(),
  name: z.string(),
  role,
  is_local: z.boolean(),
  csrf_token: z
    .string()
    .nullable()
    .describe('Goes into X-CSRF-Token with every call of the session; null for callers with an API key.'),
  group: z.object({ id: z.string(), name: z.string() }),
  policy: mePolicy,
  organisation_name: z.string(),
  product_name: z.string(),
  version: z.string(),
  language: named('locale', z.string().describe('BCP 47 tag of the installation.')),
  time_zone: z.string().describe('IANA name; dates end with their day in this zone.'),
  today: z.iso.date().describe('The date in that zone.'),
  can_send_mail: z.boolean().describe('False while no mail server is set up: messages can be shared as links only.'),
  limits: wire({
    piece_size: named('chunkSizeBytes', z.int().min(1).describe('Recommended bytes of one upload piece.')),
    max_piece_size: named('maxChunkSizeBytes', z.int().min(1)),
    max_recipients: z.int().min(1),
    max_subject_bytes: z.int().min(1),
    max_text_bytes: named('maxBodyBytes', z.int().min(1)),
  }),
  addresses: wire({
    senders: z.array(z.string()).describe('Permitted values of `sender`, the account address first.'),
    default_sender: z.string(),
    recipients: z.array(z.string()).describe('Addresses this person receives at; the account address first.'),
    unconfirmed: named(
      'unprovenAddresses',
      z.array(z.string()).describe('Addresses that open and send nothing until a mailed code proves them.'),
    ),
  }),
  drop_page: named(
    'filedrops',
    wire({
      url: named('random', z.string().describe('Empty when the group has none.')),
      email_url: named('email', z.string().describe('Empty when the group has none.')),
    }),
  ),
  preferences: wire({
    time_zone: z.string().describe('Zone the person chose for times; blank = that of the browser.'),
    theme: z.enum(['system', 'light', 'dark']),
    shortcut_keys: named('hasShortcutKeys', z.boolean()),
  }),
  features: wire({
    messages: z.boolean(),
    links: z.boolean(),
    requests: z.boolean(),
    drop_page: z.boolean(),
    console: z.boolean().describe('Sees the console: an administrator of either kind, or an auditor, who only reads.'),
    administration: z.boolean(),
    system_administration: z.boolean(),
  }),
}).meta({ id: 'Me' });

export const meAnswer = z.object({ me });

/** Of the session that asks; null for a caller with a key. */
export const sessionAnswer = z.object({
  session: wire({
    ends_in: derived(z.int().min(0).describe('Seconds until it ends, if nothing is done.'), ({ ms }: { ms: number }) =>
      Math.floor(ms / 1000),
    ),
    can_stay: z.boolean().describe('Any other call keeps it for longer.'),
  }).nullable(),
});

export type MeBody = z.input<typeof me>;

export const appMeEndpoints = {
  getMe: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/me',
    summary: 'The caller, their group, and what the web app must know',
    sessionProof: 'own_page',
    answer: meAnswer,
  }),
  getSession: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/session',
    summary: 'When the session ends; asking does not keep it awake',
    isPassive: true,
    answer: sessionAnswer,
  }),
} as const;
