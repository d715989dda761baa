// Revokes all credentials of a user and counts each kind, for the statement about a user who left.
import { sql } from 'kysely';
import type { Query, Tx } from '../schema/schema.ts';
import { endProofsOf } from '../sessions/codes.ts';
import { deletePairingsOf } from '../sessions/pairings.ts';

export interface LeavingUser {
  userId: string;
  /** Confirmed addresses only: a proof of another address belongs to another person. */
  addresses: string[];
  now: number;
  /** Sessions that were idle for longer had ended. */
  maxIdleMs: number;
}

export interface AccessCounts {
  apiKeys: number;
  /** All keys, also expired ones: the end of each is an event. */
  apiKeyIds: string[];
  sessions: number;
  passwordLinks: number;
  provenBrowsers: number;
  dropKeys: number;
}

/**
 * Deletes keys, sessions, password links, address confirmations and keys of the drop page. Counts those that still
 * worked.
 */
export async function deleteAccessOf(tx: Tx, leaver: LeavingUser): Promise<AccessCounts> {
  const counts = await countAccess(tx, leaver);
  const { userId, addresses, now } = leaver;
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await tx.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('used_at', 'is', null).execute();
  await deletePairingsOf(tx, userId);
  await endProofsOf(tx, addresses, now);
  await tx
    .updateTable('drop_keys')
    .set({ state: 'used' })
    .where('owner_id', '=', userId)
    .where('state', '=', 'open')
    .execute();
  return counts;
}

async function countAccess(tx: Tx, { userId, addresses, now, maxIdleMs }: LeavingUser): Promise<AccessCounts> {
  const count = sql<number>`count(*)`.as('count');
  const keys = await tx
    .selectFrom('api_keys')
    .select(['id', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const sessions = await tx
    .selectFrom('sessions')
    .select(count)
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('is_kept', '=', 1), eb('active_at', '>=', now - maxIdleMs)]))
    .executeTakeFirstOrThrow();
  const links = await tx
    .selectFrom('one_time_tokens')
    .select(count)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  const browsers = await tx
    .selectFrom('proofs')
    .select('id_hash')
    .distinct()
    .where('address', 'in', addresses.length === 0 ? [''] : addresses)
    .where('expires_at', '>', now)
    .execute();
  const dropKeys = await tx
    .selectFrom('drop_keys')
    .select(count)
    .where('owner_id', '=', userId)
    .where('state', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return {
    apiKeys: keys.filter(({ expires_at }) => expires_at === null || expires_at > now).length,
    apiKeyIds: keys.map(({ id }) => id),
    sessions: Number(sessions.count),
    passwordLinks: Number(links.count),
    provenBrowsers: browsers.length,
    dropKeys: Number(dropKeys.count),
  };
}

export async function countRunningDownloads(db: Query, userId: string, addresses: string[]): Promise<number> {
  const row = await db
    .selectFrom('downloads')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('outcome', '=', 'granted')
    .where('finished_at', 'is', null)
    .where((eb) =>
      eb.or([eb('owner_id', '=', userId), ...(addresses.length === 0 ? [] : [eb('recipient', 'in', addresses)])]),
    )
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Objects of this user with one of these events since then, each once. */
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

export async function listActiveUsers(db: Query, ids: readonly string[]): Promise<Set<string>> {
  const active = new Set<string>();
  for (let start = 0; start < ids.length; start += 500) {
    const some = ids.slice(start, start + 500);
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('id', 'in', some)
      .where('state', '=', 'active')
      .execute();
    for (const { id } of rows) active.add(id);
  }
  return active;
}
