// Opens a connection to an SQLite file with the pragmas that every connection needs: write-ahead log, `secure_delete`,
// no waiting inside SQLite.
import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from './errors.ts';
import { naming, translateSqliteError, whenNotBusy } from './sqlite-errors.ts';

export type SqliteRole = 'reader' | 'writer';

/** Several processes may create the file together, and SQLite recovers after a crash. */
const OPENING_TIMEOUT_MS = 5000;

/** Rejects with `DatabaseUnavailable` when the file cannot be opened or is not a database. */
export async function openSqliteConnection(path: string, role: SqliteRole): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    const isNew = !existsSync(path);
    const opened = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    database = opened;
    // The WAL gets the permissions of the database: only the user of the service may read wrapped keys.
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
  // NORMAL, because the shared flush does the additional sync of FULL (docs/adr/0002). Temporary tables stay in memory.
  // No automatic checkpoints, because they would block the event loop inside a commit.
  database.exec(
    'PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=0',
  );
  if (role === 'reader') database.exec('PRAGMA query_only=ON');
  // The first read creates the WAL, which the flush opens.
  database.exec('SELECT count(*) FROM sqlite_schema');
}
