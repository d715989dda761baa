import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import {
  deleteOldUploaderReceipts,
  deleteUploaderReceiptsOf,
  findReceiptOfSubmission,
  findUploaderReceipt,
} from './uploader-receipts.ts';

const [mine, other] = [Buffer.from('mine'), Buffer.from('other')];

describe('Among other receipts of what was handed in', () => {
  const rows = useRows();
  const receipt = (wrong: Among<'uploader_receipts'>['wrong']): Among<'uploader_receipts'> => ({
    table: 'uploader_receipts',
    right: {
      id: 'id',
      owner_id: 'alice',
      submission_hash: mine,
      receipt_sealed: rows.db.keys.sealText('text', '{"id":"id"}', 'receipt/id'),
      expires_at: 11,
    },
    wrong,
  });

  test('one is found by its id until it ends, or by what was handed in', async () => {
    const find = async (db: Query) => (await findUploaderReceipt(db, 'id', 10))?.id;
    await rows.finds(receipt({ id: 'other', expires_at: 10 }), find, 'id');
    const bySubmission = async (db: Query) => (await findReceiptOfSubmission(db, mine))?.id;
    await rows.finds(receipt({ submission_hash: other }), bySubmission, 'id');
  });

  test('those of an account go with it, and those that have ended', async () => {
    await rows.changes(receipt({ owner_id: 'bob' }), (tx) => deleteUploaderReceiptsOf(tx, 'alice'), null);
    await rows.changes(receipt({ expires_at: 12 }), (tx) => deleteOldUploaderReceipts(tx, 11), null);
  });
});
