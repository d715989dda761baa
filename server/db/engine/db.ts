// The interface of both database engines: reading outside transactions, and writing inside one.
import type { Kysely, Transaction } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

export interface Db<Tables> {
  dialect: Dialect;
  /** Reads outside a transaction. Never sees uncommitted rows; refuses to write. */
  read: Kysely<Tables>;
  /**
   * Runs one transaction. Resolves when the commit is durable; rolls back when the work throws. The work may run more
   * than once (a deadlock is retried), so it MUST have no other effects and wait for nothing but the database: on
   * SQLite all other writes wait for it. MUST NOT be called inside `work`.
   */
  write<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Rejects when reading fails or durability is in doubt. Cheap. */
  ping(): Promise<void>;
  /** How many connections the server allows; null when that is unknown or unlimited. */
  connectionsPermitted?(): Promise<number | null>;
  /** SQLite: removes remains of deleted rows from the write-ahead log. */
  scrub?(): Promise<void>;
  /**
   * SQLite: removes remains of rows from the free space of the database file, while writers wait. Returns false if the
   * file is larger than this.
   */
  rewrite?(mostBytes: number): Promise<boolean>;
  close(): Promise<void>;
}
