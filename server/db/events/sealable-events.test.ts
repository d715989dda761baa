import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Db, Query } from '../schema/schema.ts';
import {
  countEventsBetween,
  findSealable,
  listEventsAbout,
  listSealableAfter,
  listSealableUpTo,
  type SealableEvent,
  saveErased,
} from './sealable-events.ts';

const right = { seq: 4, actor_id: 'bob', owner_id: 'bob', object_id: 'thing', facts: '{"to":"a@one"}' };
const among = (wrong: Among<'events'>['wrong']): Among<'events'> => ({ table: 'events', right, wrong });
const seqs = async (found: Promise<SealableEvent[]>) => (await found).map(({ event }) => event.seq);

describe('Events to be sealed', () => {
  const rows = useRows({ isReversed: true });
  const put = () => rows.put('events', ...[5, 3, 6, 4].map((seq) => ({ ...right, seq })));

  test('come in order from behind one on', async () => {
    await rows.finds(among({ seq: 3 }), (db) => seqs(listSealableAfter(db, 3, 2)), [4]);
    put();
    assert.deepEqual(await seqs(listSealableAfter(rows.db, 3, 2)), [4, 5]);
  });

  test('are found and counted by their numbers', async () => {
    await rows.finds(among({ seq: 3 }), async (db) => (await findSealable(db, 4))?.event.seq, 4);
    await rows.finds(among({ seq: [3, 5] }), (db) => countEventsBetween(db, 3, 5), 1);
  });

  test('are left of an erasure without their salt', async () => {
    const event = { seq: 4, actorId: 'a', objectId: 'o', ownerId: 'w', facts: {}, remoteIp: '', requestId: 'r' };
    const salts = { secret: null, kept: { actor: 'k' }, erased: { owner: 'e' } };
    const erased = { event, salts } as unknown as SealableEvent;
    const salted: Among<'events'> = {
      table: 'events',
      right: { ...right, salt: Buffer.from('salt'), remote_ip: 'ip' },
      wrong: { seq: 3 },
    };
    await rows.changes(salted, (tx) => saveErased(tx, erased), {
      actor_id: 'a',
      object_id: 'o',
      owner_id: 'w',
      facts: '{}',
      remote_ip: '',
      request_id: 'r',
      salt: null,
      opening: '{"kept":{"actor":"k"},"erased":{"owner":"e"}}',
    });
  });
});

describe('The last events up to one', () => {
  const rows = useRows();

  test('come oldest first', async () => {
    await rows.finds(among({ seq: 5 }), (db) => seqs(listSealableUpTo(db, 4, 2)), [4]);
    rows.put('events', ...[5, 3, 6, 4, 2].map((seq) => ({ ...right, seq })));
    assert.deepEqual(await seqs(listSealableUpTo(rows.db, 5, 2)), [4, 5]);
  });
});

describe('Events about a person', () => {
  const rows = useRows({ isReversed: true });
  const about = (userId: string, words: string[]) => (read: Query) =>
    seqs(listEventsAbout({ read, dialect: 'sqlite' } as Db, { userId, words }, { afterSeq: 3, upToSeq: 5 }));

  test('are those of which they are actor, owner or object, and those that name them', async () => {
    await rows.finds(among({ seq: [3, 6], facts: '{"to":"c@one"}' }), about('nobody', ['A@one']), [4]);
    await rows.finds({ ...among({ actor_id: 'x' }), right: { ...right, actor_id: 'alice' } }, about('alice', []), [4]);
    await rows.finds({ ...among({ owner_id: 'x' }), right: { ...right, owner_id: 'alice' } }, about('alice', []), [4]);
    await rows.finds(among({ object_id: 'x' }), about('thing', []), [4]);
  });

  test('come in order', async () => {
    rows.put('events', { ...right, seq: 5 }, right);
    assert.deepEqual(await about('thing', [])(rows.db), [4, 5]);
  });
});
