// A call that meets a change which is made and not committed yet: what two people do who press at the same moment.
import { sql } from 'kysely';
import type { Tx } from '#server/db/schema/schema.ts';
import type { TestApp } from './app.ts';
import type { Reply } from './client.ts';
import { until } from './patience.ts';

/**
 * Sends `call` while `first` has written and is not committed yet; what `call` is answered after that. On PostgreSQL the
 * call has looked and waits for the row; on SQLite, where whoever writes waits at once, it may look before or after.
 */
export async function meanwhile(
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
