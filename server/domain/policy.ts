// What a group decides for its people: defaults, maxima and rights, under the names the wire uses for them
// (specification, "Account"; the catalogue of settings for the rest). One validated document per group, so a new
// setting is a line here and no migration. Pure: no I/O.

/** How a value is checked and told. `unit` is for people and documents. */
export type SettingKind =
  | { kind: 'flag'; default: boolean }
  | { kind: 'number'; default: number; min: number; max: number; unit: string }
  | { kind: 'choice'; default: number; choices: readonly number[] }
  | { kind: 'word'; default: string; choices: readonly string[] }
  | { kind: 'text'; default: string; maxLength: number }
  | { kind: 'extensions'; default: string }
  | { kind: 'domains' | 'networks'; default: readonly string[] }
  | { kind: 'custom'; default: unknown };

const flag = (value: boolean) => ({ kind: 'flag', default: value }) as const;
const number = (value: number, min: number, max: number, unit: string) =>
  ({ kind: 'number', default: value, min, max, unit }) as const;
const choice = <const Value extends number>(value: Value, choices: readonly Value[]) =>
  ({ kind: 'choice', default: value, choices }) as const;
const word = <const Word extends string>(value: Word, choices: readonly Word[]) =>
  ({ kind: 'word', default: value, choices }) as const;
const text = (value: string, maxLength: number) => ({ kind: 'text', default: value, maxLength }) as const;

/** Hard ceiling of any expiry, in days (the reference product has the same). */
const maxDays = 3650;

/** The catalogue. Order is the order of the groups screen. 0 means "never" or "no limit" where the unit says so. */
export const policyCatalogue = {
  can_use_messages: flag(true),
  can_use_filelinks: flag(true),
  can_use_file_requests: flag(true),
  can_invite_users: flag(false),
  delete_inactive_user: number(0, 0, maxDays, 'days, 0 = never'),
  storage_quota: number(0, 0, 1_000_000_000, 'MB, 0 = none'),
  api_key_lifetime: number(365, 0, maxDays, 'days, 0 = never'),
  session_hours: number(24, 1, 24 * 90, 'hours'),
  require_second_factor: word('offered', ['off', 'offered', 'required']),
  allowed_networks: { kind: 'networks', default: [] as readonly string[] } as const,
  alias_requests: flag(false),
  menubar_title: text('', 100),
  page_title: text('', 100),
  permitted_extensions: { kind: 'extensions', default: '' } as const,
  blocked_extensions: { kind: 'extensions', default: 'exe,bat,cmd,com,scr,msi,vbs,js,ps1' } as const,
  message_max_size: number(5120, 1, 1_000_000_000, 'MB'),
  message_default_expiration: number(30, 1, maxDays, 'days'),
  message_can_change_expiration: flag(true),
  message_max_expiration: number(180, 1, maxDays, 'days'),
  message_default_expires_after: number(0, 0, 1_000_000, 'downloads, 0 = no limit'),
  message_can_change_expires_after: flag(true),
  message_max_expires_after: number(0, 0, 1_000_000, 'downloads, 0 = no limit'),
  message_default_bcc_myself: flag(true),
  message_can_change_bcc_myself: flag(true),
  message_default_private_message: flag(false),
  message_can_change_private_message: flag(true),
  message_default_authorization: choice(3, [0, 1, 2, 3, 4]),
  message_can_change_authorization: flag(true),
  message_can_use_specified_recipients: flag(true),
  message_can_use_specified_recipients_and_domains: flag(true),
  message_can_use_specified_recipients_and_local: flag(true),
  message_can_use_anyone_with_auth: flag(true),
  message_can_use_anyone: flag(false),
  message_can_use_html: flag(false),
  message_limit_recipients: flag(false),
  message_recipient_domains: { kind: 'domains', default: [] as readonly string[] } as const,
  message_recipient_pattern: text('', 512),
  message_can_send_to_local_users: flag(true),
  message_can_send_to_local_users_only: flag(false),
  message_reminders: number(3, 0, 20, 'reminders'),
  filelink_default_expiration: number(14, 1, maxDays, 'days'),
  filelink_can_change_expiration: flag(true),
  filelink_max_expiration: number(180, 1, maxDays, 'days'),
  filelink_default_require_authentication: flag(false),
  filelink_can_change_require_authentication: flag(true),
  filelink_default_download_confirmation: flag(true),
  filelink_can_change_download_confirmation: flag(true),
  filelink_can_set_password: flag(true),
  file_request_permission: choice(3, [2, 3]),
  file_request_multiuse: flag(false),
  file_request_multiuse_can_change: flag(true),
  file_request_expiration: number(14, 1, maxDays, 'days'),
  filedrop_random: flag(true),
  filedrop_email: flag(false),
  filedrop_confirm_sender: flag(true),
  filedrop_max_size: number(5120, 1, 1_000_000_000, 'MB'),
  client_size_override: number(10, 0, 1_000_000, 'MB'),
  client_can_override_size_limit: flag(true),
  client_can_send_folders: flag(true),
  client_custom_settings: { kind: 'custom', default: '' as unknown } as const,
} as const satisfies Record<string, SettingKind>;

type Catalogue = typeof policyCatalogue;
type ValueOf<Entry> = Entry extends { kind: 'flag' }
  ? boolean
  : Entry extends { kind: 'number' }
    ? number
    : Entry extends { kind: 'choice' | 'word'; choices: readonly (infer Choice)[] }
      ? Choice
      : Entry extends { kind: 'domains' | 'networks' }
        ? readonly string[]
        : Entry extends { kind: 'custom' }
          ? unknown
          : string;

export type PolicyKey = keyof Catalogue;
export type Policy = { readonly [Key in PolicyKey]: ValueOf<Catalogue[Key]> };

/** The shipped defaults: for a local group, or for a group of outside people. */
export function defaultPolicy(isLocal: boolean): Policy {
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(policyCatalogue)) values[key] = entry.default;
  if (!isLocal) {
    Object.assign(values, {
      can_use_filelinks: false,
      can_use_file_requests: false,
      filedrop_random: false,
      message_limit_recipients: true,
      message_can_send_to_local_users_only: true,
    });
  }
  return values as Policy;
}

/** A policy from a stored document: settings that are newer than it get their default, those that went are left out. */
export function completePolicy(document: Partial<Policy>, isLocal: boolean): Policy {
  const values: Record<string, unknown> = { ...defaultPolicy(isLocal) };
  for (const key of Object.keys(values) as PolicyKey[]) {
    if (document[key] !== undefined) values[key] = document[key];
  }
  // "Always false for Local Users."
  if (isLocal) values.message_can_send_to_local_users_only = false;
  return values as Policy;
}

/** Who may open a message: the flag that permits each level. */
export const audiencePermission = {
  0: 'message_can_use_anyone',
  1: 'message_can_use_anyone_with_auth',
  2: 'message_can_use_specified_recipients_and_local',
  3: 'message_can_use_specified_recipients',
  4: 'message_can_use_specified_recipients_and_domains',
} as const satisfies Record<number, PolicyKey>;

export type AudienceLevel = keyof typeof audiencePermission;

/** The levels a group may use. A text that always stays out of the e-mail can't be open to anyone with the link. */
export function permittedLevels(policy: Policy): AudienceLevel[] {
  const isAlwaysPrivate = policy.message_default_private_message && !policy.message_can_change_private_message;
  return ([0, 1, 2, 3, 4] as const).filter(
    (level) => policy[audiencePermission[level]] && !(level === 0 && isAlwaysPrivate),
  );
}
