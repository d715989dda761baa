// PostgreSQL as a `Db`: a bounded pool whose sessions refuse to write outside `write`. Never retries a statement whose
// outcome is unknown. Works through a connection pooler in transaction mode, where sessions have no state
// (docs/adr/0089).
import { Socket } from 'node:net';
import { CompiledQuery, Kysely, PostgresAdapter, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import type { Db } from './db.ts';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';
import { translatePostgresError } from './postgres-errors.ts';
import { createPatientPool } from './postgres-pool.ts';
import { type Greeting, SilenceWatch } from './postgres-silence.ts';
import { preparedName } from './prepared.ts';
import { checkParameters, exactNumber } from './values.ts';

const CONNECTIONS = 16;
/** How often deadlocks and serialization failures are retried. */
const RETRIES_MAX = 3;

/**
 * Read-only outside transactions, so that a write outside `write` fails as on SQLite. The timeouts release locks of
 * stuck transactions; migrations lift the first one.
 */
const SESSION = `
  set default_transaction_read_only = on;
  set default_transaction_isolation = 'read committed';
  set synchronous_commit = on;
  set statement_timeout = '30s';
  set lock_timeout = '5s';
  set idle_in_transaction_session_timeout = '30s';
  set timezone = 'UTC'`;

/** The same for one transaction, if other programs share the session. */
const TRANSACTION = `
  set local synchronous_commit = on;
  set local statement_timeout = '30s';
  set local lock_timeout = '5s';
  set local idle_in_transaction_session_timeout = '30s'`;

/** Longer than the timeouts of the server. */
const SILENCE_MS = 40_000;

export interface PostgresOptions {
  /** How long the server may be silent before a connection is closed; 0 means without limit (long migrations). */
  silenceMs?: number;
  /** The most connections; 16 by default. */
  connections?: number;
}

export async function openPostgres<Tables>(url: string, options: PostgresOptions = {}): Promise<Db<Tables>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? CONNECTIONS,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: options.silenceMs ?? SILENCE_MS,
    application_name: 'waybill',
    types: { getTypeParser },
  });
  // The pool replaces an idle connection that fails; without a listener the error would end the process.
  pool.on('error', () => {});
  const watch = new SilenceWatch(() => greet(url));
  const dialect = new NamedStatementsDialect(pool, watch);
  const kysely = new Kysely<Tables>({ dialect });
  let isClosed = false;

  async function ping(): Promise<void> {
    if (isClosed) throw new DatabaseUnavailable('it has been closed');
    await kysely.executeQuery(CompiledQuery.raw('select 1'));
  }

  try {
    await ping();
  } catch (error) {
    watch.close();
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
    connectionsPermitted: async () => (dialect.isPooled ? null : connectionsPermitted(kysely)),
    async scrub() {},
    async close() {
      if (isClosed) return;
      isClosed = true;
      await pool.end();
      watch.close();
    },
  };
}

/** A new connection that checks whether the server responds. A pooler answers itself. */
function greet(url: string): Greeting {
  const socket = new Socket();
  const client = new pg.Client({ connectionString: url, application_name: 'waybill', stream: () => socket });
  client.on('error', () => {});
  let isGreeted = false;
  const heard = client.connect().then(() => {
    isGreeted = true;
  });
  // A silent server would not close a connection that ends in the regular way.
  const abandon = () => (isGreeted ? void client.end().catch(() => {}) : void socket.destroy());
  return { heard, abandon };
}

/** One instance, so that `prepared` compiles once per dialect. */
const adapter = new PostgresAdapter();

class NamedStatementsDialect extends PostgresDialect {
  /** Whether a pooler shares sessions of the server between transactions. */
  get isPooled(): boolean {
    return this.#sessions.isPooled();
  }
  readonly #sessions: Sessions;

