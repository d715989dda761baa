import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { deleteErasure, listErasures, noteSwept } from './erasures.ts';

describe('Erasures', () => {
  const rows = useRows();
  const begun = (id: string, created_at: number) => ({
    id,
    person_sealed: rows.db.keys.sealText('text', '{}', `erasure/${id}`),
    created_at,
  });

  test('are listed once they are old enough, the oldest first, then by id', async () => {
    const list = async () => (await listErasures(rows.db, 10, 3)).map(({ id }) => id);
    await rows.finds({ table: 'erasures', right: begun('one', 10), wrong: { created_at: 11 } }, list, ['one']);
    rows.put('erasures', begun('c', 2), begun('b', 2), begun('a', 3), begun('d', 1));
    assert.deepEqual(await list(), ['d', 'b', 'c']);
  });

  test('are noted and deleted one by one', async () => {
    const one: Among<'erasures'> = { table: 'erasures', right: { id: 'one' }, wrong: { id: 'other' } };
    await rows.changes(one, (tx) => noteSwept(tx, 'one', 7), { swept_seq: 7 });
    await rows.changes(one, (tx) => deleteErasure(tx, 'one'), null);
  });
});
