// A default, the right to change it and its maximum share a row.
import { type GroupSetting, groupSettings, type SettingPart, type SettingUnit } from '#contract/group-settings.ts';
import type { TextKey } from '../../texts.ts';

type Label = TextKey<'admin/group-editor'>;
type Settings = typeof groupSettings;
type Key = keyof Settings;
type RowKey = { [Name in Key]: Settings[Name] extends { part: object } ? never : Name }[Key];
type HelpKey = { [Name in Key]: Settings[Name] extends { hasHelp: true } ? `${Name}_help` : never }[Key];
type ChoiceKey = {
  [Name in Exclude<RowKey, 'message_default_authorization'>]: Settings[Name] extends {
    choices: readonly (infer Value extends string | number)[];
  }
    ? `${Name}_${Value}`
    : never;
}[Exclude<RowKey, 'message_default_authorization'>];

type Control = 'flag' | 'number' | 'choice' | 'levels' | 'text' | 'list' | 'names' | 'json';

export interface SettingRow {
  key: string;
  label: Label;
  help?: Label;
  control: Control;
  unit?: Label;
  choices: readonly { value: string | number | boolean; label: Label }[];
  /** Other settings in this row. */
  mayChange?: string;
  most?: string;
  offers: readonly { value: number; key: string }[];
}

export interface SettingSection {
  id: string;
  label: Label;
  rows: readonly SettingRow[];
}

export const roleNames = {
  user: 'roleUser',
  auditor: 'roleAuditor',
  administrator: 'roleAdministrator',
  system_administrator: 'roleSystemAdministrator',
} as const;

const units = {
  days: 'days',
  hours: 'hours',
  MB: 'megabytes',
  downloads: 'times',
  reminders: 'times',
  levels: 'times',
} as const satisfies Record<SettingUnit, Label>;

const entries = Object.entries(groupSettings) as [Key, GroupSetting][];

function rowFor(key: Key, setting: GroupSetting): SettingRow {
  const parts = entries.flatMap(([name, { part }]) => (part?.of === key ? [{ name, is: part.is }] : []));
  const nameOf = (is: SettingPart['is']) => parts.find((part) => part.is === is)?.name;
  const [mayChange, most, help] = [nameOf('mayChange'), nameOf('most'), helpFor(key, setting)];
  return {
    key,
    label: key as RowKey satisfies Label,
    control: controlOf(key, setting),
    choices: setting.kind === 'choice' || setting.kind === 'word' ? choicesOf(key, setting.choices) : [],
    // The narrowest first.
    offers: [3, 4, 2, 1, 0].flatMap((value) =>
      parts.flatMap(({ name, is }) =>
        typeof is === 'object' && is.offers === value ? [{ value, key: name as string }] : [],
      ),
    ),
    ...(setting.kind === 'number' ? { unit: units[setting.unit] } : {}),
    ...(help === undefined ? {} : { help }),
    ...(mayChange === undefined ? {} : { mayChange }),
    ...(most === undefined ? {} : { most }),
  };
}

function helpFor(key: Key, setting: GroupSetting): Label | undefined {
  if (setting.hasHelp === true) return `${key}_help` as HelpKey;
  if (setting.kind !== 'number' || setting.zero === undefined) return undefined;
  return setting.zero === 'never' ? 'zeroNever' : 'zeroNone';
}

function choicesOf(key: Key, values: readonly (string | number)[]): SettingRow['choices'] {
  return values.map((value) => ({ value, label: `${key}_${value}` as ChoiceKey satisfies Label }));
}

function controlOf(key: Key, { kind }: GroupSetting): Control {
  if (key === 'message_default_authorization') return 'levels';
  const controls = { word: 'choice', extensions: 'text', domains: 'list', networks: 'list', custom: 'json' } as const;
  return kind in controls ? controls[kind as keyof typeof controls] : (kind as Control);
}

const base = { choices: [], offers: [] } as const;

/** Properties of a group other than its settings. */
const identity: SettingRow[] = [
  { ...base, key: 'name', label: 'name', control: 'text' },
  {
    ...base,
    key: 'is_local',
    label: 'isLocal',
    control: 'choice',
    choices: [
      { value: true, label: 'local' },
      { value: false, label: 'outside' },
    ],
  },
  {
    ...base,
    key: 'role',
    label: 'role',
    control: 'choice',
    choices: Object.entries(roleNames).map(([value, label]) => ({ value, label })),
  },
  { ...base, key: 'match_domains', label: 'domains', help: 'domainsHelp', control: 'list' },
  { ...base, key: 'match_groups', label: 'matchGroups', help: 'matchGroupsHelp', control: 'names' },
];

const rowsOf = (section: GroupSetting['section']) =>
  entries.flatMap(([key, setting]) => (setting.section === section ? [rowFor(key, setting)] : []));

export const sections: readonly SettingSection[] = [
  { id: 'people', label: 'sectionPeople', rows: [...identity, ...rowsOf('people')] },
  { id: 'files', label: 'sectionFiles', rows: rowsOf('files') },
  { id: 'messages', label: 'sectionMessages', rows: rowsOf('messages') },
  { id: 'links', label: 'sectionLinks', rows: rowsOf('links') },
  { id: 'requests', label: 'sectionRequests', rows: rowsOf('requests') },
  { id: 'drop', label: 'sectionDrop', rows: rowsOf('drop') },
  { id: 'clients', label: 'sectionClients', rows: rowsOf('clients') },
];

export function keysOf({ key, mayChange, most, offers }: SettingRow): string[] {
  return [key, mayChange, most, ...offers.map((offer) => offer.key)].filter((name) => name !== undefined);
}

export function rowOf(key: string): SettingRow | undefined {
  return sections.flatMap(({ rows }) => rows).find((row) => keysOf(row).includes(key));
}

export const levels = rowOf('message_default_authorization')!.offers;

/** Whether a setting does not apply to people of this group. */
export function isMeaningless(key: string, isLocal: boolean): boolean {
  return isLocal && key === 'message_can_send_to_local_users_only';
}
