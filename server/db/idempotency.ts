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

/**
 * Claims the key inside the transaction of the creation; false when another request has it. An answer from before
 * `expiredBefore` that nobody tidied away yet gives way.
 */
export async function claimKey(
  tx: Tx,
  row: { ownerId: string; keyHash: Buffer; requestHash: Buffer; answerSealed: Buffer; now: number },
  expiredBefore: number,
): Promise<boolean> {
  const answer = { request_hash: row.requestHash, answer_sealed: row.answerSealed, created_at: row.now };
  const claimed = await tx
    .insertInto('idempotency')
    .values({ owner_id: row.ownerId, key_hash: row.keyHash, ...answer })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'key_hash'])
        .doUpdateSet(answer)
        .where('idempotency.created_at', '<', expiredBefore),
    )
    .executeTakeFirst();
  return Number(claimed.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function deleteOldAnswers(tx: Tx, createdBefore: number): Promise<void> {
  await tx.deleteFrom('idempotency').where('created_at', '<', createdBefore).execute();
}
