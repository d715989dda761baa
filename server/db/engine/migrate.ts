// Brings the tables of a database up to what this version needs: each missing migration in its own transaction, in
// order, recorded by name. Safe when several processes start together, and while an older or newer version works with the
// same tables (docs/adr/0090). Never touches a database that this version cannot work with.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { OperatorProblem } from '../../lib/operator-problem.ts';
import { version } from '../../lib/version.ts';
import type { Db, Dialect } from './db.ts';
import { DatabaseBusy } from './errors.ts';

export interface Migration {
  /** Unique and lasting; migrations run in the order of the list. */
  name: string;
  /**
   * For a clean-up, which takes something away or demands more of what is written: the migration that came with the oldest
   * version that works with the tables afterwards. A program that does not know that migration stops being ready.
   */
  needs?: string;
  /** The tables are those of this moment in history, so no type of today describes them. */
  up(tx: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

interface MigrationTables {
  migrations: { name: string; applied_at: number; needs: string | null; version: string | null };
}

/** The last two are missing where no version that has them has been yet. */
type Applied = { name: string; needs?: string | null; version?: string | null };

/** Held on PostgreSQL while migrating; any unused number. */
const ADVISORY_LOCK = 7_292_245_501;
/** Another process may be at a long migration: a longer timeout than a request has. */
const ATTEMPTS_MAX = 100;
/** Queries on a table that we wait for queue behind us. So we give up soon, let them pass, and try again. */
const TABLE_LOCK_MS = 1000;
const PAUSE_MAX_MS = 1000;

/** Returns the names of those that ran. */
export async function migrate<Tables>(
  db: Db<Tables>,
  migrations: readonly Migration[],
  now: () => number = Date.now,
): Promise<string[]> {
  refuseDuplicates(migrations);
  const ran: string[] = [];
  const applied = await findApplied(db);
  refuseForeign(applied, migrations);
  // Nothing takes a migration back. Where versions were not recorded yet, the first one that is looked at adds the columns.
  const done = new Set(applied.filter(({ needs }) => needs !== undefined).map(({ name }) => name));
  for (const migration of migrations.filter(({ name }) => !done.has(name))) {
    if (await patiently(migration, () => apply(db, migrations, migration, now))) ran.push(migration.name);
  }
  return ran;
}

/** Names that `migrate` would run, in order. Changes nothing. Refuses tables that this version cannot work with. */
export async function pendingMigrations<Tables>(db: Db<Tables>, migrations: readonly Migration[]): Promise<string[]> {
  const applied = await findApplied(db);
  refuseForeign(applied, migrations);
  const names = new Set(applied.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !names.has(name));
}

function apply<Tables>(
  db: Db<Tables>,
  all: readonly Migration[],
  migration: Migration,
  now: () => number,
): Promise<boolean> {
  return db.write(async (transaction) => {
    // The tables of the caller say nothing about the one table that belongs to this file.
    const tx = transaction as unknown as Transaction<MigrationTables>;
    if (db.dialect === 'postgres') {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local lock_timeout = '10min'`.execute(tx);
      await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(tx);
      await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(tx);
    }
    await makeOwnTable(tx, db.dialect);
    // Looked at again under the lock: another process may have been here since.
    const applied = await tx.selectFrom('migrations').select(['name', 'needs', 'version']).execute();
    refuseForeign(applied, all);
    const { name, needs = null } = migration;
    if (applied.some((each) => each.name === name)) return false;
    await migration.up(tx as unknown as Kysely<unknown>, db.dialect);
    await tx.insertInto('migrations').values({ name, applied_at: now(), needs, version }).execute();
    return true;
  });
}

/** Earlier versions made it with its first two columns. */
async function makeOwnTable(tx: Transaction<MigrationTables>, dialect: Dialect): Promise<void> {
  await sql`create table if not exists migrations (name text primary key, applied_at bigint not null)`.execute(tx);
  const { rows } =
    dialect === 'sqlite'
      ? await sql`select 1 from pragma_table_info('migrations') where name = 'needs'`.execute(tx)
      : await sql`select 1 from information_schema.columns where table_schema = current_schema()
          and table_name = 'migrations' and column_name = 'needs'`.execute(tx);
  if (rows.length > 0) return;
  await sql`alter table migrations add column needs text`.execute(tx);
  await sql`alter table migrations add column version text`.execute(tx);
}

async function findApplied<Tables>(db: Db<Tables>): Promise<Applied[]> {
  const read = db.read as unknown as Kysely<MigrationTables>;
  const found =
    db.dialect === 'sqlite'
      ? await sql`select name from sqlite_schema where type = 'table' and name = 'migrations'`.execute(read)
      : await sql`select 1 where to_regclass('migrations') is not null`.execute(read);
  if (found.rows.length === 0) return [];
  return read.selectFrom('migrations').selectAll().execute();
}

/**
 * What a newer version added is no obstacle. What it took away is one, unless this version already did without: then it
 * knows the migration that the clean-up needs.
 */
function refuseForeign(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const obstacle = applied.find(
    ({ name, needs }) => !known.has(name) && (needs ?? null) !== null && !known.has(needs!),
  );
  if (obstacle === undefined) return;
  throw new OperatorProblem(
    `The tables of the database belong to version ${obstacle.version} of the program (migration ${obstacle.name}), and ` +
      `this version, ${version}, is too old to work with them: it lacks ${obstacle.needs}. ` +
      `Install version ${obstacle.version}, or restore a backup made before the upgrade.`,
  );
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the migration ${twice} is listed twice`);
}

export async function patiently<T>(
  { name }: Pick<Migration, 'name'>,
  attempt: () => Promise<T>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DatabaseBusy)) throw error;
      if (count === ATTEMPTS_MAX)
        throw new OperatorProblem(
          `The migration ${name} got no hold of its tables: something keeps a transaction open on them. End it (on ` +
            'PostgreSQL pg_stat_activity shows it), then start again; nothing was changed.',
        );
      await pause(Math.min(100 * count, PAUSE_MAX_MS));
    }
  }
}