  constructor(pool: pg.Pool, watch: SilenceWatch) {
    const sessions = createSessions(watch);
    const connect = createPatientPool(pool);
    super({
      pool: {
        options: pool.options,
        end: () => pool.end(),
        async connect() {
          const client = await translated(watch.await(connect, (late) => late.release(true)));
          await sessions.prepare(client);
          return wrapClient(client, sessions, watch);
        },
      },
    });
    this.#sessions = sessions;
  }

  override createAdapter(): PostgresAdapter {
    return adapter;
  }
}

type Sessions = ReturnType<typeof createSessions>;

/** Sets up each new session, except behind a pooler. */
function createSessions(watch: SilenceWatch) {
  const prepared = new WeakSet<pg.PoolClient>();
  let isPooled: boolean | null = null;
  return {
    /** Part of the names of prepared statements, so that all change when one is outdated. */
    plans: { generation: 0 },
    isPooled: () => isPooled === true,
    async prepare(client: pg.PoolClient): Promise<void> {
      if (prepared.has(client)) return;
      // The running query rejects as well; without a listener the error would end the process.
      client.on('error', () => {});
      try {
        isPooled ??= await watch.ask(() => isBehindPooler(client));
        if (!isPooled) await translated(watch.ask(() => client.query(SESSION)));
      } catch (error) {
        client.release(true);
        throw error;
      }
      prepared.add(client);
    },
  };
}

/** A pooler greets with another process number than the server that runs the statements. */
async function isBehindPooler(client: pg.PoolClient): Promise<boolean> {
  const { processID } = client as unknown as { processID: number | null };
  const { rows } = await translated(client.query<{ pid: number }>('select pg_backend_pid() as pid'));
  return rows[0]?.pid !== processID;
}

async function connectionsPermitted<Tables>(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ permitted: number }>`
    select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as permitted`.execute(db);
  return rows[0]?.permitted ?? null;
}

/** Checks parameters, names the statements that `prepared` registered, and translates errors. */
function wrapClient(client: pg.PoolClient, { isPooled, plans }: Sessions, watch: SilenceWatch): PostgresPoolClient {
  let isLost = false;
  let isInTransaction = false;

  /** A lost connection is not used again, not even for a rollback. */
  async function unlessLost<T>(ask: () => Promise<T>): Promise<T> {
    if (isLost) throw new DatabaseUnavailable('the connection was closed as silent');
    try {
      return await translated(watch.ask(ask));
    } catch (error) {
      isLost = error instanceof DatabaseUnavailable && !(error instanceof DatabaseBusy);
      throw error;
    }
  }

  function query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new Error('streaming a query is not supported: read page by page');
    checkParameters(parameters);
    const name = isPooled() ? null : preparedName(sql);
    const text = isPooled() && BEGIN.test(sql) ? `${sql};${TRANSACTION}` : sql;
    const values = parameters as unknown[];
    if (BEGIN.test(sql)) isInTransaction = true;
    if (name === null) return unlessLost(() => client.query({ text, values }));
    const { generation } = plans;
    return unlessLost(() =>
      client.query({ name: `${name}_${generation}`, text, values }).catch((error: unknown) => {
        if (!isOutdatedPlan(error)) throw error;
        if (plans.generation === generation) plans.generation += 1;
        // The server has aborted the transaction, so it is repeated as a whole.
        if (isInTransaction) throw error;
        return client.query({ text, values });
      }),
    );
  }
  // Kysely's overloads include cursors, which are refused above.
  return {
    query: query as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || isLost),
  };
}

const BEGIN = /^(begin|start transaction)\b/;

const INT8 = 20;
const NUMERIC = 1700;

/** Counts and sums become numbers, as on SQLite; the driver returns strings because they might not be exact. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
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
  // serialization_failure, deadlock_detected: the server has rolled back.
  return code === '40001' || code === '40P01' || isOutdatedPlan(error);
}

/** A table has got columns since the statement was prepared. The message may be in any language. */
function isOutdatedPlan(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
