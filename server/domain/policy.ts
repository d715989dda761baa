// What a group decides for its people: defaults, maxima and rights, under the names the wire uses for them
// (specification, "Account"; the catalogue of settings for the rest). One validated document per group, so a new
// setting is a line here and no migration. Pure: no I/O.
import { compilePattern } from '../lib/pattern.ts';
import { invalid, type Problem } from './problem.ts';

/** How a value is checked and told. `unit` is for people and documents. */
type Kind =
  | { kind: 'flag'; default: boolean }
  | { kind: 'number'; default: number; min: number; max: number; unit: string }
  | { kind: 'choice'; default: number; choices: readonly number[] }
  | { kind: 'word'; default: string; choices: readonly string[] }
  | { kind: 'text'; default: string; maxLength: number }
  | { kind: 'extensions'; default: string }
  | { kind: 'domains'; default: readonly string[] }
  | { kind: 'custom'; default: unknown };

const flag = (value: boolean) => ({ kind: 'flag', default: value }) as const;
const number = (value: number, min: number, max: number, unit: string) =>
  ({ kind: 'number', default: value, min, max, unit }) as const;
const choice = (value: number, choices: readonly number[]) => ({ kind: 'choice', default: value, choices }) as const;
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
} as const satisfies Record<string, Kind>;

type Catalogue = typeof policyCatalogue;
type ValueOf<Entry> = Entry extends { kind: 'flag' }
  ? boolean
  : Entry extends { kind: 'number' | 'choice' }
    ? number
    : Entry extends { kind: 'word'; choices: readonly (infer Word)[] }
      ? Word
      : Entry extends { kind: 'domains' }
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

/**
 * Lays wire values over a policy. Returns the new policy, or every refusal at once. Unknown names are refused, so that
 * a typing error never silently weakens a rule.
 */
export function changePolicy(
  base: Policy,
  changes: Record<string, unknown>,
  isLocal: boolean,
): { policy: Policy; refusals: Problem[] } {
  const refusals: Problem[] = [];
  const values: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    // Own names only: "constructor" is no setting either.
    const entry = Object.hasOwn(policyCatalogue, key) ? (policyCatalogue as Record<string, Kind>)[key]! : null;
    if (entry === null) {
      refusals.push(invalid('group.unknown_setting', `"${key}" is not a setting of a group.`, key));
      continue;
    }
    const read = readValue(key, entry, value);
    if (read.refusal === null) values[key] = read.value;
    else refusals.push(invalid('group.bad_setting', read.refusal, key));
  }
  const policy = values as Policy;
  if (refusals.length === 0) refusals.push(...contradictions(policy, isLocal));
  return { policy, refusals };
}

type Reading = { value: unknown; refusal: null } | { value: null; refusal: string };
const accept = (value: unknown): Reading => ({ value, refusal: null });
const refuse = (refusal: string): Reading => ({ value: null, refusal });

function readValue(key: string, entry: Kind, value: unknown): Reading {
  switch (entry.kind) {
    case 'flag': {
      if (typeof value === 'boolean') return accept(value);
      if (value === 'true' || value === 'false') return accept(value === 'true');
      return refuse(`${key} must be true or false.`);
    }
    case 'number': {
      const whole = wholeNumber(value);
      if (whole !== null && whole >= entry.min && whole <= entry.max) return accept(whole);
      return refuse(`${key} must be a whole number from ${entry.min} to ${entry.max} (${entry.unit}).`);
    }
    case 'choice': {
      const whole = wholeNumber(value);
      if (whole !== null && entry.choices.includes(whole)) return accept(whole);
      return refuse(`${key} must be one of ${entry.choices.join(', ')}.`);
    }
    case 'word':
      if (typeof value === 'string' && entry.choices.includes(value)) return accept(value);
      return refuse(`${key} must be one of ${entry.choices.join(', ')}.`);
    case 'text':
      if (typeof value === 'string' && value.length <= entry.maxLength && !/[\u0000-\u001f\u007f]/.test(value))
        return accept(value);
      return refuse(`${key} must be one line of at most ${entry.maxLength} characters.`);
    case 'extensions':
      return readExtensions(key, value);
    case 'domains':
      return readDomains(key, value);
    case 'custom':
      if (JSON.stringify(value ?? null).length <= 16_384) return accept(value ?? '');
      return refuse(`${key} must be at most 16 KB.`);
  }
}

