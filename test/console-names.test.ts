import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventKinds } from '#server/domain/events.ts';
import { mailKinds } from '#server/mail/kinds/all.ts';
import { areaNames, verbNames } from '#web/app/admin/parts/event-kinds.ts';

const root = join(import.meta.dirname, '..');
const languages = ['en', 'de', 'es', 'fr', 'sv'];
const textsOf = (language: string, name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, `locales/${language}/app/admin/${name}.json`), 'utf8'));

/** Sources instead of values: jobs are created with their dependencies, and types have no values. */
const source = (path: string) => readFileSync(join(root, path), 'utf8');
const jobNames = () =>
  readdirSync(join(root, 'server/jobs'))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...source(`server/jobs/${file}`).matchAll(/^\s+name: '([a-z-]+)'/gm)].map(([, name]) => name!));
const objectKinds = () =>
  [
    ...source('server/domain/events.ts')
      .split('/** Filters')[0]!
      .matchAll(/\| '(\w+)'/g),
  ].map(([, kind]) => kind!);

/** Ids, digests and counters of the program, which the details of an event show as technical. */
const technical = [
  ...['api_key', 'asked_by', 'at_most', 'attachment', 'checkpoint', 'confirmation', 'digest', 'download', 'erasure'],
  ...['field', 'filedrop', 'hold', 'key', 'line', 'mode', 'old', 'proof_id', 'proof_kind', 'request', 'sha256'],
  ...['statement', 'taken', 'target', 'way', 'words', 'event'],
];
/** Lists and objects, of which the details show the changes. */
const nested = ['addresses', 'changed', 'changes', 'console_networks', 'fields', 'filter', 'parts'];
const facts = () => {
  const code = source('server/domain/event-facts.ts').replace(/\/\*\*.*?\*\//gs, '');
  return new Set([...code.matchAll(/\b([a-z_0-9]+)\??: /g)].map(([, key]) => key!));
};

for (const language of languages)
  test(`every kind of mail, job, event and object, and every fact has a name in ${language}`, () => {
    const names = textsOf(language, 'names');
    const needed = [
      ...Object.keys(mailKinds).map((kind) => `mail_${kind}`),
      ...jobNames().map((job) => `job_${job}`),
      'job_back-up',
      ...objectKinds().map((kind) => `object_${kind}`),
      ...[...facts()].filter((key) => ![...technical, ...nested].includes(key)).map((key) => `fact_${key}`),
    ];
    assert.ok(needed.length > 90, `found ${needed.length}`);
    assert.deepEqual(
      needed.filter((key) => !names[key]),
      [],
    );
    const events = textsOf(language, 'events');
    const unnamed = Object.keys(eventKinds).filter((kind) => {
      const [area = '', verb = ''] = kind.split('.');
      return !events[areaNames[area] ?? ''] || !events[verbNames[verb] ?? ''];
    });
    assert.deepEqual(unnamed, []);
  });
