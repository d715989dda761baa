// Failed attempts that must survive a restart (security D12).
import { sql } from 'kysely';
import type { Query, Tx } from './schema.ts';

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
