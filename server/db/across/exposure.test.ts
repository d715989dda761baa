// What statements about exposure read, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { countAccessOf, findKeyById, listAnswersOf, listEventsOfKey, listHandOvers, listSeenFrom } from './exposure.ts';

const span = { from: 10, to: 20 };

describe('What was recorded', () => {
  // SQLite stores events by number, so rows inserted in order would hide a missing `order by`.
  const rows = useRows({ isReversed: true });
  const event: Among<'events'> = {
    table: 'events',
    right: {
      seq: 1,
      at: 10,
      action: 'transfer.handed_over',
      actor_id: 'alice',
      object_kind: 'message',
      object_id: 'message',
      owner_id: 'alice',
      facts: '{}',
      remote_ip: '192.0.2.1',
    },
    wrong: {},
  };
  const several = [1, 2, 3].map((seq) => ({ ...event.right, seq }));
  const seqs = (found: { seq: number }[]) => found.map(({ seq }) => seq);

  test('from a network address within the span names transfers and accounts', async () => {
    const wrong = { at: [9, 20], remote_ip: '192.0.2.2' };
    const seen = { transferIds: ['message'], accounts: [{ id: 'alice', events: 1 }] };
    await rows.finds({ ...event, wrong }, (db) => listSeenFrom(db, '192.0.2.1', span), seen);
    const by = (seq: number, actor_id: string) => ({ ...event.right, seq, actor_id, object_kind: 'api_key' });
    rows.put('events', by(1, 'bob'), by(2, ''), by(3, 'alice'), by(4, 'bob'));
    assert.deepEqual(await listSeenFrom(rows.db, '192.0.2.1', span), {
      transferIds: [],
      accounts: [
        { id: 'alice', events: 1 },
        { id: 'bob', events: 2 },
      ],
    });
  });

  test('about what changed hands is of one owner, in order', async () => {
    const wrong = { owner_id: 'bob', action: 'message.sent' as const };
    await rows.finds({ ...event, wrong }, async (db) => seqs(await listHandOvers(db, 'alice')), [1]);
    rows.put('events', ...several);
    assert.deepEqual(seqs(await listHandOvers(rows.db, 'alice')), [1, 2, 3]);
  });

  test('about a key is about this key, in order', async () => {
    const ofKey = { object_kind: 'api_key', object_id: 'key' };
    const right = { ...event.right, ...ofKey };
    const wrong = { object_kind: 'user', object_id: 'other' };
    await rows.finds({ ...event, right, wrong }, async (db) => seqs(await listEventsOfKey(db, 'key')), [1]);
    rows.put('events', ...several.map((one) => ({ ...one, ...ofKey })));
    assert.deepEqual(seqs(await listEventsOfKey(rows.db, 'key')), [1, 2, 3]);
  });
});

describe('What stands open', () => {
  const rows = useRows();

  test('of a File Request are its answers, oldest first', async () => {
    const answer = (id: string, request_id: string | null, created_at: number) => ({ id, request_id, created_at });
    rows.put('messages', answer('a', 'request', 3), answer('b', 'other', 1), answer('c', 'request', 2));
    assert.deepEqual(await listAnswersOf(rows.db, ['request']), new Map([['request', [2, 3]]]));
  });

  test('of an account are its keys and sessions that have not ended', async () => {
    rows.put('users', { id: 'bob', email: 'b', state: 'disabled' }, { id: 'alice', email: 'a', state: 'active' });
    const access = async () => {
      const found = await countAccessOf(rows.db, 'alice', 10);
      return [found?.state, found?.apiKeys, found?.sessions];
    };
    const key: Among<'api_keys'> = {
      table: 'api_keys',
      right: { id: 'key', user_id: 'alice', expires_at: 11 },
      wrong: { user_id: 'bob', expires_at: 10 },
    };
    await rows.finds(key, access, ['active', 1, 0]);
    rows.put('api_keys', { ...key.right, expires_at: null });
    assert.deepEqual(await access(), ['active', 1, 0]);
    const session: Among<'sessions'> = {
      table: 'sessions',
      right: { id_hash: Buffer.from('session'), user_id: 'alice', state: 'active', expires_at: 11 },
      wrong: { user_id: 'bob', state: 'pending', expires_at: 10 },
    };
    await rows.finds(session, access, ['active', 1, 1]);
  });

  test('is a key that is known by its id or by itself', async () => {
    const key = { id: 'key', lookup: Buffer.from('lookup') };
    const found = async (id: string, lookup: string) =>
      (await findKeyById(rows.db, { id, lookup: Buffer.from(lookup) }))?.id;
    rows.put('api_keys', { id: 'other', lookup: Buffer.from('another') }, key);
    assert.equal(await found('key', ''), 'key');
    assert.equal(await found('', 'lookup'), 'key');
    assert.equal(await found('', ''), undefined);
  });
});
