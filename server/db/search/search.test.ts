import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { listSentForSearch } from './search.ts';

describe('Looked through', () => {
  const rows = useRows();
  const made = (id: string, created_at: number) => ({
    id,
    owner_id: 'alice',
    origin: 'sent' as const,
    created_at,
    subject_sealed: rows.db.keys.sealText('text', '', `${id}/subject`),
  });
  const search = async (db: Query, offset = 0) =>
    (await listSentForSearch(db, 'alice', { offset, limit: 2 })).map(({ id }) => id);

  test('are messages that the owner sent', async () => {
    const wrong: Among<'messages'>['wrong'] = { owner_id: 'bob', origin: ['request', 'filedrop'] };
    await rows.finds({ table: 'messages', right: made('a', 1), wrong }, (db) => search(db), ['a']);
  });

  test('are the newest first, then by id from the end, a page at a time', async () => {
    rows.put('messages', made('b', 2), made('c', 2), made('d', 1), made('a', 3));
    assert.deepEqual(await search(rows.db), ['a', 'c']);
    assert.deepEqual(await search(rows.db, 2), ['b', 'd']);
  });
});
