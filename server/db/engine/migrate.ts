// Brings the tables of a database up to what this version needs: each missing migration in its own transaction, in
// order, recorded by name. Safe when several processes start at once. Never touches a database newer than the program.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { OperatorProblem } from '../../lib/operator-problem.ts';
import type { Db, Dialect } from './db.ts';
import { DatabaseBusy } from './errors.ts';

export interface Migration {
  /** Unique and lasting; migrations run in the order of the list. */
  name: string;
  /** The tables are those of this moment in history, so no type of today describes them. */
  up(tx: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

interface MigrationTables {
  migrations: { name: string; applied_at: number };
}

/** Held on PostgreSQL while migrating; any number will do as long as nobody else uses it. */
const ADVISORY_LOCK = 7_292_245_501;
/** Another process may be at a long migration: a longer timeout than a request has. */
const ATTEMPTS_MAX = 60;

/** Returns the names of those that ran. */
export async function migrate<Tables>(
  db: Db<Tables>,
  migrations: readonly Migration[],
  now: () => number = Date.now,
): Promise<string[]> {
  refuseDuplicates(migrations);
  const ran: string[] = [];
  refuseNewer(await appliedNames(db), migrations);
  for (const migration of migrations) {
    if (await patiently(() => apply(db, migrations, migration, now))) ran.push(migration.name);
  }
  return ran;
}

/** Names that `migrate` would run, in order. Changes nothing. */
export async function pendingMigrations<Tables>(db: Db<Tables>, migrations: readonly Migration[]): Promise<string[]> {
  const applied = await appliedNames(db);
  refuseNewer(applied, migrations);
  return migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
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
    }
    await tx.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    // Looked at again under the lock: another process may have been here since.
    const applied = (await tx.selectFrom('migrations').select('name').execute()).map(({ name }) => name);
    refuseNewer(applied, all);
    if (applied.includes(migration.name)) return false;
    await migration.up(tx as unknown as Kysely<unknown>, db.dialect);
    await tx.insertInto('migrations').values({ name: migration.name, applied_at: now() }).execute();
    return true;
  });
}

async function appliedNames<Tables>(db: Db<Tables>): Promise<string[]> {
  const read = db.read as unknown as Kysely<MigrationTables>;
  const found =
    db.dialect === 'sqlite'
      ? await sql`select name from sqlite_schema where type = 'table' and name = 'migrations'`.execute(read)
      : await sql`select 1 where to_regclass('migrations') is not null`.execute(read);
  if (found.rows.length === 0) return [];
  return (await read.selectFrom('migrations').select('name').execute()).map(({ name }) => name);
}

function refuseNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new OperatorProblem(
      `The database was used by a newer version of the program: it has the unknown migration ${unknown.join(', ')}. ` +
        'Install that version again, or restore a backup made before the upgrade.',
    );
  }
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the migration ${twice} is listed twice`);
}

async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || count === ATTEMPTS_MAX) throw error;
      await sleep(100);
    }
  }
}
