// Failed tries that must survive a restart (security D12).
import { sql } from 'kysely';
import type { Query, Tx } from './schema.ts';

export function findAttempts(db: Query, key: string) {
  return db.selectFrom('attempts').selectAll().where('key', '=', key).executeTakeFirst();
}

/** Counts one failure inside a window that starts with the first; answers the count, exactly, under concurrency. */
export async function countFailure(tx: Tx, key: string, now: number, windowMs: number): Promise<number> {
  const row = await tx
    .insertInto('attempts')
    .values({ key, failures: 1, window_ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        failures: sql<number>`case when attempts.window_ends_at <= ${now} then 1 else attempts.failures + 1 end`,
        window_ends_at: sql<number>`case when attempts.window_ends_at <= ${now} then ${now + windowMs} else attempts.window_ends_at end`,
      }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow();
  return row.failures;
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
