// A call that meets an uncommitted change, as with two simultaneous clicks.
import { sql } from 'kysely';
import type { Tx } from '#server/db/schema/schema.ts';
import type { TestApp } from './app.ts';
import type { Reply } from './client.ts';
import { until } from './eventually.ts';

/**
 * Makes `call` while `first` is uncommitted. PostgreSQL blocks the call at the row; SQLite may read before or after the
 * commit.
 */
export async function callDuringTransaction(
  { app }: TestApp,
  first: (tx: Tx) => Promise<unknown>,
  call: () => Promise<Reply>,
): Promise<Reply> {
  const { db } = app.ctx;
  const hasWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const writing = db.write(async (tx) => {
    await first(tx);
    hasWritten.resolve();
    await mayCommit.promise;
  });
  await Promise.race([hasWritten.promise, writing]);
  let isAnswered = false;
  const answered = call().finally(() => {
    isAnswered = true;
  });
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const isWaited = async () => (await waiting.execute(db.read)).rows.length > 0;
  await until(async () => db.dialect === 'sqlite' || isAnswered || isWaited());
  mayCommit.resolve();
  await writing;
  return answered;
}
