import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedEvent } from './evidence.ts';
import { blanked, fieldsAbout, isBlank } from './evidence-erasure.ts';

const anna = { userId: 'anna-id', addresses: ['Anna@Example.com', 'a.miller@example.com'], name: 'Anna Miller' };
const event: LoggedEvent = {
  seq: 1,
  at: 0,
  action: 'message.reminded',
  actorKind: 'user',
  actorId: 'ben-id',
  objectKind: 'message',
  objectId: 'message-id',
  ownerId: 'ben-id',
  facts: { recipient: 'anna@example.com' },
  remoteIp: '203.0.113.7',
  requestId: 'r1',
};

test('of what others did to them only their address goes', () => {
  assert.deepEqual(fieldsAbout(event, anna), ['facts.recipient']);
  assert.deepEqual(blanked(event, ['facts.recipient']), { ...event, facts: { recipient: '' } });
});

test('in lists and objects the values that name them are erased, and empty values and numbers are not', () => {
  const facts = {
    before: null,
    count: 3,
    people: [{ address: 'anna@example.com', left: null }],
    others: ['ben@example.com'],
  };
  assert.deepEqual(fieldsAbout({ ...event, facts }, anna), ['facts.people']);
});

test('of what they did, where they did it from goes too, with an account or without', () => {
  const withAccount = { ...event, actorId: 'anna-id', facts: {} };
  assert.deepEqual(fieldsAbout(withAccount, anna).sort(), ['actor', 'ip', 'request']);
  const without = { ...event, actorId: '', actorKind: 'anonymous' };
  assert.deepEqual(fieldsAbout(without, anna).sort(), ['facts.recipient', 'ip', 'request']);
});

test('of what was done to their account every fact goes, and the reason if it names them', () => {
  const facts = { changes: { name: { from: 'Anna', to: 'Anna Miller' } }, reason: 'asked by letter' };
  const changed = { ...event, action: 'user.changed', objectKind: 'user', objectId: 'anna-id', facts };
  assert.deepEqual(fieldsAbout(changed, anna).sort(), ['facts.changes', 'object']);
  const named = { ...changed, facts: { reason: 'letter of anna miller' } };
  assert.deepEqual(fieldsAbout(named, anna).sort(), ['facts.reason', 'object']);
});

test('what others did to others stays, with an account or without, and so does their name where it is not about them', () => {
  assert.deepEqual(fieldsAbout({ ...event, facts: { recipient: 'ben@example.com' } }, anna), []);
  assert.deepEqual(fieldsAbout({ ...event, actorId: '', facts: { recipient: 'ben@example.com' } }, anna), []);
  assert.deepEqual(fieldsAbout({ ...event, facts: { title: 'The house of Anna Miller' } }, anna), []);
});

test('blank values keep their form, and only they are blank', () => {
  const facts = { text: 'a', list: [1], deep: { a: 1 }, number: 5 };
  const fields = Object.keys(facts).map((name) => `facts.${name}`);
  const left = blanked({ ...event, facts }, fields);
  assert.deepEqual(left.facts, { text: '', list: [], deep: {}, number: null });
  for (const field of fields) {
    assert.ok(isBlank(left, field), field);
    assert.ok(!isBlank({ ...event, facts }, field), field);
  }
});
