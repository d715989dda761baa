// Opens one connection to an SQLite file with the settings that every connection needs: write-ahead log, the pragmas of
// security D24, no waiting inside SQLite. The only place that names a pragma which must hold everywhere.
import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from './errors.ts';
import { naming, translateSqliteError, whenNotBusy } from './sqlite-errors.ts';

export type SqliteRole = 'reader' | 'writer';

/** Several processes may create the file together, and SQLite recovers after a crash: both pass quickly. */
const OPENING_TIMEOUT_MS = 5000;

/** Rejects with `DatabaseUnavailable` when the file cannot be opened or is not a database. */
export async function openSqliteConnection(path: string, role: SqliteRole): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    const isNew = !existsSync(path);
    const opened = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    database = opened;
    // The WAL takes over the permissions of the database: wrapped keys are for the service's own user only.
    if (isNew) chmodSync(path, 0o600);
    await whenNotBusy(() => naming(path, () => setUp(opened, role)), OPENING_TIMEOUT_MS);
    return opened;
  } catch (error) {
    database?.close();
    const translated = translateSqliteError(error);
    throw translated instanceof DatabaseUnavailable
      ? translated
      : new DatabaseUnavailable('it cannot be opened', error);
  }
}

function setUp(database: DatabaseSync, role: SqliteRole): void {
  database.exec('PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON');
  const mode = database.prepare('PRAGMA journal_mode=WAL').get()?.journal_mode;
  if (mode !== 'wal') throw new DatabaseUnavailable(`its journal mode is ${mode}, write-ahead logging is needed`);
  // NORMAL, because the sync that FULL would add is done by the shared flush (docs/adr/0002). Temporary tables never
  // reach a disk.
  // No automatic checkpoints: they would sync, and copy a thousand pages, inside a commit on the event loop.
  database.exec(
    'PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=0',
  );
  if (role === 'reader') database.exec('PRAGMA query_only=ON');
  // The first look into the file creates the WAL, whose descriptor the flush needs.
  database.exec('SELECT count(*) FROM sqlite_schema');
}
