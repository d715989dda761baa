// The settings of a group: one entry each, with kind, default, place in the editor and meaning. The policy, the editor, the
// comparison, the API and the documentation read this catalogue.

export type SettingSection = 'people' | 'files' | 'messages' | 'links' | 'requests' | 'drop' | 'clients';
type Zero = 'never' | 'no limit';
export type SettingUnit = 'days' | 'hours' | 'MB' | 'downloads' | 'reminders' | 'levels';

/** A setting that is shown in the row of another one: the right to change it, its maximum, or a choice it offers. */
export interface SettingPart {
  of: string;
  is: 'mayChange' | 'most' | { offers: number };
}

interface Details {
  /** In English, for documentation and programs. */
  meaning: string;
  section?: SettingSection;
  part?: SettingPart;
  /** Default in groups of outside people, where it differs. */
  outside?: unknown;
  /** Whether the editor has a text named `<key>_help`. */
  hasHelp?: true;
}

export type GroupSetting = Details &
  (
    | { kind: 'flag'; default: boolean }
    | { kind: 'number'; default: number; min: number; max: number; unit: SettingUnit; zero?: Zero }
    | { kind: 'choice'; default: number; choices: readonly number[] }
    | { kind: 'word'; default: string; choices: readonly string[] }
    | { kind: 'text'; default: string; maxLength: number }
    | { kind: 'extensions'; default: string }
    | { kind: 'domains' | 'networks'; default: readonly string[] }
    | { kind: 'custom'; default: unknown }
  );

const flag = <const More extends Details>(value: boolean, more: More) =>
  ({ kind: 'flag', default: value, ...more }) as const;
const number = <const More extends Details & { zero?: Zero }>(
  value: number,
  [min, max]: [min: number, max: number],
  unit: SettingUnit,
  more: More,
) => ({ kind: 'number', default: value, min, max, unit, ...more }) as const;
const choice = <const Value extends number, const More extends Details>(
  value: Value,
  choices: readonly Value[],
  more: More,
) => ({ kind: 'choice', default: value, choices, ...more }) as const;
const word = <const Word extends string, const More extends Details>(
  value: Word,
  choices: readonly Word[],
  more: More,
) => ({ kind: 'word', default: value, choices, ...more }) as const;
const text = <const More extends Details>(value: string, maxLength: number, more: More) =>
  ({ kind: 'text', default: value, maxLength, ...more }) as const;
const extensions = <const More extends Details>(value: string, more: More) =>
  ({ kind: 'extensions', default: value, ...more }) as const;
const domains = <const More extends Details>(more: More) =>
  ({ kind: 'domains', default: [] as readonly string[], ...more }) as const;
const networks = <const More extends Details>(more: More) =>
  ({ kind: 'networks', default: [] as readonly string[], ...more }) as const;
const custom = <const More extends Details>(value: unknown, more: More) =>
  ({ kind: 'custom', default: value, ...more }) as const;

const mayChange = <const Key extends string>(of: Key) => ({ part: { of, is: 'mayChange' } }) as const;
const mostOf = <const Key extends string>(of: Key) => ({ part: { of, is: 'most' } }) as const;
const offers = <const Key extends string>(of: Key, value: number) => ({ part: { of, is: { offers: value } } }) as const;

const contentActions = ['allow', 'hold', 'refuse'] as const;

/** Longest expiry, in days. */
const maxDays = 3650;