function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'string' && /^\d{1,12}$/.test(value)) return Number(value);
  return null;
}

function listOf(value: unknown): string[] | null {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.map((item) => item.trim());
  return null;
}

function readExtensions(key: string, value: unknown): Reading {
  const list = listOf(value)?.map((item) => item.replace(/^\./, '').toLowerCase());
  if (list === undefined || list.length > 500 || list.some((item) => !/^[^\s.,/\\]{1,32}$/.test(item))) {
    return refuse(`${key} must be file extensions separated by commas, such as "exe, bat".`);
  }
  return accept([...new Set(list)].join(','));
}

function readDomains(key: string, value: unknown): Reading {
  const list = listOf(value)?.map((item) => item.replace(/^@/, '').toLowerCase());
  if (
    list === undefined ||
    list.length > 1000 ||
    list.some((item) => !/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(item))
  ) {
    return refuse(`${key} must be a list of domains, such as ["example.com"].`);
  }
  return accept([...new Set(list)]);
}

/** Audience setting → the policy flag that permits it. */
export const audiencePermission = {
  0: 'message_can_use_anyone',
  1: 'message_can_use_anyone_with_auth',
  2: 'message_can_use_specified_recipients_and_local',
  3: 'message_can_use_specified_recipients',
  4: 'message_can_use_specified_recipients_and_domains',
} as const satisfies Record<number, PolicyKey>;

function contradictions(policy: Policy, isLocal: boolean): Problem[] {
  const found: Problem[] = [];
  const against = (field: PolicyKey, sentence: string) => found.push(invalid('group.contradiction', sentence, field));
  if (policy.permitted_extensions !== '' && policy.blocked_extensions !== '') {
    against(
      'permitted_extensions',
      'Only one of permitted_extensions and blocked_extensions can be set; make the other one empty.',
    );
  }
  if (policy.message_default_expiration > policy.message_max_expiration) {
    against('message_default_expiration', 'message_default_expiration must not be longer than message_max_expiration.');
  }
  if (policy.filelink_default_expiration > policy.filelink_max_expiration) {
    against(
      'filelink_default_expiration',
      'filelink_default_expiration must not be longer than filelink_max_expiration.',
    );
  }
  const limit = policy.message_max_expires_after;
  if (limit > 0 && (policy.message_default_expires_after === 0 || policy.message_default_expires_after > limit)) {
    against(
      'message_default_expires_after',
      'message_default_expires_after must be from 1 to message_max_expires_after.',
    );
  }
  const level = policy.message_default_authorization as keyof typeof audiencePermission;
  if (!policy[audiencePermission[level]]) {
    against(
      'message_default_authorization',
      `message_default_authorization is ${level}, but ${audiencePermission[level]} is off.`,
    );
  }
  if (policy.message_default_private_message && policy.message_default_authorization === 0) {
    against('message_default_private_message', 'A private message can not be open to anyone with the link.');
  }
  if (isLocal && policy.message_can_send_to_local_users_only) {
    against(
      'message_can_send_to_local_users_only',
      'message_can_send_to_local_users_only is always false for a group of local users.',
    );
  }
  if (policy.message_recipient_pattern !== '') {
    try {
      compilePattern(policy.message_recipient_pattern);
    } catch (error) {
      against('message_recipient_pattern', `message_recipient_pattern can't be used: ${(error as Error).message}`);
    }
  }
  return found;
}

/** A policy from a document that may be older than some settings: these get their default. */
export function completePolicy(document: Partial<Policy>, isLocal: boolean): Policy {
  return { ...defaultPolicy(isLocal), ...document };
}

/** When the permitted list changes to non-empty the shipped blocked list gives way, and the other way round. */
export function settleExtensions(changes: Record<string, unknown>): Record<string, unknown> {
  const permitted = changes.permitted_extensions;
  const blocked = changes.blocked_extensions;
  if (permitted !== undefined && permitted !== '' && blocked === undefined)
    return { ...changes, blocked_extensions: '' };
  if (blocked !== undefined && blocked !== '' && permitted === undefined)
    return { ...changes, permitted_extensions: '' };
  return changes;
}
