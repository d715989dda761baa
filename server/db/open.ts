// Opens the database of an installation and brings its tables up to date. Without keys nothing sealed can be read yet:
// `unlock.ts` adds them.
import { connect } from './engine/connect.ts';
import { migrate, pendingMigrations } from './engine/migrate.ts';
import type { PostgresOptions } from './engine/postgres.ts';
import { migrations } from './migrations/all.ts';
import type { LockedDb, Tables } from './schema.ts';

export function openDatabase(url: string, options: PostgresOptions = {}): Promise<LockedDb> {
  return connect<Tables>(url, options);
}

/** Returns the names of those that ran. */
export function migrateDatabase(db: LockedDb): Promise<string[]> {
  return migrate(db, migrations);
}

/** Names of what is missing in the tables, and of how much there is; refuses a database of a newer program. */
export async function findMissingMigrations(db: LockedDb): Promise<{ missing: string[]; total: number }> {
  return { missing: await pendingMigrations(db, migrations), total: migrations.length };
}

/** False while a newer program than this one, or an older one, has left the tables. */
export async function areTablesCurrent(db: LockedDb): Promise<boolean> {
  return (await pendingMigrations(db, migrations)).length === 0;
}
