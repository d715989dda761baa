// Ending everything that lets one person in, with the number of each: what a statement about somebody who left says.
import type { Query, Tx } from './schema.ts';

/** Keys, sessions, links for a password, browsers that proved one of these addresses, keys of the drop page. */
export async function deleteAccessOf(
  tx: Tx,
  userId: string,
  addresses: string[],
): Promise<{ apiKeys: number; sessions: number; passwordLinks: number; provenBrowsers: number; dropKeys: number }> {
  const keys = await tx.deleteFrom('api_keys').where('user_id', '=', userId).executeTakeFirst();
  const sessions = await tx.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
  const links = await tx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  const proofs = await tx.deleteFrom('proofs').where('address', 'in', addresses).executeTakeFirst();
  const dropKeys = await tx
    .updateTable('drop_keys')
    .set({ state: 'used' })
    .where('owner_id', '=', userId)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return {
    apiKeys: Number(keys.numDeletedRows),
    sessions: Number(sessions.numDeletedRows),
    passwordLinks: Number(links.numDeletedRows),
    provenBrowsers: Number(proofs.numDeletedRows),
    dropKeys: Number(dropKeys.numUpdatedRows),
  };
}

/** Downloads of their files, and by their addresses, that had begun and not ended. */
export async function countRunningDownloads(db: Query, userId: string, addresses: string[]): Promise<number> {
  const row = await db
    .selectFrom('downloads')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('outcome', '=', 'granted')
    .where('finished_at', 'is', null)
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('recipient', 'in', addresses)]))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Things of this person that an action was recorded on since then, each once. */
export async function listObjectsSince(
  db: Query,
  ownerId: string,
  { afterSeq, actions }: { afterSeq: number; actions: readonly string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('object_id')
    .distinct()
    .where('owner_id', '=', ownerId)
    .where('seq', '>', afterSeq)
    .where('action', 'in', actions as never)
    .execute();
  return rows.map((row) => row.object_id);
}

export async function isUserActive(db: Query, id: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('state').where('id', '=', id).executeTakeFirst();
  return row?.state === 'active';
}
