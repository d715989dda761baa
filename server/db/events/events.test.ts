import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  findLastSeq,
  listEventHeadsAfter,
  listEventsNumbered,
  listEventsOf,
  listOwnEventHeadsAfter,
} from './events.ts';

const event: Among<'events'> = {
  table: 'events',
  right: { seq: 4, owner_id: 'alice', action: 'link.created', object_kind: 'link', object_id: 'id', facts: '{}' },
  wrong: { seq: 3 },
};
const numbers = async (found: Promise<{ seq: number }[]>) => (await found).map(({ seq }) => seq);

describe('Among other events', () => {
  const rows = useRows({ isReversed: true });
  const put = () => rows.put('events', ...[5, 3, 6, 4].map((seq) => ({ ...event.right, seq })));

  test('news come in order from behind one on, so many at a time', async () => {
    await rows.finds(event, (db) => numbers(listEventHeadsAfter(db, 3, 2)), [4]);
    put();
    assert.deepEqual(await numbers(listEventHeadsAfter(rows.db, 3, 2)), [4, 5]);
  });

  test('those with these numbers come in order', async () => {
    await rows.finds(event, (db) => numbers(listEventsNumbered(db, [4, 9])), [4]);
    put();
    assert.deepEqual(await numbers(listEventsNumbered(rows.db, [6, 3, 5])), [3, 5, 6]);
  });

  test('new events of one owner come in order, without events that have no owner', async () => {
    const news = (db: Query) => numbers(listOwnEventHeadsAfter(db, 'alice', 3, 2));
    await rows.finds({ ...event, wrong: { seq: 3, owner_id: ['bob', ''] } }, news, [4]);
    put();
    assert.deepEqual(await news(rows.db), [4, 5]);
    rows.put('events', { ...event.right, owner_id: '' });
    assert.deepEqual(await listOwnEventHeadsAfter(rows.db, '', 3, 2), []);
  });
});

describe('Of all events', () => {
  const rows = useRows();
  const put = () => rows.put('events', ...[5, 3, 6, 4].map((seq) => ({ ...event.right, seq })));

  test('the last one has the highest number', async () => {
    put();
    assert.equal(await findLastSeq(rows.db), 6);
  });

  test('events of one object come newest first, before a number', async () => {
    const told = (db: Query) =>
      numbers(
        listEventsOf(db, { kind: 'link', id: 'id' }, ['link.created', 'link.changed'], { size: 2, beforeSeq: 6 }),
      );
    const wrong = { seq: 6, object_kind: 'message', object_id: 'other', action: 'link.deleted' } as const;
    await rows.finds({ ...event, wrong }, told, [4]);
    put();
    assert.deepEqual(await told(rows.db), [5, 4]);
  });
});
