import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query, Tx } from '../schema/schema.ts';
import { claimKey, deleteOldAnswers, findAnswer } from './idempotency.ts';

const place = { ownerId: 'alice', keyHash: Buffer.from('key') };
const given = { requestHash: Buffer.from('request'), answer: { id: 1 }, createdAt: 9 };

describe('Remembered answers', () => {
  const rows = useRows();
  const answer: Among<'idempotency'> = {
    table: 'idempotency',
    right: { owner_id: 'alice', key_hash: place.keyHash, created_at: 4 },
    wrong: { created_at: 5 },
  };

  test('are found by their owner and their key', async () => {
    const answer_sealed = rows.db.keys.sealText('answer', '1', `alice/${place.keyHash.toString('hex')}`);
    const sealed = { ...answer, right: { ...answer.right, answer_sealed } };
    const wrong = { owner_id: 'bob', key_hash: Buffer.from('other') };
    await rows.finds({ ...sealed, wrong }, async (db: Query) => (await findAnswer(db, place))?.answer, 1);
  });

  test('give way once they are old', async () => {
    rows.put('idempotency', { ...answer.right, created_at: 5 });
    assert.equal(await claimKey(rows.db, place, given, 5), false);
    rows.put('idempotency', answer.right);
    assert.equal(await claimKey(rows.db, place, given, 5), true);
    assert.deepEqual(await findAnswer(rows.db, place), given);
  });

  test('are forgotten once they are old', async () => {
    await rows.changes(answer, (tx: Tx) => deleteOldAnswers(tx, 5), null);
  });
});
