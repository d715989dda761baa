import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { findReceiptReader, listUnmailedReceipts, markReceiptsMailed } from './receipts.ts';

describe('A receipt', () => {
  const rows = useRows();
  const line = { target: 'link:id', attachment_id: 'file', recipient: 'b@one', owner_id: 'alice', download_number: 3 };
  const among = (wrong: Among<'receipt_lines'>['wrong']): Among<'receipt_lines'> => ({
    table: 'receipt_lines',
    right: { ...line, mailed_at: null },
    wrong,
  });

  test('goes to the owner, unless the account is gone', async () => {
    const right = { id: 'alice', email: 'a@one', state: 'active' } as const;
    const wrong = { id: 'bob', state: 'deleted' } as const;
    const find = async (db: Query) => (await findReceiptReader(db, 'alice', 'link:id'))?.email;
    await rows.finds({ table: 'users', right, wrong }, find, 'a@one');
  });

  test('is the first until one of its target was mailed', async () => {
    rows.put('users', { id: 'alice', state: 'active' });
    const isFirst = async (db: Query) => (await findReceiptReader(db, 'alice', 'link:id'))?.isFirst;
    const mailed = { ...among({ target: 'link:other', mailed_at: null }), right: { ...line, mailed_at: 5 } };
    await rows.finds(mailed, isFirst, false);
  });

  test('has the unmailed downloads of its target, in order, at most a hundred', async () => {
    const seal = (id: string) => rows.db.keys.sealText('name', 'name', id);
    rows.put('attachments', { id: 'file', name_sealed: seal('file') });
    rows.put('downloads', { owner_id: 'alice', number: 3 });
    const told = async (db: Query) => (await listUnmailedReceipts(db, 'link:id')).map(({ recipient }) => recipient);
    const wrong = { target: 'link:other', mailed_at: 5, owner_id: 'bob', download_number: 4, attachment_id: 'other' };
    await rows.finds(among(wrong), told, ['b@one']);
    const made = (recipient: string, created_at: number) => ({ ...line, recipient, created_at });
    rows.put('receipt_lines', made('a', 2), made('b', 3), made('c', 1));
    assert.deepEqual(await told(rows.db), ['c', 'a', 'b']);
    rows.put('receipt_lines', ...Array.from({ length: 101 }, (_, index) => made(`${index}`, index)));
    assert.equal((await told(rows.db)).length, 100);
  });

  test('does not report mailed downloads again', async () => {
    const wrong = { target: 'link:other', attachment_id: 'other', recipient: 'c@one' };
    const lines = [{ attachmentId: 'file', recipient: 'b@one' }];
    await rows.changes(among(wrong), (tx) => markReceiptsMailed(tx, 'link:id', lines, 9), { mailed_at: 9 });
  });
});
