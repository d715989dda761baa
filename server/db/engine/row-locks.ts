// Locks rows until the transaction ends.
import { type Kysely, PostgresAdapter, type SelectQueryBuilder } from 'kysely';

/** SQLite needs no lock, because it has one writing transaction at a time. */
export function lockRows<Tables, Table extends keyof Tables, Row>(
  db: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? query.forUpdate() : query;
}
