// The caller's own settings: profile, addresses, notices, and what their group permits.
import { z } from 'zod';
import { appCall, define } from '../endpoint.ts';
import { instant, optional } from '../wire.ts';

export const profile = z
  .object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    group: z.string(),
    language: z.string().describe('Language tag such as `en`; blank = what the browser asks for.'),
    time_zone: z.string().describe('Such as `Europe/Stockholm`; blank = that of the browser.'),
    theme: z.enum(['system', 'light', 'dark']),
    shortcut_keys: z.boolean(),
    languages: z.array(z.string()).describe('Language tags to choose from.'),
    created_at: instant,
  })
  .meta({ id: 'AppProfile' });
export const profileAnswer = z.object({ profile });
export const changeProfile = z.object({
  name: optional(z.string().max(400)),
  language: optional(z.string().max(35)),
  time_zone: optional(z.string().max(64)),
  theme: optional(profile.shape.theme),
  shortcut_keys: optional(z.boolean()),
});

export const aliases = z
  .object({
    email: z.string(),
    sender_aliases: z
      .array(z.string())
      .describe('Addresses the caller may send as, besides their own; confirmed ones.'),
    recipient_aliases: z.array(z.string()).describe('Further addresses whose messages come to the caller.'),
    default_sender_alias: z
      .string()
      .describe("Preselected sender: one of the sender aliases, or the caller's own address."),
    unconfirmed: z
      .array(z.string())
      .describe('Addresses the caller was given that open and send nothing until a mailed code proves them.'),
    may_ask: z.boolean().describe('Whether the group lets the caller ask for further addresses.'),
  })
  .meta({ id: 'AppAliases' });
export const aliasesAnswer = z.object({ aliases });
export const changeAliases = z.object({ default_sender_alias: z.string().max(320) });
export const askForAlias = z.object({
  address: z.string().max(320),
  reason: optional(z.string().max(2000)).describe('For the administrators.'),
});
export const askAddressCode = z.object({ address: z.string().max(320) });
export const confirmAddress = z.object({ address: z.string().max(320), code: z.string().max(50) });

export const notices = z
  .object({
    receipts: z.enum(['at_once', 'hourly', 'daily', 'off']).describe('Mails about downloads.'),
    reminders: z.boolean().describe('Mails before something ends that not everybody has fetched.'),
    requests: z.boolean().describe('Mails when files come by a request or the drop page.'),
  })
  .meta({ id: 'AppNotices' });
export const noticesAnswer = z.object({ notices });
export const changeNotices = z.object({
  receipts: optional(notices.shape.receipts),
  reminders: optional(z.boolean()),
  requests: optional(z.boolean()),
});

const days = z.int().min(0);
export const rules = z
  .object({
    group: z.string(),
    is_local: z.boolean(),
    account: z.object({
      deleted_after_inactive_days: days.nullable(),
      storage_quota_mb: z.int().nullable().describe('null = no limit.'),
      stored_bytes: z.int().min(0),
      api_key_lifetime_days: days.nullable(),
      session_hours: z.int(),
      second_factor: z.enum(['off', 'offered', 'required']),
      can_invite_users: z.boolean(),
    }),
    files: z.object({
      permitted_extensions: z.array(z.string()).describe('Empty = all but the blocked ones.'),
      blocked_extensions: z.array(z.string()),
    }),
    messages: z.object({
      can_use: z.boolean(),
      max_size_mb: z.int(),
      default_days: days,
      max_days: days,
      can_change_days: z.boolean(),
      default_downloads: z.int().nullable().describe('null = no limit.'),
      max_downloads: z.int().nullable(),
      can_change_downloads: z.boolean(),
      default_private: z.boolean(),
      can_change_private: z.boolean(),
      default_authorization: z.int().min(0).max(4),
      authorizations: z.array(z.int().min(0).max(4)).describe('The ones the caller may choose.'),
      can_use_html: z.boolean(),
      recipients: z.object({
        is_limited: z.boolean(),
        domains: z.array(z.string()),
        pattern: z.string(),
        can_send_to_local_users: z.boolean(),
        local_users_only: z.boolean(),
      }),
      reminders: z.int().min(0),
    }),
    links: z.object({
      can_use: z.boolean(),
      default_days: days,
      max_days: days,
      can_change_days: z.boolean(),
      default_require_authentication: z.boolean(),
      can_change_require_authentication: z.boolean(),
      default_download_confirmation: z.boolean(),
      can_change_download_confirmation: z.boolean(),
      can_set_password: z.boolean(),
    }),
    requests: z.object({
      can_use: z.boolean(),
      default_days: days,
      default_multiuse: z.boolean(),
      can_change_multiuse: z.boolean(),
      permission: z.literal([2, 3]),
    }),
    drop: z.object({
      has_random: z.boolean(),
      has_email: z.boolean(),
      confirm_sender: z.boolean(),
      max_size_mb: z.int(),
    }),
  })
  .meta({ id: 'AppRules' });
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
    summary: 'Ask the administrators for a further address; they are told by e-mail',
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
