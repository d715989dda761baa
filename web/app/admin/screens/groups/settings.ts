// The settings of a group as the editor shows them: sections, and rows that join a default, the right to change it and
// its maximum. What a value may be is the server's to say (`listPolicySettings`).
import type { TextKey } from '../../../texts.ts';

type Words = TextKey<'admin/group-editor'>;
type Unit = 'days' | 'hours' | 'megabytes' | 'times';

interface Shared {
  /** Wire name of what the row is about, of the default where there is one. */
  key: string;
  label: Words;
  help?: Words;
}

export type SettingRow = Shared &
  (
    | { is: 'flag' | 'text' | 'list' | 'json' }
    | { is: 'number'; unit: Unit }
    | { is: 'joined-number'; unit: Unit; change: string; most: string }
    | { is: 'joined-flag'; change: string }
    | { is: 'choice'; choices: readonly { value: string | number | boolean; label: Words }[] }
    | { is: 'levels'; change: string }
  );

export interface SettingSection {
  id: string;
  label: Words;
  rows: readonly SettingRow[];
}

export const roleNames = {
  user: 'roleUser',
  auditor: 'roleAuditor',
  administrator: 'roleAdministrator',
  system_administrator: 'roleSystemAdministrator',
} as const;

/** The choices of who can open a message, the narrowest first, with the setting that offers each. */
export const levels = [
  [3, 'message_can_use_specified_recipients'],
  [4, 'message_can_use_specified_recipients_and_domains'],
  [2, 'message_can_use_specified_recipients_and_local'],
  [1, 'message_can_use_anyone_with_auth'],
  [0, 'message_can_use_anyone'],
] as const;

const people: SettingRow[] = [
  { is: 'text', key: 'name', label: 'name' },
  {
    is: 'choice',
    key: 'is_local',
    label: 'isLocal',
    choices: [
      { value: true, label: 'local' },
      { value: false, label: 'outside' },
    ],
  },
  {
    is: 'choice',
    key: 'role',
    label: 'role',
    choices: Object.entries(roleNames).map(([value, label]) => ({ value, label })),
  },
  { is: 'list', key: 'match_domains', label: 'domains', help: 'domainsHelp' },
  { is: 'flag', key: 'can_use_messages', label: 'canUseMessages' },
  { is: 'flag', key: 'can_use_filelinks', label: 'canUseLinks' },
  { is: 'flag', key: 'can_use_file_requests', label: 'canUseRequests' },
  { is: 'flag', key: 'can_invite_users', label: 'canInvite' },
  { is: 'number', key: 'delete_inactive_user', label: 'inactive', unit: 'days', help: 'zeroNever' },
  { is: 'number', key: 'storage_quota', label: 'quota', unit: 'megabytes', help: 'zeroNone' },
  { is: 'number', key: 'api_key_lifetime', label: 'keyLifetime', unit: 'days', help: 'zeroNever' },
  { is: 'number', key: 'session_hours', label: 'sessionHours', unit: 'hours' },
  {
    is: 'choice',
    key: 'require_second_factor',
    label: 'secondFactor',
    choices: [
      { value: 'off', label: 'secondOff' },
      { value: 'offered', label: 'secondOffered' },
      { value: 'required', label: 'secondRequired' },
    ],
  },
  { is: 'list', key: 'allowed_networks', label: 'allowedNetworks', help: 'allowedNetworksHelp' },
  { is: 'flag', key: 'alias_requests', label: 'aliasRequests', help: 'aliasRequestsHelp' },
  { is: 'text', key: 'menubar_title', label: 'menuTitle' },
  { is: 'text', key: 'page_title', label: 'pageTitle' },
];

