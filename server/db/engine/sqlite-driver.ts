// Kysely's driver for one `node:sqlite` connection: runs compiled queries through a bounded cache of prepared
// statements and translates SQLite's codes.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DatabaseBusy } from './errors.ts';
import { named, naming, translated, translateSqliteError, whenNotBusy } from './sqlite-errors.ts';
import type { SqliteRole } from './sqlite-open.ts';
import { checkParameters, type SqlValue } from './values.ts';

/** Statements cached per connection. Lists of varying length create many texts. */
const STATEMENTS_MAX = 300;

type Row = Record<string, unknown>;

interface Prepared {
  statement: StatementSync;
  columns: string[];
  /** Columns that may hold bytes: those not declared as numbers or text. */
  byteColumns: number[];
}

export interface SqliteConnection extends DatabaseConnection {
  /** When it last began or ran anything, by the monotonic clock. */
  readonly usedAtMs: number;
  begin(): Promise<void>;
  commit(): void;
  rollback(): void;
}

export function createSqliteConnection(
  database: DatabaseSync,
  role: SqliteRole,
  busyTimeoutMs: number,
): SqliteConnection {
  const cache = createStatementCache(database);
  const path = database.location();
  let usedAtMs = performance.now();

  function run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    // A query that was not awaited would otherwise run after the commit, or in the next transaction.
    if (role === 'writer' && !database.isTransaction) throw new Error('the transaction of this query has ended');
    checkParameters(parameters);
    usedAtMs = performance.now();
    const prepared = cache.get(sql);
    if (prepared.columns.length === 0) {
      const { changes } = prepared.statement.run(...(parameters as SqlValue[]));
      if (/^\s*(create|alter|drop)\b/i.test(sql)) cache.clear();
      return { numAffectedRows: BigInt(changes), rows: [] };
    }
    const rows = prepared.statement.all(...(parameters as SqlValue[])) as unknown as unknown[][];
    return { rows: toObjects(prepared, rows) as R[] };
  }

  return {
    get usedAtMs() {
      return usedAtMs;
    },
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      try {
        return run<R>(query);
      } catch (error) {
        const translated = translateSqliteError(named(error, path));
        if (!(translated instanceof DatabaseBusy)) throw translated;
      }
      return whenNotBusy(() => naming(path, () => run<R>(query)), busyTimeoutMs);
    },
    // An open cursor would freeze what all other reads of the connection see, and keep the WAL from being emptied.
    // biome-ignore lint/correctness/useYield: the interface asks for a generator
    async *streamQuery() {
      throw new Error('streaming a query is not supported: read page by page');
    },
    // IMMEDIATE takes the lock at the start, because a transaction cannot wait for a lock later.
    async begin() {
      await whenNotBusy(() => database.exec('BEGIN IMMEDIATE'), busyTimeoutMs);
      usedAtMs = performance.now();
    },
    commit: () => translated(() => naming(path, () => database.exec('COMMIT'))),
    // SQLite rolls back automatically after some errors, such as a full disk.
    rollback: () => translated(() => database.isTransaction && database.exec('ROLLBACK')),
  };
}

/**
 * Sends statements directly to the connection until the returned function is called. Kysely passes each one through six
 * promises, for pools, plugins and cancellation, which are not used here: finding a row takes 4.3 µs instead of 6.7 µs,
 * and `POST /message` runs twelve statements.
 */
export function executeDirectly<Tables>(db: Kysely<Tables>, connection: SqliteConnection): () => void {
  const executor = db.getExecutor();
  const { executeQuery } = executor;
  executor.executeQuery = <R>(query: CompiledQuery<R>) => connection.executeQuery<R>(query);
  return () => {
    executor.executeQuery = executeQuery;
  };
}

/** One instance, so that `prepared` compiles once per dialect. The write lock replaces Kysely's. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
const adapter = new NodeSqliteAdapter();

export function createSqliteDialect(connection: SqliteConnection, role: SqliteRole): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    async beginTransaction() {
      if (role === 'reader') throw new Error('transactions begin with write()');
      await connection.begin();
    },
    commitTransaction: async () => connection.commit(),
    rollbackTransaction: async () => connection.rollback(),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Searches the least recently used statement only when there are too many, so that a use is cheap. */
function createStatementCache(database: DatabaseSync): { get(sql: string): Prepared; clear(): void } {
  const kept = new Map<string, { prepared: Prepared; lastUse: number }>();
  let uses = 0;
  return {
    get(sql) {
      uses += 1;
      const known = kept.get(sql);
      if (known) {
        known.lastUse = uses;
        return known.prepared;
      }
      const prepared = prepare(database, sql);
      kept.set(sql, { prepared, lastUse: uses });
      if (kept.size > STATEMENTS_MAX) kept.delete(leastRecent(kept));
      return prepared;
    },
    clear: () => kept.clear(),
  };
}

function prepare(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, ...describe(statement) };
}

function describe(statement: StatementSync): Pick<Prepared, 'columns' | 'byteColumns'> {
  const columns = statement.columns();
  return {
    columns: columns.map((column) => column.name),
    byteColumns: [...columns.keys()].filter(
      (index) => !/int|char|text|clob|real|floa|doub/i.test(columns[index]!.type ?? ''),
    ),
  };
}

/** Plain objects like those of PostgreSQL's driver, with bytes as Buffers over the same memory. */
function toObjects(prepared: Prepared, rows: unknown[][]): Row[] {
  // SQLite prepares a statement again when another process has changed the schema; `select *` then has other columns.
  if (rows[0] && rows[0].length !== prepared.columns.length) Object.assign(prepared, describe(prepared.statement));
  const { columns, byteColumns } = prepared;
  const objects: Row[] = new Array(rows.length);
  for (let index = 0; index < rows.length; index++) {
    const values = rows[index]!;
    for (const column of byteColumns) {
      const value = values[column];
      if (value instanceof Uint8Array) values[column] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const object: Row = {};
    for (let column = 0; column < columns.length; column++) object[columns[column]!] = values[column];
    objects[index] = object;
  }
  return objects;
}

function leastRecent(kept: Map<string, { lastUse: number }>): string {
  let least = Number.POSITIVE_INFINITY;
  let found = '';
  for (const [sql, { lastUse }] of kept) if (lastUse < least) [least, found] = [lastUse, sql];
  return found;
}
