// Generates docs/integrate/event-kinds.json and docs/integrate/events.md from the list of kinds of events.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventMappings } from '../server/domain/event-mapping-table.ts';
import { cefFields, cefOf, ocsfOf } from '../server/domain/event-mappings.ts';
import { type EventKind, eventKinds } from '../server/domain/events.ts';
import type { OutgoingEvent } from '../server/domain/outgoing-events.ts';
import { furtherFacts, readEventFacts } from './event-facts.ts';
import { repositoryRoot } from './source-files.ts';

export interface PublishedKind {
  since: string;
  /** What events of this kind are about. */
  objects: string[];
  facts: Record<string, string>;
  cefSeverity: number;
  ocsf: { class: number; activity: number };
}

export type Catalogue = Record<string, PublishedKind>;

const cataloguePath = 'docs/integrate/event-kinds.json';
const factsPath = 'server/domain/event-facts.ts';

export const rule =
  'Receivers rely on published kinds of events: kinds, objects and facts may be added, but not removed, renamed, or given ' +
  'another type, mapping or version. Add a new kind or fact, and keep recording the old one.';

export function currentCatalogue(): Catalogue {
  const facts = readEventFacts(readFileSync(join(repositoryRoot, factsPath), 'utf8'));
  const kinds = Object.keys(eventKinds) as EventKind[];
  return Object.fromEntries(
    kinds.toSorted().map((kind) => {
      const { since, severity, ocsf } = eventMappings[kind];
      const published: PublishedKind = {
        since,
        objects: Object.keys(eventKinds[kind].about).toSorted(),
        facts: facts[kind] ?? {},
        cefSeverity: severity,
        ocsf: { class: ocsf.class, activity: ocsf.activity },
      };
      return [kind, published];
    }),
  );
}

export function publishedCatalogue(): Catalogue {
  const path = join(repositoryRoot, cataloguePath);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Catalogue) : {};
}

/** What breaks receivers of the published kinds; empty if nothing does. */
export function brokenKinds(published: Catalogue, current: Catalogue): string[] {
  const faults: string[] = [];
  for (const [kind, before] of Object.entries(published)) {
    const now = current[kind];
    if (now === undefined) {
      faults.push(`${kind} was removed`);
      continue;
    }
    for (const object of before.objects)
      if (!now.objects.includes(object)) faults.push(`${kind} is no longer about ${object}`);
    for (const [fact, type] of Object.entries(before.facts)) {
      if (now.facts[fact] === undefined) faults.push(`the fact ${fact} of ${kind} was removed`);
      else if (now.facts[fact] !== type)
        faults.push(`the fact ${fact} of ${kind} was "${type}" and is "${now.facts[fact]}"`);
    }
    const fixed = ({ since, cefSeverity, ocsf }: PublishedKind) => JSON.stringify([since, cefSeverity, ocsf]);
    if (fixed(before) !== fixed(now)) faults.push(`the version or the mapping of ${kind} was changed`);
  }
  return faults;
}

