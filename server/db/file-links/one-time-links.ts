// Queries on links for choosing a password: single use, only a keyed hash of their token is stored.
import type { OneTimeLink } from '../../domain/sessions.ts';
import type { OneTimeTokensTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const links = defineTable<OneTimeTokensTable>()(({ plain }) => plain('kind', 'user_id', 'expires_at', 'used_at'));

/** One live link per account and kind: a newer one replaces older ones. */
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
    .values({ ...links.write({ ...link, usedAt: null }), id_hash: link.idHash, created_at: link.createdAt })
    .execute();
}

export async function findOneTimeLink(db: Query, idHash: Buffer): Promise<OneTimeLink | undefined> {
  const row = await db.selectFrom('one_time_tokens').selectAll().where('id_hash', '=', idHash).executeTakeFirst();
  return row && links.read(row);
}

/** True for exactly one of concurrent attempts. */
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

export async function deleteOneTimeLinksOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('used_at', 'is', null).execute();
}

/** Kept for a month after they expire, so that an old link can be explained. */
export async function deleteOldOneTimeLinks(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('one_time_tokens')
    .where('expires_at', '<', now - 30 * 86_400_000)
    .execute();
}
