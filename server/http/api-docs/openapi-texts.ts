// Descriptions that the contract leaves out. A name means the same everywhere.
import { wireShape } from '#contract/codec.ts';
import type { Endpoint } from '#contract/endpoints.ts';
import { listSettingFacts } from '../../domain/policy-facts.ts';

const fieldWords: Record<string, string> = {
  action: 'What was done.',
  active_at: 'When it was last active.',
  address: 'E-mail address.',
  at: 'When.',
  attachment_id: 'Id of the file.',
  attempts: 'How often it was tried.',
  browser: 'Name of the browser; empty when unknown.',
  bytes: 'Bytes.',
  checksum: 'SHA-256, hex.',
  city: 'Name of the city; empty when unknown.',
  closing: 'Text after the button; empty for the shipped one.',
  code: 'Stable code, `noun.reason`.',
  content_type: 'Media type.',
  count: 'How many.',
  country_code: 'Two letters; empty when unknown.',
  country_name: 'Name of the country; empty when unknown.',
  crc32: 'CRC-32, 8 hex digits.',
  created_at: 'When it was made.',
  date: 'The day, `YYYY-MM-DD`.',
  deliveries: 'How often files were handed over.',
  domain: 'Domain of an e-mail address.',
  downloads: 'Number of downloads.',
  email: 'E-mail address.',
  ended_at: 'When it ended; null while it runs.',
  expires_at: 'When it ends.',
  failures: 'How often it has failed.',
  field: 'Name of the field.',
  filename: 'Name of the file.',
  files: 'Number of files.',
  finished_at: 'When it ended; null before.',
  format: 'The form of the answer.',
  group_name: 'Name of the group.',
  has_password: 'Whether a password is set.',
  html: 'As HTML.',
  id: 'Its id.',
  intro: 'Text before the button; empty for the shipped one.',
  ip: 'Network address.',
  is_local: 'Whether it belongs to the organisation.',
  is_running: 'Whether it runs now.',
  last_at: 'When it last happened; null if never.',
  last_delivery_at: 'When files were last handed over; null if never.',
  last_used_at: 'When it was last used; null if never.',
  last_used_ip: 'Network address of its last use.',
  links: 'Number of links.',
  made_at: 'When it was made.',
  made_by: 'Who made it.',
  message: 'Text.',
  messages: 'Number of messages.',
  meaning: 'What it is for.',
  name: 'Its name.',
  next: 'Goes into `after` for the next page; null on the last one.',
  object_id: 'Id of what it is about.',
  object_kind: 'What it is about.',
  organisation: 'Name of the installation.',
  organisation_name: 'Name of the organisation, for pages and mails.',
  os: 'Operating system; empty when unknown.',
  outcome: 'What became of it.',
  owner: 'Whose it is.',
  owner_email: 'E-mail address of the owner.',
  password: 'The password.',
  people: 'Number of people.',
  q: 'Words to look for.',
  reason: 'Why, in a sentence; it is kept.',
  remote_ip: 'Network address.',
  request_id: 'Id of the request, as in the log.',
  requests: 'Number of File Requests.',
  role: 'What the person may do beyond sending.',
  sent_at: 'When it was sent.',
  service: 'Address of the installation.',
  sha256: 'SHA-256, hex.',
  since: 'Since when.',
  size: 'Bytes.',
  size_human: 'The size for people, such as `2.99 MB`.',
  started_at: 'When it began.',
  state: 'How it stands.',
  subject: 'One line.',
  text: 'As plain text.',
  title: 'Title, one line.',
  total: 'How many in all.',
  until: 'Until when.',
  up_to_days: 'Of this age at most; null for anything older.',
  updated_at: 'When it was last changed.',
  url: 'Its address.',
  waiting: 'How many wait.',
};

/** The path segment before an id says what it identifies. */
const pathNouns: Record<string, string> = {
  api_keys: 'API key',
  attachment: 'file',
  attachments: 'file',
  filedrops: 'drop page',
  files: 'file',
  groups: 'group',
  holds: 'legal hold',
  link: 'link',
  links: 'link',
  locks: 'lock',
  message: 'message',
  messages: 'message',
  people: 'person',
  queue: 'mail',
  received: 'message or delivery',
  requests: 'File Request',
  running: 'transfer',
  sessions: 'session',
  statements: 'statement',
  tasks: 'task',
  transfers: 'transfer',
  uploads: 'upload',
  users: 'person',
};

const pathWords: Record<string, string> = {
  address: 'E-mail address of the recipient.',
  attachment: 'Id of the file.',
  filename: 'Name of the file; any name is taken.',
  key: 'Key of the drop page.',
  kind: 'Kind of mail.',
  name: 'Its name.',
  path: 'Name of the tile, as in the specification of tiled logs.',
  token: 'As the address that was handed out has it.',
};

export function pathMeaning(before: string, name: string): string {
  const noun = pathNouns[before];
  if (noun !== undefined) return `Id of the ${noun}.`;
  return before === 'filedrop' ? 'Name of the drop page, as in its address.' : (pathWords[name] ?? '');
}

export interface Schema {
  description?: string;
  type?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

export function describeFields(schema: Schema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meaning = meaningOf(name, property);
    if (property.description === undefined && isPlain(property) && meaning !== undefined)
      property.description = meaning;
    describeFields(property);
  }
  if (schema.items !== undefined) describeFields(schema.items);
  for (const variant of schema.anyOf ?? []) describeFields(variant);
}

function meaningOf(name: string, property: Schema): string | undefined {
  const word = fieldWords[name];
  const isNumber = property.type === 'integer';
  return settingMeanings().get(name) ?? (word?.startsWith('Number of') && !isNumber ? undefined : word);
}

/** A field that holds further fields is described by them. */
export function isPlain(schema: Schema): boolean {
  const inner = [schema, ...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  return inner.every(({ properties, $ref }) => properties === undefined && $ref === undefined);
}

let meanings: Map<string, string> | undefined;

function settingMeanings(): Map<string, string> {
  meanings ??= new Map(listSettingFacts().map(({ name, meaning }) => [name, meaning]));
  return meanings;
}

/** What the facts of the contract say of an operation, in sentences. */
export function describeOperation(definition: Endpoint): string {
  const { auth, right, origin, dryRuns, idempotent, query, answer, method } = definition;
  const sentences = [
    `${definition.summary}.`,
    callers[auth],
    ...(right === undefined ? [] : [`The role must include the right \`${right}\`.`]),
    ...(Object.hasOwn(wireShape(query), 'after') ? ['Pages follow each other: send `next` as `after`.'] : []),
    ...(dryRuns === true ? ['With `dry_run` it creates nothing and returns what each rule says.'] : []),
    ...(idempotent === true ? ['With an `Idempotency-Key` it can be repeated safely.'] : []),
    ...(answer === 'empty' && method !== 'GET' ? ['Returns an empty body.'] : []),
    ...(origin === undefined ? [] : [origins[origin]]),
  ];
  return sentences.join(' ');
}

const callers: Record<Endpoint['auth'], string> = {
  none: 'Needs no API key.',
  key: 'Needs an API key.',
  drop: 'Needs the key of the drop page in its address, or none.',
  key_or_drop: 'Needs an API key, or the key of a drop page in its address.',
};

const origins = {
  compatibility: 'Not in the specification; kept for existing clients.',
  additive: 'An addition of this server; other servers of the API may not have it.',
};
