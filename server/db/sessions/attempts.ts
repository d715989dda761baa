// Counters of attempts (docs/adr/0108). A key is a keyed hash; typed values are not stored.
import { type SqlBool, sql } from 'kysely';
import type { Query, Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';

export interface Counter {
  key: string;
  kind: string;
  /** The account or link that administrators see with it. */
  about: string;
  network: string;
  most: number;
  windowMs: number;
  closedMs?: number;
}

/**
 * Counts one attempt; null, without a change, when the counter is at its limit. One statement, so that concurrent
 * attempts cannot exceed the limit.
 */
export async function countAttempt(tx: Tx, counter: Counter, now: number): Promise<number | null> {
  const { key, kind, about, network, most, windowMs, closedMs } = counter;
  const isOver = sql<SqlBool>`attempts.window_ends_at <= ${now}`;
  const endsAt = closedMs === undefined ? sql`attempts.window_ends_at` : sql`${now + closedMs}`;
  const row = await tx
    .insertInto('attempts')
    .values({ key, kind, about, network, failures: 1, began_at: now, window_ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          about,
          failures: sql<number>`case when ${isOver} then 1 else attempts.failures + 1 end`,
          began_at: sql<number>`case when ${isOver} then ${now} else attempts.began_at end`,
          window_ends_at: sql<number>`case when ${isOver} then ${now + windowMs}
            when attempts.failures + 1 >= ${most} then ${endsAt} else attempts.window_ends_at end`,
        })
        .where((eb) => eb.or([isOver, eb('attempts.failures', '<', most)])),
    )
    .returning('failures')
    .executeTakeFirst();
  // Only a first attempt can have added a row.
  if (row?.failures === 1) await deleteSurplusRows(tx, rowLimits.attempts, key);
  return row?.failures ?? null;
}

export async function findWindowEnd(db: Query, key: string): Promise<number | undefined> {
  const row = await db.selectFrom('attempts').select('window_ends_at').where('key', '=', key).executeTakeFirst();
  return row?.window_ends_at;
}

/** Takes counted attempts back, as if they had not been made. */
export async function uncountAttempts(
  tx: Tx,
  { key, windowMs, most }: Pick<Counter, 'key' | 'windowMs' | 'most'>,
  count: number,
): Promise<void> {
  const deleted = await tx
    .deleteFrom('attempts')
    .where('key', '=', key)
    .where('failures', '<=', count)
    .executeTakeFirst();
  if (Number(deleted.numDeletedRows) > 0) return;
  await tx
    .updateTable('attempts')
    .set({
      failures: sql<number>`failures - ${count}`,
      window_ends_at: sql<number>`case when failures >= ${most} then began_at + ${windowMs} else window_ends_at end`,
    })
    .where('key', '=', key)
    .execute();
}

export async function forgetAttempts(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('attempts').where('key', '=', key).execute();
}

export async function deleteOldAttempts(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('attempts').where('window_ends_at', '<', now).execute();
}

export interface ClosedLimit {
  key: string;
  about: string;
  network: string;
  failures: number;
  closedUntil: number;
}

/** Counters of this kind that are at their limit, the longest first. */
export async function listClosedLimits(
  db: Query,
  { kind, most, now, limit }: { kind: string; most: number; now: number; limit: number },
): Promise<ClosedLimit[]> {
  const rows = await db
    .selectFrom('attempts')
    .selectAll()
    .where('kind', '=', kind)
    .where('failures', '>=', most)
    .where('window_ends_at', '>', now)
    .orderBy('window_ends_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ key, about, network, failures, window_ends_at }) => ({
    key,
    about,
    network,
    failures,
    closedUntil: window_ends_at,
  }));
}

/** Returns how many it deleted. */
export async function forgetAttemptsAbout(tx: Tx, userId: string, kinds: readonly string[]): Promise<number> {
  const deleted = await tx
    .deleteFrom('attempts')
    .where('about', '=', userId)
    .where('kind', 'in', [...kinds])
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