/** In the order of the editor. */
export const groupSettings = {
  can_use_messages: flag(true, { section: 'people', meaning: 'May send messages.' }),
  can_use_filelinks: flag(true, { section: 'people', outside: false, meaning: 'May create links.' }),
  can_use_file_requests: flag(true, { section: 'people', outside: false, meaning: 'May ask others for files.' }),
  can_invite_users: flag(false, { section: 'people', meaning: 'May invite people.' }),
  delete_inactive_user: number(0, [0, maxDays], 'days', {
    zero: 'never',
    section: 'people',
    meaning: 'Removes a person who has not signed in for this long.',
  }),
  storage_quota: number(0, [0, 1_000_000_000], 'MB', {
    zero: 'no limit',
    section: 'people',
    meaning: 'Storage for each person.',
  }),
  api_key_lifetime: number(365, [0, maxDays], 'days', {
    zero: 'never',
    section: 'people',
    meaning: 'New API keys expire after this time.',
  }),
  session_hours: number(24, [1, 24 * 90], 'hours', {
    section: 'people',
    meaning: 'People stay signed in for this long.',
  }),
  require_second_factor: word('offered', ['off', 'offered', 'required'], {
    section: 'people',
    meaning:
      'Whether an authenticator app is not available, offered or required at sign-in. A passkey counts as both steps.',
  }),
  require_passkey: flag(false, {
    section: 'people',
    hasHelp: true,
    meaning: 'People sign in with a passkey; after a password they set one up.',
  }),
  second_factor_by_service: flag(false, {
    section: 'people',
    meaning: 'A second step at a sign-in service of the organisation counts.',
  }),
  allowed_networks: networks({
    section: 'people',
    hasHelp: true,
    meaning: 'Signing in and calling is possible from these networks only; empty: from anywhere.',
  }),
  alias_requests: flag(false, {
    section: 'people',
    hasHelp: true,
    meaning: 'May ask an administrator for further addresses of theirs.',
  }),
  menubar_title: text('', 100, { section: 'people', meaning: 'Name in the menu; empty: that of the organisation.' }),
  page_title: text('', 100, {
    section: 'people',
    meaning: 'Title of the browser window; empty: that of the organisation.',
  }),
  permitted_extensions: extensions('', {
    section: 'files',
    hasHelp: true,
    meaning: 'Only files with these endings, with commas; empty: all but the blocked ones.',
  }),
  blocked_extensions: extensions('exe,bat,cmd,com,scr,msi,vbs,js,ps1', {
    section: 'files',
    meaning: 'No files with these endings, with commas.',
  }),
  virus_scan: flag(true, {
    section: 'files',
    hasHelp: true,
    meaning: 'Files are scanned for viruses before others can download them, where a scanner is set up.',
  }),
  virus_scan_unscannable: word('hold', ['release', 'hold', 'refuse'], {
    section: 'files',
    hasHelp: true,
    meaning: 'What happens to files that the scanner cannot check, such as encrypted ones.',
  }),
  virus_scan_silent: word('hold', ['hold', 'release'], {
    section: 'files',
    hasHelp: true,
    meaning: 'What happens to files while the scanner does not answer.',
  }),
  content_type_mismatch: word('allow', contentActions, {
    section: 'files',
    hasHelp: true,
    meaning: 'Files whose content is not of the type that their name or sender declares.',
  }),
  content_encrypted_archives: word('allow', contentActions, {
    section: 'files',
    hasHelp: true,
    meaning: 'Archives and documents with a password.',
  }),
  content_macros: word('allow', contentActions, {
    section: 'files',
    hasHelp: true,
    meaning: 'Office documents with macros, also inside archives.',
  }),
  content_archive_depth: number(0, [0, 30], 'levels', {
    zero: 'no limit',
    section: 'files',
    hasHelp: true,
    meaning:
      'How deeply archives may be nested: 1 for no archive inside an archive. Deeper ones are held, and those that unpack to too much.',
  }),
  message_review: word('off', ['off', 'held', 'all'], {
    section: 'messages',
    hasHelp: true,
    meaning: 'Which messages wait until a second person releases them: those with held files, or all.',
  }),
  recipient_passkey: word('offered', ['off', 'offered', 'required_once_enrolled'], {
    section: 'messages',
    hasHelp: true,
    meaning:
      'Whether recipients may prove their address with a passkey instead of a mailed code, and whether one that is set up is required.',
  }),
  message_max_size: number(5120, [1, 1_000_000_000], 'MB', {
    section: 'messages',
    meaning: 'Largest message: all of its files together.',
  }),
  message_default_expiration: number(30, [1, maxDays], 'days', {
    section: 'messages',
    hasHelp: true,
    meaning: 'A message expires after this time unless its sender says otherwise.',
  }),
  message_can_change_expiration: flag(true, {
    ...mayChange('message_default_expiration'),
    meaning: 'Senders may choose another expiry.',
  }),
  message_max_expiration: number(180, [1, maxDays], 'days', {
    ...mostOf('message_default_expiration'),
    meaning: 'Longest expiry that a sender can choose.',
  }),
  message_default_expires_after: number(0, [0, 1_000_000], 'downloads', {
    zero: 'no limit',
    section: 'messages',
    hasHelp: true,
    meaning: 'How often each recipient can download each file, unless the sender says otherwise.',
  }),
  message_can_change_expires_after: flag(true, {
    ...mayChange('message_default_expires_after'),
    meaning: 'Senders may choose another number of downloads.',
  }),
  message_max_expires_after: number(0, [0, 1_000_000], 'downloads', {
    zero: 'no limit',
    ...mostOf('message_default_expires_after'),
    meaning: 'Largest number of downloads that a sender can choose.',
  }),
  message_default_bcc_myself: flag(true, {
    section: 'messages',
    meaning: 'The sender gets a copy unless they say otherwise.',
  }),
  message_can_change_bcc_myself: flag(true, {
    ...mayChange('message_default_bcc_myself'),
    meaning: 'Senders may choose whether they get a copy.',
  }),
  message_default_private_message: flag(false, {
    section: 'messages',
    meaning: 'The text is kept out of the e-mail unless the sender says otherwise.',
  }),
  message_can_change_private_message: flag(true, {
    ...mayChange('message_default_private_message'),
    meaning: 'Senders may choose whether the text is kept out of the e-mail.',
  }),
  message_default_authorization: choice(3, [0, 1, 2, 3, 4], {
    section: 'messages',
    hasHelp: true,
    meaning:
      'Who can download unless the sender says otherwise: 0 anyone, 1 anyone who confirms an address, 2 recipients and local users, 3 recipients, 4 recipients and their domains.',
  }),
  message_can_change_authorization: flag(true, {
    ...mayChange('message_default_authorization'),
    meaning: 'Senders may choose who can download.',
  }),
  message_can_use_specified_recipients: flag(true, {
    ...offers('message_default_authorization', 3),
    meaning: 'Senders may choose 3, recipients.',
  }),
  message_can_use_specified_recipients_and_domains: flag(true, {
    ...offers('message_default_authorization', 4),
    meaning: 'Senders may choose 4, recipients and their domains.',
  }),
  message_can_use_specified_recipients_and_local: flag(true, {
    ...offers('message_default_authorization', 2),
    meaning: 'Senders may choose 2, recipients and local users.',
  }),
  message_can_use_anyone_with_auth: flag(true, {
    ...offers('message_default_authorization', 1),
    meaning: 'Senders may choose 1, anyone who confirms an address.',
  }),
  message_can_use_anyone: flag(false, {
    ...offers('message_default_authorization', 0),
    meaning: 'Senders may choose 0, anyone.',
  }),
  message_can_use_html: flag(false, { section: 'messages', meaning: 'May format the text of a message.' }),
  message_limit_recipients: flag(false, {
    section: 'messages',
    outside: true,
    meaning: 'Limits recipients to the domains and the pattern below.',
  }),
  message_recipient_domains: domains({
    section: 'messages',
    meaning: 'Domains that recipients may have; counts with message_limit_recipients.',
  }),
  message_recipient_pattern: text('', 512, {
    section: 'messages',
    meaning: 'Regular expression that addresses of recipients must match; counts with message_limit_recipients.',
  }),
  message_can_send_to_local_users: flag(true, {
    section: 'messages',
    meaning: 'With limited recipients: local users may be recipients too.',
  }),
  message_can_send_to_local_users_only: flag(false, {
    section: 'messages',
    outside: true,
    meaning: 'Only local users may be recipients; always false in a local group.',
  }),
  message_reminders: number(3, [0, 20], 'reminders', {
    section: 'messages',
    meaning: 'How often a sender can remind a recipient.',
  }),
  filelink_default_expiration: number(14, [1, maxDays], 'days', {
    section: 'links',
    meaning: 'A link expires after this time unless its owner says otherwise.',
  }),
  filelink_can_change_expiration: flag(true, {
    ...mayChange('filelink_default_expiration'),
    meaning: 'Owners may choose another expiry.',
  }),
  filelink_max_expiration: number(180, [1, maxDays], 'days', {
    ...mostOf('filelink_default_expiration'),
    meaning: 'Longest expiry that an owner can choose.',
  }),
  filelink_default_require_authentication: flag(false, {
    section: 'links',
    meaning: 'Visitors of a link confirm an address, unless its owner says otherwise.',
  }),
  filelink_can_change_require_authentication: flag(true, {
    ...mayChange('filelink_default_require_authentication'),
    meaning: 'Owners may choose whether an address is confirmed.',
  }),
  filelink_default_download_confirmation: flag(true, {
    section: 'links',
    meaning: 'The owner is notified of downloads unless they say otherwise.',
  }),
  filelink_can_change_download_confirmation: flag(true, {
    ...mayChange('filelink_default_download_confirmation'),
    meaning: 'Owners may choose whether they are notified of downloads.',
  }),
  filelink_can_set_password: flag(true, { section: 'links', meaning: 'Owners may set a password.' }),
  file_request_permission: choice(3, [2, 3], {
    section: 'requests',
    meaning: 'Who can open what comes back: 3 only the person who asked, 2 local users too.',
  }),
  file_request_multiuse: flag(false, {
    section: 'requests',
    meaning: 'A request can be answered more than once unless the person who asks says otherwise.',
  }),
  file_request_multiuse_can_change: flag(true, {
    ...mayChange('file_request_multiuse'),
    meaning: 'The requester may choose whether a request can be answered more than once.',
  }),
  file_request_expiration: number(14, [1, maxDays], 'days', {
    section: 'requests',
    meaning: 'A request expires after this time.',
  }),
  filedrop_random: flag(true, {
    section: 'drop',
    outside: false,
    meaning: 'Each person has a drop page with a random address.',
  }),
  filedrop_email: flag(false, {
    section: 'drop',
    meaning: 'Each person has a drop page with their e-mail address in its address.',
  }),
  filedrop_confirm_sender: flag(true, {
    section: 'drop',
    meaning: 'Senders at a drop page confirm their address.',
  }),
  filedrop_max_size: number(5120, [1, 1_000_000_000], 'MB', {
    section: 'drop',
    meaning: 'Largest delivery at a drop page.',
  }),
  client_size_override: number(10, [0, 1_000_000], 'MB', {
    section: 'clients',
    meaning: 'Mail clients send larger attachments through Waybill.',
  }),
  client_can_override_size_limit: flag(true, {
    section: 'clients',
    meaning: 'People may change that size in their mail client.',
  }),
  client_can_send_folders: flag(true, { section: 'clients', meaning: 'Mail clients may send folders.' }),
  client_custom_settings: custom('', { section: 'clients', meaning: 'Passed on to mail clients as it is.' }),
} as const satisfies Record<string, GroupSetting>;

/** `days, 0 = never` */
export function unitOf({ unit, zero }: { unit: SettingUnit; zero?: string }): string {
  return zero === undefined ? unit : `${unit}, 0 = ${zero}`;
}
