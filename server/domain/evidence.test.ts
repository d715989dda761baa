import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson } from '../lib/canonical-json.ts';
import { entryOf, fieldHash, type LoggedEvent, openFields, type Salts, withoutFields } from './evidence.ts';

const event: LoggedEvent = {
  seq: 17,
  at: 1_790_000_000_000,
  action: 'message.recipient_corrected',
  actorKind: 'user',
  actorId: 'UserUserUserUserUserUs',
  objectKind: 'message',
  objectId: 'MessageMessageMessageM',
  ownerId: 'UserUserUserUserUserUs',
  facts: { recipient: 'anna@example.com', to: 'ben@example.com', mailed: true },
  remoteIp: '203.0.113.7',
  requestId: 'request-1',
};
const salts: Salts = { secret: Buffer.alloc(24, 7), kept: {}, erased: {} };
const entry = () => JSON.parse(entryOf(event, salts).toString()) as Entry;
interface Entry {
  facts: Record<string, unknown>;
  personal: Record<string, string>;
}

test('an entry shows what happened and to whom only as hashes', () => {
  const text = entryOf(event, salts).toString();
  for (const secret of ['anna@', 'ben@', '203.0.113', 'UserUser', 'MessageM', 'request-1'])
    assert.ok(!text.includes(secret), secret);
  assert.deepEqual(entry().facts, { mailed: true });
  assert.deepEqual(Object.keys(entry().personal), [
    'actor',
    'facts.recipient',
    'facts.to',
    'ip',
    'object',
    'owner',
    'request',
  ]);
});

test('equal values have different hashes in different fields and events', () => {
  const { personal } = entry();
  assert.notEqual(personal.actor, personal.owner);
  const other = entryOf(event, { ...salts, secret: Buffer.alloc(24, 8) }).toString();
  assert.ok(!other.includes(personal.actor!));
});

test('no two fields share a salt', () => {
  const all = openFields(event, salts).map(({ salt }) => salt);
  assert.equal(new Set(all).size, 7);
  for (const salt of all) assert.ok(Buffer.from(salt, 'base64').length >= 12);
});

test('an event with a secret of the old length has the entry it has always had', () => {
  const old = entryOf(event, { ...salts, secret: Buffer.alloc(16, 7) });
  assert.equal(hash('sha256', old), '3d567939cd98a41bc99654a2126193113605cd00221a4f390e7dae82f72b5242');
});

test('so has one with a secret of today’s length', () => {
  assert.equal(
    hash('sha256', entryOf(event, salts)),
    'ed2f33d8c3a9000ca1ef71d9ce338c299ff6e709c1351b481cfc025199cc922e',
  );
});

test('an entry is canonical JSON', () => {
  const facts = { ...event.facts, 'a"b': 'Grüße', nested: { b: 1, a: [true, null] } };
  for (const secret of [Buffer.alloc(16, 7), Buffer.alloc(24, 7)]) {
    const text = entryOf({ ...event, facts }, { ...salts, secret }).toString();
    assert.equal(text, canonicalJson(JSON.parse(text)));
  }
});

test('a shown field fits its hash, and another value does not', () => {
  for (const { field, value, salt } of openFields(event, salts))
    assert.equal(fieldHash(value, salt), entry().personal[field]);
  const [actor] = openFields(event, salts);
  assert.notEqual(fieldHash('somebody else', actor!.salt), entry().personal.actor);
});

test('an entry stays the same when fields are erased, once and again', () => {
  const before = entryOf(event, salts);
  const once = withoutFields(event, salts, ['facts.recipient', 'ip'], 'first');
  const blank = { ...event, remoteIp: '', facts: { ...event.facts, recipient: '' } };
  assert.deepEqual(entryOf(blank, once), before);
  assert.equal(once.secret, null);
  assert.deepEqual(Object.keys(once.erased).sort(), ['facts.recipient', 'ip']);
  const twice = withoutFields(blank, once, ['facts.to'], 'second');
  const { mailed } = event.facts;
  assert.deepEqual(entryOf({ ...blank, facts: { mailed } }, twice), before);
  assert.equal(twice.erased.ip!.erasure, 'first');
  assert.equal(twice.erased['facts.to']!.erasure, 'second');
});

test('a field that is not listed as public is hidden, also of a kind that no longer exists', () => {
  const { personal, facts } = JSON.parse(entryOf({ ...event, action: 'old.kind' }, salts).toString()) as Entry;
  assert.deepEqual(facts, {});
  assert.ok(personal['facts.mailed'] !== undefined);
});
