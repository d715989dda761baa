// Sends and the policies that judged them, with boundary cases beside them.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Send } from '../../domain/sends.ts';
import type { Query } from '../schema/schema.ts';
import { deleteOldSends, deleteSendsOf, listSendsOfGroup } from './sends.ts';

describe('Among other sends', () => {
  const rows = useRows();
  // The key of the table has the order of the query.
  before(async () => {
    await sql`create table plain as select * from sends`.execute(rows.db);
    await sql`drop table sends`.execute(rows.db);
    await sql`alter table plain rename to sends`.execute(rows.db);
  });
  const send: Among<'sends'> = {
    table: 'sends',
    right: {
      id: 'send',
      kind: 'message',
      user_id: 'alice',
      group_id: 'group',
      policy_id: 'policy',
      facts: '{}',
      sent_at: 5,
    },
    wrong: { group_id: 'other', sent_at: 4 },
  };
  const list = async (db: Query, before: Pick<Send, 'id' | 'sentAt'> | null) => {
    const page = { groupId: 'group', since: 5, before: before as Send | null, limit: 2 };
    return (await listSendsOfGroup(db, page)).map(({ id }) => id);
  };

  test('those of a group since an instant are listed', async () => {
    rows.put('policy_documents', { id: 'policy', document: '{}' });
    await rows.finds(send, (db) => list(db, null), ['send']);
  });

  test('they are listed newest first, then by id from the end, from behind one on', async () => {
    rows.put('policy_documents', { id: 'policy', document: '{}' });
    const made = (id: string, sent_at: number) => ({ ...send.right, id, sent_at });
    rows.put('sends', made('b', 7), made('c', 7), made('d', 6), made('a', 8));
    assert.deepEqual(await list(rows.db, null), ['a', 'c']);
    assert.deepEqual(await list(rows.db, { id: 'c', sentAt: 7 }), ['b', 'd']);
  });

  test('the address of a sender is returned unless the account is deleted', async () => {
    rows.put('policy_documents', { id: 'policy', document: '{}' });
    rows.put('sends', send.right);
    const user = async (db: Query) => {
      const [found] = await listSendsOfGroup(db, { groupId: 'group', since: 5, before: null, limit: 2 });
      return found?.user;
    };
    const right = { id: 'alice', email: 'a@one', state: 'active' } as const;
    await rows.finds({ table: 'users', right, wrong: { id: 'bob', state: 'deleted' } }, user, 'a@one');
  });

  test('those of one person are forgotten with them', async () => {
    await rows.changes({ ...send, wrong: { user_id: 'bob' } }, (tx) => deleteSendsOf(tx, 'alice'), null);
  });

  test('old ones are forgotten in every group', async () => {
    await rows.changes({ ...send, wrong: { sent_at: 6 } }, (tx) => deleteOldSends(tx, 6), null);
    rows.put('sends', send.right, { ...send.right, group_id: 'next' }, { ...send.right, group_id: '' });
    await deleteOldSends(rows.db, 6);
    assert.deepEqual(rows.all('sends'), []);
  });
});
