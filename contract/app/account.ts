// The caller's own settings: profile, addresses, notices, and what their group permits.
import { z } from 'zod';
import { derived, named, unrenamed, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { instantMs, listOfCommas, nullIfBlank, optional, optionalOr, zeroIfNull } from '../wire.ts';

export const profile = wire({
  user_id: named('id', z.string()),
  email: z.string(),
  name: z.string(),
  group: named('groupName', z.string()),
  language: nullIfBlank.describe('Language tag such as `en`; blank = what the browser asks for.'),
  time_zone: z.string().describe('Such as `Europe/Stockholm`; blank = that of the browser.'),
  theme: z.enum(['system', 'light', 'dark']),
  shortcut_keys: named('hasShortcutKeys', z.boolean()),
  languages: z.array(z.string()).describe('Language tags to choose from.'),
  created_at: instantMs,
}).meta({ id: 'AppProfile' });
export const profileAnswer = z.object({ profile });
export const changeProfile = wire({
  name: optional(z.string().max(400)),
  language: optional(z.string().max(35)),
  time_zone: optional(z.string().max(64)),
  theme: optional(profile.def.in.shape.theme),
  shortcut_keys: named('hasShortcutKeys', optional(z.boolean())),
});

export const aliases = wire({
  email: z.string(),
  sender_aliases: z.array(z.string()).describe('Addresses the caller may send as, besides their own; confirmed ones.'),
  recipient_aliases: z.array(z.string()).describe('Further addresses whose messages come to the caller.'),
  default_sender_alias: z
    .string()
    .describe("Preselected sender: one of the sender aliases, or the caller's own address."),
  unconfirmed: z
    .array(z.string())
    .describe('Addresses the caller was given that open and send nothing until a mailed code proves them.'),
  may_ask: z.boolean().describe('Whether the group lets the caller ask for further addresses.'),
}).meta({ id: 'AppAliases' });
export const aliasesAnswer = z.object({ aliases });
export const changeAliases = wire({ default_sender_alias: z.string().max(320) });
export const askForAlias = z.object({
  address: z.string().max(320),
  reason: optionalOr(z.string().max(2000), '').describe('For the administrators.'),
});
export const askAddressCode = z.object({ address: z.string().max(320) });
export const confirmAddress = z.object({ address: z.string().max(320), code: z.string().max(50) });

export const notices = wire({
  receipts: z.enum(['at_once', 'hourly', 'daily', 'off']).describe('Mails about downloads.'),
  reminders: named(
    'hasReminders',
    z.boolean().describe('Mails before something ends that not all recipients have fetched.'),
  ),
  requests: named('hasRequestNotices', z.boolean().describe('Mails when files come by a request or the drop page.')),
}).meta({ id: 'AppNotices' });
export const noticesAnswer = z.object({ notices });
export const changeNotices = wire({
  receipts: optional(notices.def.in.shape.receipts),
  reminders: named('hasReminders', optional(z.boolean())),
  requests: named('hasRequestNotices', optional(z.boolean())),
});

const days = z.int().min(0);
const list = z.array(z.string());

// The domain name of a rule is the setting of the group.
const recipientRules = wire({
  is_limited: named('message_limit_recipients', z.boolean()),
  domains: named('message_recipient_domains', list),
  pattern: named('message_recipient_pattern', z.string()),
  can_send_to_local_users: named('message_can_send_to_local_users', z.boolean()),
  local_users_only: named('message_can_send_to_local_users_only', z.boolean()),
});
export const rules = wire({
  group: named('groupName', z.string()),
  is_local: z.boolean(),
  account: wire({
    deleted_after_inactive_days: named('delete_inactive_user', zeroIfNull(days)),
    storage_quota_mb: named('storage_quota', zeroIfNull(z.int())).describe('null = no limit.'),
    stored_bytes: z.int().min(0),
    api_key_lifetime_days: named('api_key_lifetime', zeroIfNull(days)),
    session_hours: named('session_hours', z.int()),
    second_factor: named('require_second_factor', z.enum(['off', 'offered', 'required'])),
    can_invite_users: named('can_invite_users', z.boolean()),
  }),
  files: wire(
    unrenamed({
      permitted_extensions: listOfCommas.describe('Empty = all but the blocked ones.'),
      blocked_extensions: listOfCommas,
    }),
  ),
  messages: wire({
    can_use: named('can_use_messages', z.boolean()),
    max_size_mb: named('message_max_size', z.int()),
    default_days: named('message_default_expiration', days),
    max_days: named('message_max_expiration', days),
    can_change_days: named('message_can_change_expiration', z.boolean()),
    default_downloads: named('message_default_expires_after', zeroIfNull(z.int())).describe('null = no limit.'),
    max_downloads: named('message_max_expires_after', zeroIfNull(z.int())),
    can_change_downloads: named('message_can_change_expires_after', z.boolean()),
    default_private: named('message_default_private_message', z.boolean()),
    can_change_private: named('message_can_change_private_message', z.boolean()),
    default_authorization: named('message_default_authorization', z.int().min(0).max(4)),
    authorizations: z.array(z.int().min(0).max(4)).describe('The ones the caller may choose.'),
    can_use_html: named('message_can_use_html', z.boolean()),
    recipients: derived(recipientRules, (policy: z.output<typeof recipientRules>) => policy),
    reminders: named('message_reminders', z.int().min(0)),
  }),
  links: wire({
    can_use: named('can_use_filelinks', z.boolean()),
    default_days: named('filelink_default_expiration', days),
    max_days: named('filelink_max_expiration', days),
    can_change_days: named('filelink_can_change_expiration', z.boolean()),
    default_require_authentication: named('filelink_default_require_authentication', z.boolean()),
    can_change_require_authentication: named('filelink_can_change_require_authentication', z.boolean()),
    default_download_confirmation: named('filelink_default_download_confirmation', z.boolean()),
    can_change_download_confirmation: named('filelink_can_change_download_confirmation', z.boolean()),
    can_set_password: named('filelink_can_set_password', z.boolean()),
  }),
  requests: wire({
    can_use: named('can_use_file_requests', z.boolean()),
    default_days: named('file_request_expiration', days),
    default_multiuse: named('file_request_multiuse', z.boolean()),
    can_change_multiuse: named('file_request_multiuse_can_change', z.boolean()),
    permission: named('file_request_permission', z.literal([2, 3])),
  }),
  drop: wire({
    has_random: named('filedrop_random', z.boolean()),
    has_email: named('filedrop_email', z.boolean()),
    confirm_sender: named('filedrop_confirm_sender', z.boolean()),
    max_size_mb: named('filedrop_max_size', z.int()),
  }),
}).meta({ id: 'AppRules' });
export const rulesAnswer = z.object({ rules });

export type ProfileBody = z.input<typeof profile>;
export type AliasesBody = z.input<typeof aliases>;
export type NoticesBody = z.input<typeof notices>;
export type RulesBody = z.input<typeof rules>;

export const appAccountEndpoints = {
  getProfile: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/profile',
    summary: 'Name, language, time zone, theme',
    answer: profileAnswer,
  }),
  changeProfile: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/account/profile',
    summary: 'Change some of them',
    body: changeProfile,
    answer: profileAnswer,
  }),
  getAliases: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/aliases',
    summary: "The caller's addresses",
    answer: aliasesAnswer,
  }),
  changeAliases: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/account/aliases',
    summary: 'Choose the address new messages are sent from',
    body: changeAliases,
    answer: aliasesAnswer,
  }),
  askForAlias: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/alias_requests',
    summary: 'Ask the administrators for a further address; they are notified by e-mail',
    body: askForAlias,
    answer: 'empty',
  }),
  askAddressCode: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/addresses/code',
    summary: "Mail a code to one of the caller's addresses that is not confirmed yet",
    body: askAddressCode,
    answer: 'empty',
  }),
  confirmAddress: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/addresses/confirm',
    summary: 'Confirm it with the code',
    body: confirmAddress,
    answer: aliasesAnswer,
  }),
  getNotices: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/notices',
    summary: 'Which mails the caller gets',
    answer: noticesAnswer,
  }),
  changeNotices: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/account/notices',
    summary: 'Change some of them',
    body: changeNotices,
    answer: noticesAnswer,
  }),
  getRules: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/rules',
    summary: 'What the group of the caller permits',
    answer: rulesAnswer,
  }),
} as const;