const messages: SettingRow[] = [
  { is: 'number', key: 'message_max_size', label: 'messageSize', unit: 'megabytes' },
  {
    is: 'joined-number',
    key: 'message_default_expiration',
    change: 'message_can_change_expiration',
    most: 'message_max_expiration',
    label: 'messageExpiry',
    help: 'messageExpiryHelp',
    unit: 'days',
  },
  {
    is: 'joined-number',
    key: 'message_default_expires_after',
    change: 'message_can_change_expires_after',
    most: 'message_max_expires_after',
    label: 'downloads',
    help: 'downloadsHelp',
    unit: 'times',
  },
  { is: 'joined-flag', key: 'message_default_bcc_myself', change: 'message_can_change_bcc_myself', label: 'copy' },
  {
    is: 'joined-flag',
    key: 'message_default_private_message',
    change: 'message_can_change_private_message',
    label: 'private',
  },
  {
    is: 'levels',
    key: 'message_default_authorization',
    change: 'message_can_change_authorization',
    label: 'levels',
    help: 'levelsHelp',
  },
  { is: 'flag', key: 'message_can_use_html', label: 'html' },
  { is: 'flag', key: 'message_limit_recipients', label: 'limitRecipients' },
  { is: 'list', key: 'message_recipient_domains', label: 'recipientDomains' },
  { is: 'text', key: 'message_recipient_pattern', label: 'pattern' },
  { is: 'flag', key: 'message_can_send_to_local_users', label: 'toLocal' },
  { is: 'flag', key: 'message_can_send_to_local_users_only', label: 'localOnly' },
  { is: 'number', key: 'message_reminders', label: 'reminders', unit: 'times' },
];

const links: SettingRow[] = [
  {
    is: 'joined-number',
    key: 'filelink_default_expiration',
    change: 'filelink_can_change_expiration',
    most: 'filelink_max_expiration',
    label: 'linkExpiry',
    unit: 'days',
  },
  {
    is: 'joined-flag',
    key: 'filelink_default_require_authentication',
    change: 'filelink_can_change_require_authentication',
    label: 'linkConfirm',
  },
  {
    is: 'joined-flag',
    key: 'filelink_default_download_confirmation',
    change: 'filelink_can_change_download_confirmation',
    label: 'linkReceipt',
  },
  { is: 'flag', key: 'filelink_can_set_password', label: 'linkPassword' },
];

export const sections: readonly SettingSection[] = [
  { id: 'people', label: 'sectionPeople', rows: people },
  {
    id: 'files',
    label: 'sectionFiles',
    rows: [
      { is: 'text', key: 'permitted_extensions', label: 'onlyTypes', help: 'typesHelp' },
      { is: 'text', key: 'blocked_extensions', label: 'notTypes' },
    ],
  },
  { id: 'messages', label: 'sectionMessages', rows: messages },
  { id: 'links', label: 'sectionLinks', rows: links },
  {
    id: 'requests',
    label: 'sectionRequests',
    rows: [
      {
        is: 'choice',
        key: 'file_request_permission',
        label: 'answers',
        choices: [
          { value: 3, label: 'answersAsker' },
          { value: 2, label: 'answersLocal' },
        ],
      },
      {
        is: 'joined-flag',
        key: 'file_request_multiuse',
        change: 'file_request_multiuse_can_change',
        label: 'multiuse',
      },
      { is: 'number', key: 'file_request_expiration', label: 'requestExpiry', unit: 'days' },
    ],
  },
  {
    id: 'drop',
    label: 'sectionDrop',
    rows: [
      { is: 'flag', key: 'filedrop_random', label: 'dropRandom' },
      { is: 'flag', key: 'filedrop_email', label: 'dropEmail' },
      { is: 'flag', key: 'filedrop_confirm_sender', label: 'dropConfirm' },
      { is: 'number', key: 'filedrop_max_size', label: 'dropSize', unit: 'megabytes' },
    ],
  },
  {
    id: 'clients',
    label: 'sectionClients',
    rows: [
      { is: 'number', key: 'client_size_override', label: 'clientSize', unit: 'megabytes' },
      { is: 'flag', key: 'client_can_override_size_limit', label: 'clientOverride' },
      { is: 'flag', key: 'client_can_send_folders', label: 'clientFolders' },
      { is: 'json', key: 'client_custom_settings', label: 'clientCustom' },
    ],
  },
];

/** Every setting a row shows, by its wire name. */
export function keysOf(row: SettingRow): string[] {
  if (row.is === 'joined-number') return [row.key, row.change, row.most];
  if (row.is === 'joined-flag') return [row.key, row.change];
  if (row.is === 'levels') return [row.key, row.change, ...levels.map(([, key]) => key)];
  return [row.key];
}

export function rowOf(key: string): SettingRow | undefined {
  return sections.flatMap(({ rows }) => rows).find((row) => keysOf(row).includes(key));
}
