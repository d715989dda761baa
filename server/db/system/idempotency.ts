// Stored answers of requests with an Idempotency-Key, encrypted.
import type { Query, Tx } from '../schema/schema.ts';

export interface AnswerPlace {
  ownerId: string;
  keyHash: Buffer;
}

export interface RememberedAnswer {
  /** A keyed hash, because a request may contain a password that could be guessed from a plain one. */
  requestHash: Buffer;
  answer: unknown;
  createdAt: number;
}

export async function findAnswer(db: Query, place: AnswerPlace): Promise<RememberedAnswer | undefined> {
  const row = await db
    .selectFrom('idempotency')
    .selectAll()
    .where('owner_id', '=', place.ownerId)
    .where('key_hash', '=', place.keyHash)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const answer: unknown = JSON.parse(db.keys.openText('answer', row.answer_sealed, contextOf(place)));
  return { requestHash: row.request_hash, answer, createdAt: row.created_at };
}

/**
 * Claims the key in the transaction of the creation; false when another request has it. Replaces an answer from before
 * `expiredBefore`.
 */
export async function claimKey(
  tx: Tx,
  place: AnswerPlace,
  given: RememberedAnswer,
  expiredBefore: number,
): Promise<boolean> {
  const columns = {
    request_hash: given.requestHash,
    answer_sealed: tx.keys.sealText('answer', JSON.stringify(given.answer), contextOf(place)),
    created_at: given.createdAt,
  };
  const claimed = await tx
    .insertInto('idempotency')
    .values({ owner_id: place.ownerId, key_hash: place.keyHash, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'key_hash'])
        .doUpdateSet(columns)
        .where('idempotency.created_at', '<', expiredBefore),
    )
    .executeTakeFirst();
  return Number(claimed.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** Binds an encrypted answer to its row. */
function contextOf({ ownerId, keyHash }: AnswerPlace): string {
  return `${ownerId}/${keyHash.toString('hex')}`;
}

export async function deleteOldAnswers(tx: Tx, createdBefore: number): Promise<void> {
  await tx.deleteFrom('idempotency').where('created_at', '<', createdBefore).execute();
}
