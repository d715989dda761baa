// Events of a span, several of them in one instant.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { useRows } from '../../../test/kit/boundary-rows.ts';
import type { UsersTable } from '../schema/schema.ts';
import { type EventFilter, findAccountNames, listAllEvents } from './event-lists.ts';

const all: EventFilter = {
  personId: null,
  actions: null,
  objectId: null,
  from: null,
  to: null,
  hiddenGroupIds: [],
  callerId: 'alice',
};

describe('The log of everything', () => {
  const rows = useRows();

  test('has all events of its first and its last instant', async () => {
    const events = [1, 2, 3, 4, 5, 6].map((seq) => ({ seq, at: 7_200_000 * Math.ceil(seq / 2), facts: '{}' }));
    const list = async (filter: Partial<EventFilter>, beforeSeq: number | null = null) => {
      const found = await listAllEvents(rows.db, { ...all, ...filter }, { beforeSeq, limit: 9 });
      return found.map(({ seq }) => seq).join();
    };
    rows.put('events', ...events);
    for (const direction of ['asc', 'desc']) {
      // An order that no query asks for.
      await sql`create index instants on events (at, seq ${sql.raw(direction)})`.execute(rows.db);
      assert.equal(await list({ from: 14_400_000 }), '6,5,4,3');
      assert.equal(await list({ to: 14_400_001 }), '4,3,2,1');
      assert.equal(await list({ to: 14_400_000 }), '2,1');
      assert.equal(await list({ from: 14_400_000, to: 14_400_001 }), '4,3');
      assert.equal(await list({}, 3), '2,1');
      await sql`drop index instants`.execute(rows.db);
    }
  });

  test('names accounts, but for those out of reach', async () => {
    const reach = { hiddenGroupIds: ['hidden'], callerId: 'alice' };
    const named = async (columns: Partial<UsersTable>) => {
      rows.put('users', { id: 'bob', email: 'b@one', name: 'Bob', group_id: 'near', ...columns });
      return [...(await findAccountNames(rows.db, ['bob', 'alice'], reach)).keys()];
    };
    assert.deepEqual(await named({}), ['bob']);
    assert.deepEqual(await named({ id: 'carol' }), []);
    assert.deepEqual(await named({ group_id: 'hidden' }), []);
    assert.deepEqual(await named({ group_id: 'hidden', id: 'alice' }), ['alice']);
  });
});
