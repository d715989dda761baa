// The account answer: every field of the specification, none of the removed ones, in its order.
import { z } from 'zod';
import { derived, named, unrenamed, wire } from './codec.ts';
import { calledByExistingClients, define } from './endpoint.ts';
import { commaList, id, instant } from './wire.ts';

const days = z.int().min(0);

/** The version of the API. The version of the program is not shown, because it would help an attacker. */
const apiVersion = { text: '3.7', number: 30_700 };

interface Titles {
  organisationName: string;
  menubar_title: string;
  page_title: string;
}

/** Empty on the wire where a key does not expire. */
const keyExpiry = z.codec(z.union([instant, z.literal('')]), z.number().nullable(), {
  decode: (text) => (text === '' ? null : Date.parse(text)),
  encode: (at) => (at === null ? '' : new Date(at).toISOString()),
});

/** The domain value: who calls, with the settings of their group by their names. */
export const account = wire({
  ...unrenamed({
    delete_inactive_user: days.describe('Deleted after this many inactive days; 0 = never.'),
  }),
  user_id: z.string().describe('Id of the user.'),
  email: z.string().describe('E-mail address, which is also the user name.'),
  name: z.string().describe('Full name.'),
  group: named('groupName', z.string().describe('Name of the group.')),
  group_id: z.string().describe('Id of the group.'),
  is_local: z.boolean().describe('Whether this is a member of the organisation.'),
  ...unrenamed({
    can_use_messages: z.boolean(),
    can_use_filelinks: z.boolean(),
    can_use_file_requests: z.boolean(),
    can_invite_users: z.boolean(),
    permitted_extensions: z.string(),
    blocked_extensions: z.string(),
  }),
  recipient_aliases: commaList.describe('Further addresses at which this person receives, with commas.'),
  sender_aliases: commaList.describe('Further addresses from which this person may send, with commas.'),
  default_sender_alias: z.string().describe('The one used unless a message names another.'),
  menubar_title: derived(
    z.string().describe('Title of the service in the menu of a client.'),
    ({ menubar_title, organisationName }: Titles) => menubar_title || organisationName,
  ),
  page_title: derived(
    z.string().describe('Title of the service in the window of a client.'),
    ({ page_title, organisationName }: Titles) => page_title || organisationName,
  ),
  api_key_expires_at: keyExpiry.describe('Empty when the key does not expire.'),
  version: derived(z.string().describe('Version of this API.'), () => apiVersion.text),
  version_numeric: derived(z.int().describe('The same as a number that can be compared.'), () => apiVersion.number),
  ...unrenamed({
    message_max_size: z.int().describe('Mb per message.'),
    message_default_expiration: days,
    message_can_change_expiration: z.boolean(),
    message_max_expiration: days,
    message_can_change_expires_after: z.boolean(),
    message_max_expires_after: z.int().min(0).describe('0 = no limit.'),
    message_default_bcc_myself: z.boolean(),
    message_can_change_bcc_myself: z.boolean(),
    message_default_private_message: z.boolean(),
    message_can_change_private_message: z.boolean(),
    message_default_authorization: z.int().min(0).max(4),
    message_can_change_authorization: z.boolean(),
    message_limit_recipients: z.boolean(),
    message_can_send_to_local_users: z.boolean(),
    message_can_send_to_local_users_only: z.boolean(),
    message_recipient_domains: z.array(z.string()),
    message_recipient_pattern: z.string(),
    message_can_use_specified_recipients: z.boolean(),
    message_can_use_specified_recipients_and_domains: z.boolean(),
    message_can_use_specified_recipients_and_local: z.boolean(),
    message_can_use_anyone_with_auth: z.boolean(),
    message_can_use_anyone: z.boolean(),
    message_can_use_html: z.boolean(),
  }),
  filedrop_url: z.string().describe('Address of this person’s drop page; empty without one.'),
  filedrop_email_url: z
    .string()
    .describe('The same with the e-mail address in place of the random name; empty where it is off.'),
  ...unrenamed({
    filelink_default_expiration: days,
    filelink_can_change_expiration: z.boolean(),
    filelink_max_expiration: days,
    filelink_default_require_authentication: z.boolean(),
    filelink_can_change_require_authentication: z.boolean(),
    filelink_default_download_confirmation: z.boolean(),
    filelink_can_change_download_confirmation: z.boolean(),
    file_request_permission: z.literal([2, 3]),
    file_request_multiuse: z.boolean(),
    file_request_multiuse_can_change: z.boolean(),
    client_size_override: z.int().min(0),
    client_can_override_size_limit: z.boolean(),
    client_can_send_folders: z.boolean(),
    client_custom_settings: z.unknown(),
  }),
  client_encryption_key: named(
    'clientKey',
    z.string().describe('A key with which a client can encrypt what it keeps.'),
  ),
}).meta({ id: 'Account' });

export const accountAnswer = z.object({ user: account });

export const apiKeyQuery = z.object({
  email: z.string().max(320).optional().describe("The user's e-mail address or user name, as used to sign in."),
});
export const apiKeyAnswer = z.object({
  user: wire({ api_key: z.union([id, z.string().length(44)]).describe('The key.') }),
});

export const login = z.object({
  user: z.object({
    email: z.string().max(320).describe('E-mail address or user name.'),
    password: z.string().max(1024).describe('The password.'),
  }),
});

export type AccountBody = z.input<typeof account>;

export const accountEndpoints = {
  getAccount: define({
    method: 'GET',
    path: '/account',
    tag: 'Account',
    summary: "The caller's account and group settings",
    auth: 'key',
    answer: accountAnswer,
  }),
  getAccountByPost: define({
    method: 'POST',
    path: '/account',
    tag: 'Account',
    summary: 'The same, for an old client that posts',
    auth: 'key',
    answer: accountAnswer,
    origin: 'compatibility',
    toleratesUnknownFields: calledByExistingClients,
  }),
  getApiKey: define({
    method: 'GET',
    path: '/account/api_key',
    tag: 'Account',
    summary: "Read a user's API key (administrators)",
    auth: 'key',
    right: 'people.manage',
    query: apiKeyQuery,
    answer: apiKeyAnswer,
  }),
  login: define({
    isOpenInMaintenance: true,
    method: 'POST',
    path: '/login',
    tag: 'Account',
    summary: 'The API key for an address and a password',
    auth: 'none',
    body: login,
    answer: apiKeyAnswer,
    origin: 'compatibility',
    toleratesUnknownFields: calledByExistingClients,
  }),
} as const;
