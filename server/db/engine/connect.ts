// Opens the database that a URL names, SQLite or PostgreSQL.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from './db.ts';
import type { PostgresOptions } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/**
 * `sqlite:/path/file.db`, `sqlite::memory:` (a temporary file, for tests) or `postgres://user:password@host/name`.
 * Rejects with `DatabaseUnavailable` if it cannot be opened.
 */
export async function connect<Tables>(url: string, options: PostgresOptions = {}): Promise<Db<Tables>> {
  const scheme = url.slice(0, url.indexOf(':'));
  if (scheme === 'sqlite') return refusingNestedWrites(await openSqlite<Tables>(url.slice('sqlite:'.length)));
  if (scheme === 'postgres' || scheme === 'postgresql')
    return refusingNestedWrites(await (await import('./postgres.ts')).openPostgres<Tables>(url, options));
  throw new Error('the database URL must begin with sqlite: or postgres:');
}

/** A `write` inside a `write` would wait for itself on SQLite, and see other rows on PostgreSQL. */
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
