// One document per group, so that a new setting needs no migration.
import { type GroupSetting, groupSettings } from '#contract/group-settings.ts';

type Catalogue = typeof groupSettings;
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

export function listGroupSettings(): [PolicyKey, GroupSetting][] {
  return Object.entries(groupSettings) as [PolicyKey, GroupSetting][];
}

export function defaultPolicy(isLocal: boolean): Policy {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of listGroupSettings())
    values[key] = isLocal || setting.outside === undefined ? setting.default : setting.outside;
  return values as Policy;
}

/** Adds newer settings and drops removed ones. */
export function completePolicy(document: Partial<Policy>, isLocal: boolean): Policy {
  const values: Record<string, unknown> = { ...defaultPolicy(isLocal) };
  for (const key of Object.keys(values) as PolicyKey[]) {
    if (document[key] !== undefined) values[key] = document[key];
  }
  // "Always false for Local Users."
  if (isLocal) values.message_can_send_to_local_users_only = false;
  return values as Policy;
}

/** The setting that permits each level. */
export const audiencePermission = {
  0: 'message_can_use_anyone',
  1: 'message_can_use_anyone_with_auth',
  2: 'message_can_use_specified_recipients_and_local',
  3: 'message_can_use_specified_recipients',
  4: 'message_can_use_specified_recipients_and_domains',
} as const satisfies Record<number, PolicyKey>;

export type AudienceLevel = keyof typeof audiencePermission;

/** Private text can never be open to anyone with the link. */
export function permittedLevels(policy: Policy): AudienceLevel[] {
  const isAlwaysPrivate = policy.message_default_private_message && !policy.message_can_change_private_message;
  return ([0, 1, 2, 3, 4] as const).filter(
    (level) => policy[audiencePermission[level]] && !(level === 0 && isAlwaysPrivate),
  );
}
