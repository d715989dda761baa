import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query, StatementsTable, Tx } from '../schema/schema.ts';
import {
  findLatestStatement,
  findStatement,
  finishStatement,
  listOpenStatements,
  listStatements,
} from './statements.ts';

describe('Among other statements', () => {
  const rows = useRows();
  const made = (id: string, columns: Partial<StatementsTable>) => ({
    id,
    about_user_id: id,
    kind: 'leave' as const,
    state: 'open' as const,
    document_sealed: rows.db.keys.sealText('text', 'asked', `statement/${id}`),
    ...columns,
  });
  const among = (columns: Partial<StatementsTable>, wrong: Among<'statements'>['wrong']): Among<'statements'> => ({
    table: 'statements',
    right: made('id', columns),
    wrong,
  });
  const ids = async (found: Promise<{ id: string }[]>) => (await found).map(({ id }) => id);

  test('one is found by its id', async () => {
    await rows.finds(among({}, { id: 'other' }), async (db) => (await findStatement(db, 'id'))?.documentText, 'asked');
  });

  test('one that is open is finished', async () => {
    const finish = async (tx: Query & Tx) => {
      await finishStatement(tx, 'id', { documentText: 'found', note: 'signed', now: 9 });
      const [row] = rows.all('statements');
      const { id, note = '', finished_at: at = null, state } = row ?? {};
      return at === null ? note : { id, note, at, state, text: (await findStatement(tx, 'id'))?.documentText };
    };
    const found = { id: 'id', note: 'signed', at: 9, state: 'made', text: 'found' };
    await rows.finds(among({}, { id: 'other', state: 'made' }), finish, found);
  });

  test('those that have been open since before an instant are resumed, oldest first', async () => {
    const open = (db: Query) => ids(listOpenStatements(db, 5, 2));
    await rows.finds(among({ created_at: 5 }, { state: 'made', created_at: 6 }), open, ['id']);
    const begun = (id: string, created_at: number) => made(id, { created_at });
    rows.put('statements', begun('a', 2), begun('b', 3), begun('c', 1));
    assert.deepEqual(await open(rows.db), ['c', 'a']);
  });

  test('the latest of a kind about a person is the newest, of one instant the one begun last, then the last by id', async () => {
    const latest = async (db: Query) => (await findLatestStatement(db, 'alice', 'leave'))?.id;
    const about = { about_user_id: 'alice', state: 'made' } as const;
    await rows.finds(among(about, { about_user_id: 'bob', kind: 'exposure' }), latest, 'id');
    const at = (id: string, created_at: number, begun_seq = 7) => made(id, { ...about, created_at, begun_seq });
    rows.put('statements', at('b', 2), at('c', 2), at('d', 1, 9), at('e', 2, 6));
    assert.equal(await latest(rows.db), 'c');
    rows.put('statements', at('a', 2, 8));
    assert.equal(await latest(rows.db), 'a');
  });

  test('finished ones are listed newest first, then by descending id, after one', async () => {
    const list = (db: Query, before: { createdAt: number; id: string } | null) =>
      ids(listStatements(db, { before, limit: 2 }));
    await rows.finds(among({ state: 'made' }, { state: 'open' }), (db) => list(db, null), ['id']);
    const at = (id: string, created_at: number) => made(id, { state: 'made', created_at });
    rows.put('statements', at('b', 2), at('c', 2), at('d', 1), at('a', 3));
    assert.deepEqual(await list(rows.db, null), ['a', 'c']);
    assert.deepEqual(await list(rows.db, { createdAt: 2, id: 'c' }), ['b', 'd']);
  });
});
