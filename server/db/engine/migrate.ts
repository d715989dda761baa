// Runs the missing migrations of a database in order, each in a transaction that records its name. Safe when several
// processes start together, and while an older or newer version uses the same tables (docs/adr/0090).

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { OperatorProblem } from '../../lib/operator-problem.ts';
import { version } from '../../lib/version.ts';
import type { Db, Dialect } from './db.ts';
import { DatabaseBusy } from './errors.ts';

export interface Migration {
  /** Unique and permanent. */
  name: string;
  /**
   * Only for the first migration, a baseline: the last of the earlier migrations whose tables it creates. A database
   * that has run that one has these tables; one that has not is too old. Names of later migrations sort after it.
   */
  replaces?: string;
  /**
   * For a clean-up, which removes something or restricts what is written: the migration that came with the oldest
   * version that works afterwards. A program that does not know that migration is not ready.
   */
  needs?: string;
  /** The tables may differ from those of today, so `tx` has no types. */
  up(tx: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

interface Applied {
  name: string;
  needs: string | null;
  version: string | null;
}

interface MigrationTables {
  migrations: Applied & { applied_at: number };
}

/** Held on PostgreSQL while migrating; any unused number. */
const ADVISORY_LOCK = 7_292_245_501;
/** Long, because another process may be running a long migration. */
const ATTEMPTS_MAX = 100;
/** Short, because queries on a table queue behind a migration that waits for it. */
const TABLE_LOCK_MS = 1000;
const PAUSE_MAX_MS = 1000;

export async function migrate<Tables>(
  db: Db<Tables>,
  migrations: readonly Migration[],
  now: () => number = Date.now,
): Promise<string[]> {
  const ran: string[] = [];
  for (const name of await pendingMigrations(db, migrations)) {
    const migration = migrations.find((each) => each.name === name)!;
    if (await retryWhileLocked(migration, () => apply(db, migrations, migration, now))) ran.push(name);
  }
  return ran;
}

/** Names that `migrate` would run, in order. Refuses tables that this version cannot work with. */
export async function pendingMigrations<Tables>(db: Db<Tables>, migrations: readonly Migration[]): Promise<string[]> {
  refuseDuplicates(migrations);
  const done = doneAmong(await findApplied(db), migrations);
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

function apply<Tables>(
  db: Db<Tables>,
  all: readonly Migration[],
  migration: Migration,
  now: () => number,
): Promise<boolean> {
  return db.write(async (transaction) => {
    const tx = transaction as unknown as Transaction<MigrationTables>;
    if (db.dialect === 'postgres') {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local lock_timeout = '10min'`.execute(tx);
      await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(tx);
      await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(tx);
    }
    await sql`create table if not exists migrations (
      name text primary key, applied_at bigint not null, needs text, version text)`.execute(tx);
    // Another process may have migrated before this one got the lock.
    const applied = await tx.selectFrom('migrations').select(['name', 'needs', 'version']).execute();
    const { name, needs = null } = migration;
    if (doneAmong(applied, all).has(name)) return false;
    await migration.up(tx as unknown as Kysely<unknown>, db.dialect);
    await tx.insertInto('migrations').values({ name, applied_at: now(), needs, version }).execute();
    return true;
  });
}

async function findApplied<Tables>(db: Db<Tables>): Promise<Applied[]> {
  const read = db.read as unknown as Kysely<MigrationTables>;
  const found =
    db.dialect === 'sqlite'
      ? await sql`select name from sqlite_schema where type = 'table' and name = 'migrations'`.execute(read)
      : await sql`select 1 where to_regclass('migrations') is not null`.execute(read);
  if (found.rows.length === 0) return [];
  // Databases that are too old lack `needs` and `version`.
  return read.selectFrom('migrations').selectAll().execute();
}

/** The names of the migrations that have run. Refuses tables that this version cannot work with. */
function doneAmong(applied: readonly Applied[], migrations: readonly Migration[]): Set<string> {
  const names = withBaseline(
    applied.map(({ name }) => name),
    migrations,
  );
  refuseNewer(applied, migrations);
  return new Set(names);
}

/** Replaces names of migrations before the baseline by that of the baseline. Refuses tables that are older. */
export function withBaseline(names: readonly string[], [baseline]: readonly Migration[]): readonly string[] {
  if (baseline?.replaces === undefined || names.length === 0 || names.includes(baseline.name)) return names;
  const { name, replaces } = baseline;
  if (names.includes(replaces)) return [name, ...names.filter((each) => each > replaces)];
  throw new OperatorProblem(
    `The tables are of a version that is too old for this one, ${version}: their last migration is ` +
      `${[...names].sort().at(-1)}. Start the last version that has the migration ${replaces} once, which brings them up to ` +
      'date, or restore a portable backup that it or a later version made.',
  );
}

/**
 * Refuses tables from which a newer version has removed something that this version needs. Additions are harmless, and so
 * is a clean-up that needs a migration which this version knows.
 */
function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const newer = applied.find(({ name, needs }) => !known.has(name) && needs !== null && !known.has(needs));
  if (newer === undefined) return;
  throw new OperatorProblem(
    `The tables of the database belong to version ${newer.version} of the program (migration ${newer.name}), and ` +
      `this version, ${version}, is too old to work with them: it lacks ${newer.needs}. ` +
      `Install version ${newer.version}, or restore a backup made before the upgrade.`,
  );
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the migration ${twice} is listed twice`);
}

export async function retryWhileLocked<T>(
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
          `The migration ${name} could not lock its tables: something keeps a transaction open on them. End it (on ` +
            'PostgreSQL pg_stat_activity shows it), then start again; nothing was changed.',
        );
      await pause(Math.min(100 * count, PAUSE_MAX_MS));
    }
  }
}
