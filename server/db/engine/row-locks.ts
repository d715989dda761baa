// Locks rows until the transaction ends.
import { type Kysely, PostgresAdapter, type SelectQueryBuilder } from 'kysely';

/** For what is looked at and changed afterwards. On SQLite there is only one transaction that writes. */
export function lockRows<Tables, Table extends keyof Tables, Row>(
  db: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? query.forUpdate() : query;
}
