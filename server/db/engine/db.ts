// One database behind one small interface: reading outside transactions, and writing inside one. Both engines implement
// it, and everything else in this folder is built on it. Never hands out a raw connection.
import type { Kysely, Transaction } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

export interface Db<Tables> {
  dialect: Dialect;
  /** For reading outside a transaction. Never sees uncommitted rows of a running transaction; refuses to write. */
  read: Kysely<Tables>;
  /**
   * One transaction. Resolves only when the commit is durable; rolls back when the work throws. The work may run more
   * than once (a deadlock is retried), so it has no effect outside the database, and it waits only for the
   * database: on SQLite all other writes wait for it. Do not call `write` inside it; pass `tx` on.
   */
  write<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Cheap probe for /readyz: rejects when reading fails or durability is in doubt. */
  ping(): Promise<void>;
  /** How many connections the server allows us; null when that cannot be known or has no limit. */
  connectionsPermitted?(): Promise<number | null>;
  /** Removes what deleted rows left behind in the write-ahead log (security D22). PostgreSQL: nothing to do. */
  scrub?(): Promise<void>;
  /**
   * SQLite: the same for the database file, where rows that moved leave copies behind in the free space of pages; writing
   * waits. False when the file is larger than this.
   */
  rewrite?(mostBytes: number): Promise<boolean>;
  /** Waits for running transactions. */
  close(): Promise<void>;
}
