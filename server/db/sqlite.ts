// SQLite as a `Db`: one connection for reading, one for writing behind a queue, and durable commits through one shared
// flush. Several processes may open the same file. Never opens the database file except through SQLite.
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Db } from './connect.ts';
import { DatabaseUnavailable } from './errors.ts';
import { createSharedFlush, openWalFile, type SharedFlush, type SyncDescriptor, type WalFile } from './flush.ts';
import {
  createSqliteConnection,
  createSqliteDialect,
  isFailedSync,
  PATIENCE_MS,
  type SqliteRole,
  translateSqliteError,
  whenNotBusy,
} from './sqlite-driver.ts';
import { createWriteLock } from './write-lock.ts';

export interface SqliteOptions {
  /** Makes an open file durable; tests watch it or let it fail. */
  syncDescriptor?: SyncDescriptor;
}

export async function openSqlite<Tables>(path: string, options: SqliteOptions = {}): Promise<Db<Tables>> {
  if (path === ':memory:') return openTemporary();
  if (path === '') throw new Error('the database URL names no file');
  const absolutePath = resolve(path);
  const writer = await openConnection(absolutePath, 'writer');
  let walFile: WalFile | undefined;
  try {
    const reader = await openConnection(absolutePath, 'reader');
    // SQLite follows links and puts the WAL beside the real file.
    walFile = await openWalFile(`${realpathSync(absolutePath)}-wal`, options.syncDescriptor);
    return createDb<Tables>(reader, writer, createSharedFlush(walFile.sync), walFile.close);
  } catch (error) {
    await walFile?.close();
    writer.close();
    throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable('it cannot be opened', error);
  }
}

/**
 * `:memory:` is a file in a temporary folder that nobody flushes. A database in memory belongs to one connection, or
 * shares one cache between two with other locking rules; a file behaves in tests exactly as in production.
 */
async function openTemporary<Tables>(): Promise<Db<Tables>> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-db-'));
  removeAtExit(folder);
  const path = join(folder, 'temporary.db');
  const writer = await openConnection(path, 'writer');
  const reader = await openConnection(path, 'reader');
  for (const database of [reader, writer]) database.exec('PRAGMA synchronous=OFF');
  return createDb<Tables>(
    reader,
    writer,
    createSharedFlush(async () => {}),
    async () => {
      rmSync(folder, { recursive: true, force: true });
      foldersToRemove.delete(folder);
    },
  );
}

function createDb<Tables>(
  reader: DatabaseSync,
  writer: DatabaseSync,
  flush: SharedFlush,
  afterClose: () => Promise<void>,
): Db<Tables> {
  const lock = createWriteLock(PATIENCE_MS);
  const read = new Kysely<Tables>({ dialect: createSqliteDialect(createSqliteConnection(reader, 'reader'), 'reader') });
  const write = new Kysely<Tables>({
    dialect: createSqliteDialect(createSqliteConnection(writer, 'writer'), 'writer'),
  });
  let isClosed = false;

  function refuseWhenUnfit(): void {
    if (isClosed) throw new DatabaseUnavailable('it has been closed');
    if (flush.failure) throw flush.failure;
  }

  return {
    dialect: 'sqlite',
    read,
    async write(work) {
      refuseWhenUnfit();
      const release = await lock.acquire();
      let result: Awaited<ReturnType<typeof work>>;
      try {
        refuseWhenUnfit();
        result = await write.transaction().execute(work);
      } catch (error) {
        if (isFailedSync(error)) flush.fail(error);
        throw error;
      } finally {
        release();
      }
      // Outside the lock: while this commit becomes durable, others run and will share the next flush.
      await flush.wait();
      return result;
    },
    async ping() {
      refuseWhenUnfit();
      await whenNotBusy(() => reader.prepare('select count(*) from sqlite_schema').get());
    },
    async scrub() {
      refuseWhenUnfit();
      const release = await lock.acquire();
      try {
        await whenNotBusy(() => truncateWal(writer));
      } catch (error) {
        if (isFailedSync(error)) flush.fail(error);
        throw error;
      } finally {
        release();
      }
    },
    async close() {
      if (isClosed) return;
      const release = await lock.acquire();
      isClosed = true;
      if (!flush.failure) await flush.wait();
      reader.close();
      writer.close();
      await afterClose();
      release();
    },
  };
}

function truncateWal(database: DatabaseSync): void {
  const answer = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (answer?.busy !== 0) throw Object.assign(new Error('the checkpoint met a lock'), { errcode: 5 });
}

async function openConnection(path: string, role: SqliteRole): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    const isNew = !existsSync(path);
    database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    // The WAL takes over the permissions of the database: wrapped keys are for the service's own user only.
    if (isNew) chmodSync(path, 0o600);
    const opened = database;
    // Several processes may create the file at once; changing the journal mode needs it alone for a moment.
    await whenNotBusy(() => setUp(opened, role));
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof DatabaseUnavailable ? error : openingFailed(error);
  }
}

function openingFailed(error: unknown): DatabaseUnavailable {
  const translated = translateSqliteError(error);
  return translated instanceof DatabaseUnavailable ? translated : new DatabaseUnavailable('it cannot be opened', error);
}

function setUp(database: DatabaseSync, role: SqliteRole): void {
  database.exec('PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON');
  const mode = database.prepare('PRAGMA journal_mode=WAL').get()?.journal_mode;
  if (mode !== 'wal') throw new DatabaseUnavailable(`its journal mode is ${mode}, write-ahead logging is needed`);
  // NORMAL, because the sync that FULL would add is done by the shared flush. Temporary tables never reach a disk.
  database.exec('PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY');
  if (role === 'reader') database.exec('PRAGMA query_only=ON');
  // The first look into the file creates the WAL, whose descriptor is needed next.
  database.exec('SELECT count(*) FROM sqlite_schema');
}

const foldersToRemove = new Set<string>();

function removeAtExit(folder: string): void {
  if (foldersToRemove.size === 0) {
    process.once('exit', () => {
      for (const left of foldersToRemove) rmSync(left, { recursive: true, force: true });
    });
  }
  foldersToRemove.add(folder);
}
