// Opens the database of an installation and migrates it. `unlock.ts` adds the keys that encrypted columns need.

import { counted } from '../lib/counted.ts';
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

/** Names of missing migrations, and the number of all; refuses tables that this version cannot work with. */
export async function findMissingMigrations(db: LockedDb): Promise<{ missing: string[]; total: number }> {
  return { missing: await pendingMigrations(db, migrations), total: migrations.length };
}

/**
 * Why this version cannot work with the tables, as a sentence for operators; null if it can, which includes tables to
 * which a newer version has only added.
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
  return `The database is of an older version (${counted(missing.length, 'migration')} ${missing.length === 1 ? 'is' : 'are'} missing). Bring it up to date first: waybill-server migrate`;
}
