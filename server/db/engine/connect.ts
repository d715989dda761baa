// One database by one URL, SQLite or PostgreSQL, behind one small interface: reading outside transactions, and
// writing inside one. Everything else in this folder is built on `Db`. Never hands out a raw connection.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely, Transaction } from 'kysely';
import type { PostgresOptions } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type Dialect = 'sqlite' | 'postgres';

export interface Db<Tables> {
  dialect: Dialect;
  /** For reading outside a transaction. Never sees uncommitted rows of a running transaction; refuses to write. */
  read: Kysely<Tables>;
  /**
   * One transaction. Resolves only when the commit is durable; rolls back when the work throws. The work may run more
   * than once (a deadlock is retried), so it has no effect outside the database, and it waits for nothing but the
   * database: on SQLite everybody else's writes wait for it. Do not call `write` inside it; pass `tx` on.
   */
  write<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Cheap probe for /readyz: rejects when reading fails or durability is in doubt. */
  ping(): Promise<void>;
  /** Removes what deleted rows left behind in the write-ahead log (security D22). PostgreSQL: nothing to do. */
  scrub?(): Promise<void>;
  /** Waits for running transactions. */
  close(): Promise<void>;
}

/**
 * `sqlite:/path/file.db`, `sqlite::memory:` (a temporary file, for tests) or `postgres://user:password@host/name`.
 * Rejects with `DatabaseUnavailable` when it cannot be opened.
 */
export async function connect<Tables>(url: string, options: PostgresOptions = {}): Promise<Db<Tables>> {
  const scheme = url.slice(0, url.indexOf(':'));
  if (scheme === 'sqlite') return refusingNestedWrites(await openSqlite<Tables>(url.slice('sqlite:'.length)));
  if (scheme === 'postgres' || scheme === 'postgresql')
    // Loaded only for those who use it.
    return refusingNestedWrites(await (await import('./postgres.ts')).openPostgres<Tables>(url, options));
  throw new Error('the database URL must begin with sqlite: or postgres:');
}

/** A `write` inside a `write` waits for itself on SQLite and sees other rows on PostgreSQL: a fault, told at once. */
function refusingNestedWrites<Tables>(db: Db<Tables>): Db<Tables> {
  const running = new AsyncLocalStorage<{ isOpen: boolean }>();
  return {
    ...db,
    async write(work) {
      if (running.getStore()?.isOpen) throw new Error('write was called inside a transaction: pass its tx on instead');
      const mark = { isOpen: true };
      try {
        return await running.run(mark, () => db.write(work));
      } finally {
        mark.isOpen = false;
      }
    },
  };
}
