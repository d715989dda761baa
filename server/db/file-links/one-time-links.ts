// Queries on the links for choosing a password: single use, only a keyed hash of their token is kept.
import type { OneTimeLink } from '../../domain/sessions.ts';
import type { Query, Tx } from '../schema/schema.ts';

/** One live link per account and kind: a newer one voids older ones. */
export async function replaceOneTimeLink(
  tx: Tx,
  link: Omit<OneTimeLink, 'usedAt'> & { idHash: Buffer; createdAt: number },
): Promise<void> {
  await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', link.userId)
    .where('kind', '=', link.kind)
    .where('used_at', 'is', null)
    .execute();
  await tx
    .insertInto('one_time_tokens')
    .values({
      id_hash: link.idHash,
      kind: link.kind,
      user_id: link.userId,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
      used_at: null,
    })
    .execute();
}

export async function findOneTimeLink(db: Query, idHash: Buffer): Promise<OneTimeLink | undefined> {
  const row = await db.selectFrom('one_time_tokens').selectAll().where('id_hash', '=', idHash).executeTakeFirst();
  if (row === undefined) return undefined;
  return { kind: row.kind, userId: row.user_id, expiresAt: row.expires_at, usedAt: row.used_at };
}

/** Uses a link: true for exactly one of any number of parallel attempts. */
export async function consumeOneTimeLink(tx: Tx, idHash: Buffer, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('id_hash', '=', idHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Those that wait to be used. */
export async function deleteOneTimeLinksOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('used_at', 'is', null).execute();
}

/** Kept for a month after they expired, so that whoever follows one is told what became of it. */
export async function deleteOldOneTimeLinks(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('one_time_tokens')
    .where('expires_at', '<', now - 30 * 86_400_000)
    .execute();
}
