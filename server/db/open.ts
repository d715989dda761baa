// Opens the database of an installation and brings its tables up to date. Without keys nothing sealed can be read yet:
// `unlock.ts` adds them.
import { OperatorProblem } from '../lib/operator-problem.ts';
import { connect } from './engine/connect.ts';
import { migrate, pendingMigrations } from './engine/migrate.ts';
import type { PostgresOptions } from './engine/postgres.ts';
import { migrations } from './migrations/all.ts';
import type { LockedDb, Tables } from './schema/schema.ts';

export function openDatabase(url: string, options: PostgresOptions = {}): Promise<LockedDb> {
  return connect<Tables>(url, options);
}

/** Returns the names of those that ran. */
export function migrateDatabase(db: LockedDb): Promise<string[]> {
  return migrate(db, migrations);
}

/** Names of what is missing in the tables, and how much there is; refuses tables that this version cannot work with. */
export async function findMissingMigrations(db: LockedDb): Promise<{ missing: string[]; total: number }> {
  return { missing: await pendingMigrations(db, migrations), total: migrations.length };
}

/**
 * Why this version cannot work with the tables as they are, as a sentence for operators; null when it can, which includes
 * those of a newer version that has only added to them.
 */
export async function findTablesFault(db: LockedDb): Promise<string | null> {
  try {
    return describeMissing(await findMissingMigrations(db));
  } catch (error) {
    if (error instanceof OperatorProblem) return error.message;
    throw error;
  }
}

function describeMissing({ missing, total }: { missing: string[]; total: number }): string | null {
  if (missing.length === 0) return null;
  if (missing.length === total) return 'The database has no tables yet. Make them first: waybill-server migrate';
  return `The database is of an older version (${missing.length} migrations are missing). Bring it up to date first: waybill-server migrate`;
}
