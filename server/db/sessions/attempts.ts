// Failed attempts that must survive a restart (security D12).
import { sql } from 'kysely';
import type { Query, Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';

export interface Attempts {
  failures: number;
  windowEndsAt: number;
}

export async function findAttempts(db: Query, key: string): Promise<Attempts | undefined> {
  const row = await db
    .selectFrom('attempts')
    .select(['failures', 'window_ends_at'])
    .where('key', '=', key)
    .executeTakeFirst();
  return row === undefined ? undefined : { failures: row.failures, windowEndsAt: row.window_ends_at };
}

/** Counts one, up to `most`, inside a window that starts with the first; the count is exact under concurrency. */
export async function countFailure(
  tx: Tx,
  { key, now, windowMs, most }: { key: string; now: number; windowMs: number; most: number },
): Promise<Attempts> {
  const isOver = sql<boolean>`attempts.window_ends_at <= ${now}`;
  const row = await tx
    .insertInto('attempts')
    .values({ key, failures: 1, window_ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        failures: sql<number>`case when ${isOver} then 1 when attempts.failures >= ${most} then attempts.failures else attempts.failures + 1 end`,
        window_ends_at: sql<number>`case when ${isOver} then ${now + windowMs} else attempts.window_ends_at end`,
      }),
    )
    .returning(['failures', 'window_ends_at'])
    .executeTakeFirstOrThrow();
  // Only a first failure can have added a row.
  if (row.failures === 1) await deleteSurplusRows(tx, rowLimits.attempts, key);
  return { failures: row.failures, windowEndsAt: row.window_ends_at };
}

export async function uncountFailure(tx: Tx, key: string): Promise<void> {
  await tx
    .updateTable('attempts')
    .set((eb) => ({ failures: eb('failures', '-', 1) }))
    .where('key', '=', key)
    .where('failures', '>', 0)
    .execute();
}

/** Keeps the door closed for a while after too many failures. */
export async function extendWindow(tx: Tx, key: string, endsAt: number): Promise<void> {
  await tx.updateTable('attempts').set({ window_ends_at: endsAt }).where('key', '=', key).execute();
}

export async function forgetAttempts(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('attempts').where('key', '=', key).execute();
}

export async function deleteOldAttempts(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('attempts').where('window_ends_at', '<', now).execute();
}

export interface ClosedDoor {
  key: string;
  failures: number;
  closedUntil: number;
}

/** Doors with this beginning of their key that are closed now, the longest first. */
export async function listClosedDoors(
  db: Query,
  { prefix, most, now, limit }: { prefix: string; most: number; now: number; limit: number },
): Promise<ClosedDoor[]> {
  const rows = await db
    .selectFrom('attempts')
    .selectAll()
    .where(beginsWith(prefix))
    .where('failures', '>=', most)
    .where('window_ends_at', '>', now)
    .orderBy('window_ends_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ key: row.key, failures: row.failures, closedUntil: row.window_ends_at }));
}

/** Opens every door of a person: sign-in from all networks, and the second step. Returns how many were counted. */
export async function forgetAttemptsOf(tx: Tx, userId: string): Promise<number> {
  const deleted = await tx
    .deleteFrom('attempts')
    .where((eb) =>
      eb.or([
        eb('key', 'in', [`login:${userId}`, `totp:${userId}`, `password-again:${userId}`]),
        beginsWith(`login:${userId}:`),
      ]),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Not as a range: databases order text by language. The table is small, because what is over is deleted. */
function beginsWith(prefix: string) {
  return sql<boolean>`key like ${`${prefix.replace(/[%_!]/g, '!$&')}%`} escape '!'`;
}
