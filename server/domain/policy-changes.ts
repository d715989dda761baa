import { type GroupSetting, groupSettings, unitOf } from '#contract/group-settings.ts';
import { compilePattern } from '../lib/pattern.ts';
import { maxNetworks, readNetworks } from './networks.ts';
import { audiencePermission, type Policy, type PolicyKey } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

/** Unknown names are refused, so that a typing error never silently weakens a rule. */
export function changePolicy(
  base: Policy,
  changes: Record<string, unknown>,
  isLocal: boolean,
): { policy: Policy; refusals: Problem[] } {
  const refusals: Problem[] = [];
  const values: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    // Own properties only: "constructor" is no setting.
    const entry = Object.hasOwn(groupSettings, key) ? (groupSettings as Record<string, GroupSetting>)[key]! : null;
    if (entry === null) {
      refusals.push(invalid('group.unknown_setting', `"${key}" is not a setting of a group.`, key));
      continue;
    }
    const read = readValue(key, entry, value);
    if (read.refusal === null) values[key] = read.value;
    else refusals.push(invalid('group.bad_setting', read.refusal, key));
  }
  const policy = withDefaultFollowing(values as Policy, changes);
  if (refusals.length === 0) refusals.push(...contradictions(policy, isLocal));
  return { policy, refusals };
}

/** A maximum set alone lowers the default below it. */
function withDefaultFollowing(policy: Policy, changes: Record<string, unknown>): Policy {
  const isAlone =
    Object.hasOwn(changes, 'message_max_expires_after') && !Object.hasOwn(changes, 'message_default_expires_after');
  const { message_max_expires_after: most, message_default_expires_after: downloads } = policy;
  // 0 is no limit, for both.
  if (!isAlone || most === 0) return policy;
  return { ...policy, message_default_expires_after: downloads === 0 ? most : Math.min(downloads, most) };
}

type Reading = { value: unknown; refusal: null } | { value: null; refusal: string };
const accept = (value: unknown): Reading => ({ value, refusal: null });
const refuse = (refusal: string): Reading => ({ value: null, refusal });

function readValue(key: string, entry: GroupSetting, value: unknown): Reading {
  switch (entry.kind) {
    case 'flag': {
      if (typeof value === 'boolean') return accept(value);
      if (value === 'true' || value === 'false') return accept(value === 'true');
      return refuse(`${key} must be true or false.`);
    }
    case 'number': {
      const whole = wholeNumber(value);
      if (whole !== null && whole >= entry.min && whole <= entry.max) return accept(whole);
      return refuse(`${key} must be a whole number from ${entry.min} to ${entry.max} (${unitOf(entry)}).`);
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
    case 'networks':
      return readNetworkList(key, value);
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

export function readExtensions(key: string, value: unknown): Reading {
  const list = listOf(value)?.map((item) => item.replace(/^\./, '').toLowerCase());
  if (list === undefined || list.length > 500 || list.some((item) => !/^[^\s.,/\\]{1,32}$/.test(item))) {
    return refuse(`${key} must be file extensions separated by commas, such as "exe, bat".`);
  }
  return accept([...new Set(list)].join(','));
}

/** A list, or text with commas. */
export function readDomains(key: string, value: unknown): Reading {
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

function readNetworkList(key: string, value: unknown): Reading {
  const { networks, wrong } = readNetworks(listOf(value) ?? [' ?']);
  if (wrong !== null || networks.length > maxNetworks)
    return refuse(`${key} must be at most ${maxNetworks} addresses or networks, such as ["10.1.0.0/16"].`);
  return accept(networks);
}

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
  const level = policy.message_default_authorization;
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
      against('message_recipient_pattern', `message_recipient_pattern can’t be used: ${(error as Error).message}`);
    }
  }
  return found;
}

/** Setting one list replaces the shipped value of the other. */
export function resolveExtensions(changes: Record<string, unknown>): Record<string, unknown> {
  const { permitted_extensions: permitted, blocked_extensions: blocked } = changes;
  // Clearing the blocked extensions does not permit all of them.
  const isEmpty = (value: unknown) => listOf(value)?.length === 0;
  if (permitted !== undefined && !isEmpty(permitted) && blocked === undefined)
    return { ...changes, blocked_extensions: '' };
  if (blocked !== undefined && !isEmpty(blocked) && permitted === undefined)
    return { ...changes, permitted_extensions: '' };
  return changes;
}