/** Refuses to publish a change that breaks receivers. */
export async function eventKindsJson(): Promise<string> {
  const current = currentCatalogue();
  const broken = brokenKinds(publishedCatalogue(), current);
  if (broken.length > 0)
    throw new Error(
      `${broken.join('; ')}. ${rule} A kind that no released version has is corrected by deleting its entry in ${cataloguePath}.`,
    );
  const lines = Object.entries(current).map(
    ([kind, published]) => `  ${JSON.stringify(kind)}: ${JSON.stringify(published)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

const samples: Record<string, string | number | boolean> = {
  recipient: 'ben@harbour.example',
  address: 'ben@harbour.example',
  reason: 'Sent by mistake',
  size: 1_048_576,
  bytes: 1_048_576,
  total: 1_048_576,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  expires: '2026-12-24',
  language: 'en',
  host: 'siem.example.com',
  network: '198.51.100.0/24',
  kind: 'message',
};

function sampleOf(fact: string, type: string): unknown {
  const [bare] = type.split(',') as [string];
  const literal = /^"([^"]*)"/.exec(bare)?.[1];
  if (literal !== undefined) return literal;
  const known = samples[fact];
  const isNumber = bare.startsWith('number');
  if (known !== undefined && typeof known === (isNumber ? 'number' : bare)) return known;
  if (isNumber) return 2;
  if (bare === 'boolean') return true;
  if (bare.endsWith('[]')) return ['name'];
  return bare === 'string' ? 'text' : {};
}

function exampleOf(kind: string, { objects, facts }: PublishedKind): OutgoingEvent {
  const named = Object.entries(facts).filter(([fact]) => fact !== furtherFacts);
  return {
    id: 17,
    at: '2026-11-19T09:30:00.000Z',
    action: kind,
    actor_kind: 'user',
    actor: { id: 'u1', email: 'mara@northlight.example', name: 'Mara Lindqvist' },
    owner: { id: 'u1', email: 'mara@northlight.example', name: 'Mara Lindqvist' },
    object_kind: objects[0]!,
    object_id: '7K3D-9QMA-2F',
    facts: Object.fromEntries(named.map(([fact, type]) => [fact, sampleOf(fact, type)])),
    remote_ip: '198.51.100.7',
    request_id: 'RUqVbkuAJuEvCig0',
  };
}

const code = (text: string) => `\`${text}\``;

function sectionOf([kind, published]: [string, PublishedKind]): string {
  const { since, objects, facts, cefSeverity, ocsf } = published;
  const listed = Object.entries(facts).map(([fact, type]) =>
    fact === furtherFacts ? 'further facts by name' : `${code(fact)} (${type})`,
  );
  return [
    `### ${code(kind)}`,
    `About ${objects.map(code).join(', ')}. Facts: ${listed.length === 0 ? 'none' : listed.join(', ')}.`,
    `Since ${since}; CEF severity ${cefSeverity}; OCSF class ${ocsf.class}, activity ${ocsf.activity}. Example of \`facts\`:`,
    `\`\`\`json\n${JSON.stringify(exampleOf(kind, published).facts)}\n\`\`\``,
  ].join('\n\n');
}

const introduction = `# Events

Generated by \`npm run generate\` from \`server/domain/events.ts\`. The same list for programs is [event-kinds.json](event-kinds.json).

Every change and every access is an event. \`GET /admin/events?after=\`, webhooks, syslog, the file of events, timelines and the
[log of evidence](../trust/evidence.md) use this one list.

Rule: ${rule} \`npm run check\` refuses a change that breaks it. Receivers ignore kinds and facts that they do not know.

## Fields of every event`;

const fields = `| Field | Meaning |
|---|---|
| \`id\` | position in the log, ascending; numbers can be missing. The cursor of \`GET /admin/events?after=\` |
| \`at\` | time, ISO 8601 in UTC |
| \`action\` | kind |
| \`actor_kind\` | \`user\`, \`system\`, \`operator\`, or another kind of caller |
| \`actor\`, \`owner\` | \`id\`, \`email\` and \`name\` of a person, or null |
| \`object_kind\`, \`object_id\` | what it is about. Transfers have their public reference, which opens no files |
| \`facts\` | depends on the kind. No secrets, texts or file names |
| \`remote_ip\`, \`request_id\` | network address and id of the request; empty for jobs |`;

function mappings(): string {
  const message = currentCatalogue()['message.sent']!;
  const example = exampleOf('message.sent', message);
  return [
    '## Forms',
    'The examples show `message.sent`. A webhook of the format `standard` has the event in `data`:',
    `\`\`\`json\n${JSON.stringify({ type: example.action, timestamp: example.at, data: example }, null, 2)}\n\`\`\``,
    `CEF. The keys are ${Object.keys(cefFields).map(code).join(', ')}; empty ones are left out. An address is \`src\` (IPv4) or \`c6a2\` (IPv6).`,
    `\`\`\`text\n${cefOf(example, '0.1.0')}\n\`\`\``,
    'OCSF 1.3: 6006 is File Hosting Activity, 4009 Email Activity, 3001 Account Change, 3002 Authentication, 3004 Entity Management.',
    `\`\`\`json\n${JSON.stringify(ocsfOf(example, '0.1.0'), null, 2)}\n\`\`\``,
  ].join('\n\n');
}

export async function eventsPage(): Promise<string> {
  const sections = Object.entries(currentCatalogue()).map(sectionOf);
  return `${[introduction, fields, mappings(), '## Kinds', ...sections].join('\n\n')}\n`;
}
