import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { wireObject, wireShape } from '#contract/codec.ts';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import { flag, optional } from '#contract/wire.ts';
import { Problem } from '../../domain/problem.ts';
import { findUnknownFields, refuseDryRun, refuseUnknownFields } from './unknown-fields.ts';

const calls = Object.entries(endpoints) as [string, Endpoint][];
const withJson = calls.filter(([, { body }]) => body !== undefined && typeof body !== 'string');

const tolerant = [
  ...['sendMessage', 'createFileRequest', 'createFileLink', 'submitFiledrop', 'login', 'getAccountByPost'],
  ...['updateAuthentication', 'updateDownloadConfirmation', 'updateExpiresAt', 'deleteFileLink'],
  ...['deleteMessageAttachments', 'deleteAttachment', 'deleteMessageAttachment', 'deleteAttachmentLegacy'],
];

function refusalOf(name: string, body: unknown): Problem | null {
  const definition = endpoints[name as keyof typeof endpoints] as Endpoint;
  try {
    refuseUnknownFields(definition, definition.body as z.ZodType, body);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Outermost first: `[]`, `['user']`. */
function placesOf(schema: z.ZodType): string[][] {
  const shape = wireShape(schema);
  const inside = Object.keys(shape).filter((name) => wireObject(shape[name]!) !== null);
  return [[], ...inside.map((name) => [name])];
}

function bodyWith(place: string[], name: string): unknown {
  return place.reduceRight<unknown>((inner, outer) => ({ [outer]: inner }), { [name]: true });
}

describe('Fields that the contract does not have', () => {
  for (const [name, definition] of withJson) {
    const places = placesOf(definition.body as z.ZodType);
    const isTolerant = tolerant.includes(name);
    test(`${name} ${isTolerant ? 'ignores them, and says why' : 'refuses them by name, at the top and inside'}`, () => {
      for (const place of places) {
        // The action refuses unknown settings by name.
        if (place[0] === 'group' && ['createGroup', 'changeGroup'].includes(name)) continue;
        if (place[0] === 'sign_in_service') continue;
        const refusal = refusalOf(name, bodyWith(place, 'surprise'));
        if (isTolerant) {
          assert.equal(refusal, null);
          continue;
        }
        const written = [...place, 'surprise'].join('.');
        assert.equal(refusal?.code, 'request.unknown_field', written);
        assert.equal(refusal.field, 'surprise');
        assert.equal(refusal.message, `There is no field “${written}” here. Nothing was done.`);
      }
      if (isTolerant) assert.ok(definition.toleratesUnknownFields!.length > 20);
    });

    test(`${name} refuses a dry run wherever it has none`, () => {
      for (const place of places) {
        if (findUnknownFields(definition.body as z.ZodType, bodyWith(place, 'dry_run')).length === 0) continue;
        for (const body of [bodyWith(place, 'dry_run'), bodyWith([...place, 'options'], 'dry_run')])
          assert.match(refusalOf(name, body)?.code ?? '', /^request\.(no|misplaced)_dry_run$/);
      }
    });
  }

  test('are ignored by the calls of the specification and by those of existing clients alone', () => {
    const found = calls.filter(([, { toleratesUnknownFields }]) => toleratesUnknownFields !== undefined);
    assert.deepEqual(found.map(([name]) => name).sort(), [...tolerant].sort());
    for (const [name, { origin, path }] of found) {
      assert.notEqual(origin, 'additive', name);
      assert.ok(!/^\/(admin|app-api)\//.test(path), name);
    }
  });

  test('are all named in one refusal, up to ten of them, and shortened', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`no${index}`, 1]));
    const refusal = refusalOf('createUser', { user: { email: 'a@harbour.example', ...many } })!;
    assert.equal(refusal.sentences.length, 10);
    assert.match(refusal.others[8]!, /“user\.no9”/);
    const long = refusalOf('createUser', { ['x'.repeat(5000)]: 1 })!;
    assert.ok(long.message.length < 200 && long.field!.length === 100);
  });

  test('are found in every form that a schema can have', () => {
    const inner = z.object({ a: z.string() });
    const schema = z.object({
      list: z.array(inner),
      maybe: optional(inner.describe('with a description')),
      either: z.union([z.string(), inner, z.object({ b: z.string(), c: flag })]),
      kinds: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('x'), x: z.string() }),
        z.object({ kind: z.literal('y'), y: z.string() }),
      ]),
      names: z.record(z.string(), inner),
      loose: z.looseObject({ a: z.string() }),
      checked: inner.refine(() => true).default({ a: '' }),
      anything: z.unknown(),
    });
    const table: [value: unknown, unknown: string[]][] = [
      [{ list: [{ a: '' }, { a: '', z: 1 }] }, ['list.1.z']],
      [{ maybe: { a: '', z: 1 } }, ['maybe.z']],
      [{ maybe: null }, []],
      [{ either: { a: '' } }, []],
      [{ either: { b: '', c: 'true' } }, []],
      [{ either: { b: '', c: 'true', a: '' } }, ['either.b', 'either.c']],
      [{ either: { a: '', z: 1 } }, ['either.z']],
      [{ either: { z: 1 } }, []],
      [{ either: 'text' }, []],
      [{ kinds: { kind: 'x', x: '' } }, []],
      [{ kinds: { kind: 'x', x: '', y: '' } }, ['kinds.y']],
      [{ names: { z: { a: '' }, y: { z: 1 } } }, ['names.y.z']],
      [{ loose: { a: '', z: 1 } }, []],
      [{ checked: { a: '', z: 1 } }, ['checked.z']],
      [{ anything: { z: 1 } }, []],
      [{ constructor: 1, list: 5, names: [], toString: {} }, ['constructor', 'toString']],
      [[{ z: 1 }], []],
      [null, []],
    ];
    for (const [value, unknown] of table)
      assert.deepEqual(
        findUnknownFields(schema, value).map(({ path }) => path.join('.')),
        unknown,
        JSON.stringify(value),
      );
  });
});

