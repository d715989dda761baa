// PostgreSQL as a `Db`: a bounded pool whose sessions refuse to write outside `write`, and errors of the connection
// told apart from errors of a statement. Never retries anything whose outcome is unknown.
import { CompiledQuery, Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Db } from './db.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import { preparedName } from './kept.ts';
import { checkParameters, exactNumber } from './values.ts';

const CONNECTIONS_MAX = 16;
/** Deadlocks and serialization failures are retried this often. */
const RETRIES_MAX = 3;

/**
 * Read-only unless a transaction says otherwise, as on SQLite, so that a write outside `write` fails in tests of either
 * dialect. The timeouts end what would hold locks for ever; migrations lift the first one.
 */
const SESSION = `
  set default_transaction_read_only = on;
  set default_transaction_isolation = 'read committed';
  set synchronous_commit = on;
  set statement_timeout = '30s';
  set lock_timeout = '5s';
  set idle_in_transaction_session_timeout = '30s';
  set timezone = 'UTC'`;

/** Longer than the server itself allows: only a server that fell silent is given up by it. */
const SILENCE_MS = 40_000;

export interface PostgresOptions {
  /** How long the server may be silent before a connection is given up; 0 waits for ever (long migrations). */
  silenceMs?: number;
}

export async function openPostgres<Tables>(url: string, options: PostgresOptions = {}): Promise<Db<Tables>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: options.silenceMs ?? SILENCE_MS,
    application_name: 'waybill',
    types: { getTypeParser },
  });
  // An idle connection that dies is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new NamedStatementsDialect(pool) });
  let isClosed = false;

  async function ping(): Promise<void> {
    if (isClosed) throw new DatabaseUnavailable('it has been closed');
    await kysely.executeQuery(CompiledQuery.raw('select 1'));
  }

  try {
    await ping();
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    dialect: 'postgres',
    read: kysely,
    async write(work) {
      if (isClosed) throw new DatabaseUnavailable('it has been closed');
      for (let attempt = 1; ; attempt++) {
        try {
          return await kysely.transaction().setAccessMode('read write').execute(work);
        } catch (error) {
          if (!isRetryable(error)) throw error;
          if (attempt > RETRIES_MAX) throw new DatabaseBusy('transactions kept colliding', error);
        }
      }
    },
    ping,
    async scrub() {},
    async close() {
      if (isClosed) return;
      isClosed = true;
      // Waits for the connections that are in use.
      await pool.end();
    },
  };
}

/** One instance for all, so that `kept` compiles once per dialect. */
const adapter = new PostgresAdapter();

class NamedStatementsDialect extends PostgresDialect {
  constructor(pool: pg.Pool) {
    const prepared = new WeakSet<pg.PoolClient>();
    super({
      pool: {
        options: pool.options,
        end: () => pool.end(),
        async connect() {
          const client = await translated(pool.connect());
          if (!prepared.has(client)) await prepareSession(client);
          prepared.add(client);
          return wrapClient(client);
        },
      },
    });
  }

  override createAdapter(): PostgresAdapter {
    return adapter;
  }
}

async function prepareSession(client: pg.PoolClient): Promise<void> {
  // The query that is running is told as well; without a listener the loss of a connection would end the process.
  client.on('error', () => {});
  try {
    await translated(client.query(SESSION));
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Checks parameters, uses prepared statements for what `kept` registered, and translates errors. */
function wrapClient(client: pg.PoolClient): PostgresPoolClient {
  let isLost = false;

  /** What was lost once is not asked again, not even for a rollback, and not handed to the next one. */
  async function unlessLost<T>(ask: () => Promise<T>): Promise<T> {
    if (isLost) throw new DatabaseUnavailable('the connection was given up');
    try {
      return await translated(ask());
    } catch (error) {
      isLost = error instanceof DatabaseUnavailable && !(error instanceof DatabaseBusy);
      throw error;
    }
  }

  function query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new Error('streaming a query is not supported: read page by page');
    checkParameters(parameters);
    const name = preparedName(sql);
    const values = parameters as unknown[];
    return unlessLost(() => client.query(name === null ? { text: sql, values } : { name, text: sql, values }));
  }
  // Kysely's overloads describe cursors as well, which are refused above.
  return {
    query: query as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || isLost),
  };
}

const INT8 = 20;
const NUMERIC = 1700;

/** Counts and sums are numbers, as on SQLite; the driver would give strings because they might not be exact. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (format !== 'binary' && (oid === INT8 || oid === NUMERIC)) return exactNumber;
  return pg.types.getTypeParser(oid, format as 'text');
}

async function translated<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw translatePostgresError(error);
  }
}

function isRetryable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // serialization_failure, deadlock_detected: the server has rolled back, for certain.
  return code === '40001' || code === '40P01';
}

// lock_not_available, query_canceled (statement timeout)
const BUSY_CODES = ['55P03', '57014'];
// connection exceptions, insufficient resources, shutdown and "cannot connect now", system errors
const UNAVAILABLE_CODES = /^(08|53|57P0[1-5]|58)/;
const LOST_CONNECTION = /connection terminated|connection error|query read timeout|cannot use a pool/i;
/** The pool's own words: nobody gave a connection back in time, so nothing was asked of the server. */
const NO_CONNECTION_FREE = /timeout exceeded when trying to connect/i;

export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && BUSY_CODES.includes(code)) return new DatabaseBusy('a lock or a timeout', error);
  if (NO_CONNECTION_FREE.test(error.message)) return new DatabaseBusy('no connection became free', error);
  const isUnavailable =
    (typeof code === 'string' && UNAVAILABLE_CODES.test(code)) ||
    syscall !== undefined ||
    LOST_CONNECTION.test(error.message);
  return isUnavailable ? new DatabaseUnavailable('the connection failed', error) : error;
}
