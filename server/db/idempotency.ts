// Remembered answers of creations sent with an Idempotency-Key (security D27).
import type { Query, Tx } from './schema.ts';

export function findAnswer(db: Query, ownerId: string, keyHash: Buffer) {
  return db
    .selectFrom('idempotency')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
}

/** Claims the key inside the transaction of the creation; false when another request has it and is not too old. */
export async function claimKey(
  tx: Tx,
  row: { ownerId: string; keyHash: Buffer; requestHash: Buffer; answerSealed: Buffer; now: number },
  forgottenBefore: number,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('idempotency')
    .values({
      owner_id: row.ownerId,
      key_hash: row.keyHash,
      request_hash: row.requestHash,
      answer_sealed: row.answerSealed,
      created_at: row.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'key_hash'])
        .doUpdateSet({ request_hash: row.requestHash, answer_sealed: row.answerSealed, created_at: row.now })
        .where('idempotency.created_at', '<', forgottenBefore),
    )
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function deleteOldAnswers(tx: Tx, createdBefore: number): Promise<void> {
  await tx.deleteFrom('idempotency').where('created_at', '<', createdBefore).execute();
}