describe('A dry run requested in the wrong place', () => {
  const table: [name: string, body: unknown, code: string, place?: string][] = [
    ['sendMessage', { message: {}, dry_run: true }, 'request.misplaced_dry_run', 'message'],
    ['sendMessage', { message: {}, dry_run: false }, 'request.misplaced_dry_run', 'message'],
    ['sendMessage', { message: { dryRun: true } }, 'request.misplaced_dry_run', 'message'],
    ['sendMessage', { message: { attachments: [{ filename: 'a', 'dry-run': 1 }] } }, 'request.misplaced_dry_run'],
    ['createFileLink', { link: {}, more: [{ dry_run: true }] }, 'request.misplaced_dry_run', 'link'],
    ['createFileRequest', { request: {}, DRY_RUN: 1 }, 'request.misplaced_dry_run', 'request'],
    ['bulkPeople', { bulk: {}, dry_run: true }, 'request.misplaced_dry_run', 'bulk'],
    ['createUser', { user: { dry_run: true } }, 'request.no_dry_run'],
    ['updateExpiresAt', { expires_at: '2030-01-01', dry_run: true }, 'request.no_dry_run'],
  ];
  for (const [name, body, code, place] of table)
    test(`is refused by ${name}: ${JSON.stringify(body)}`, () => {
      const refusal = refusalOf(name, body);
      assert.equal(refusal?.code, code);
      if (place !== undefined) assert.match(refusal.message, new RegExp(`inside “${place}”`));
    });

  test('is refused in the query of every call that changes something, and ignored by reads', () => {
    for (const [name, definition] of calls)
      for (const query of ['dry_run=true', 'filename=a.txt&dry_run', 'message%5Bdry_run%5D=1', 'dryRun=1']) {
        const refuse = () => refuseDryRun(definition, query, {});
        if (definition.method === 'GET') refuse();
        else assert.throws(refuse, { code: /^request\.(no|misplaced)_dry_run$/ }, name);
      }
    refuseDryRun(endpoints.uploadForLink, 'filename=dry_run.txt', {
      'x-request-id': 'dry_run',
      prefer: 'return=minimal',
    });
  });
});
