// SQLite as a `Db`: one connection for reading, one for writing behind a queue, and durable commits through one shared
// flush. Several processes may open the same file.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { type Checkpointer, createCheckpointer } from './checkpoint.ts';
import type { Db } from './db.ts';
import { DatabaseUnavailable } from './errors.ts';
import { createSharedFlush, openWalFile, type SharedFlush, type SyncDescriptor } from './flush.ts';
import { registerVersionReader } from './query-cache.ts';
import {
  createSqliteConnection,
  createSqliteDialect,
  executeDirectly,
  type SqliteConnection,
} from './sqlite-driver.ts';
import { isFailedSync, whenNotBusy } from './sqlite-errors.ts';
import { openSqliteConnection } from './sqlite-open.ts';
import { createWriteLock, type WriteLock } from './write-lock.ts';

export interface SqliteOptions {
  /** Makes an open file durable; tests observe it or let it fail. */
  syncDescriptor?: SyncDescriptor;
  /** How long a transaction waits for its turn, and then for other processes, before `DatabaseBusy`. */
  busyTimeoutMs?: number;
  /** A transaction that is idle for this long is rolled back, as on PostgreSQL. */
  idleMs?: number;
}

const BUSY_TIMEOUT_MS = 5000;
const IDLE_MS = 30_000;

/** `close` is called once, last. */
interface Parts {
  reader: DatabaseSync;
  writer: DatabaseSync;
  lock: WriteLock;
  flush: SharedFlush;
  checkpointer: Checkpointer;
  close(): Promise<void>;
}

export async function openSqlite<Tables>(path: string, options: SqliteOptions = {}): Promise<Db<Tables>> {
  if (path === '') throw new Error('the database URL names no file');
  const isTemporary = path === ':memory:';
  const parts = isTemporary ? await openTemporary(options) : await openFile(resolve(path), options);
  return createDb<Tables>(parts, options);
}

async function openFile(
  path: string,
  { syncDescriptor, busyTimeoutMs = BUSY_TIMEOUT_MS }: SqliteOptions,
): Promise<Parts> {
  const opened: DatabaseSync[] = [];
  try {
    const writer = await openSqliteConnection(path, 'writer');
    opened.push(writer);
    const reader = await openSqliteConnection(path, 'reader');
    opened.push(reader);
    // SQLite follows symbolic links and puts the WAL next to the real file.
    const wal = await openWalFile(`${realpathSync(path)}-wal`, syncDescriptor);
    const lock = createWriteLock(busyTimeoutMs);
    const flush = createSharedFlush(wal.sync);
    const checkpointer = createCheckpointer({ path, reader, lock }, (error) => {
      // Anything but a failed sync leaves the log as it was: the next attempt repeats it.
      if (isFailedSync(error)) flush.fail(error);
    });
    return { reader, writer, lock, flush, checkpointer, close: wal.close };
  } catch (error) {
    for (const database of opened) database.close();
    throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable('it cannot be opened', error);
  }
}

/**
 * `:memory:` is a temporary file that is not flushed. A real database in memory has one connection or other locking
 * rules; a file behaves in tests as in production.
 */
async function openTemporary({ busyTimeoutMs = BUSY_TIMEOUT_MS }: SqliteOptions): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-db-'));
  removeAtExit(folder);
  const path = join(folder, 'temporary.db');
  const writer = await openSqliteConnection(path, 'writer');
  const reader = await openSqliteConnection(path, 'reader');
  writer.exec('PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=1000');
  return {
    reader,
    writer,
    lock: createWriteLock(busyTimeoutMs),
    flush: createSharedFlush(async () => {}),
    checkpointer: {
      noteCommit() {},
      truncate: async () => writer.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
      rewrite: async () => writer.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'),
      close: async () => {},
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      foldersToRemove.delete(folder);
    },
  };
}

function createDb<Tables>(
  { reader, writer, lock, flush, checkpointer, close }: Parts,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, idleMs = IDLE_MS }: SqliteOptions,
): Db<Tables> {
  const writeConnection = createSqliteConnection(writer, 'writer', busyTimeoutMs);
  const writing = new Kysely<Tables>({ dialect: createSqliteDialect(writeConnection, 'writer') });
  const { read, version } = openReading<Tables>(reader, busyTimeoutMs);
  let closing: Promise<void> | null = null;

  function refuseWhenUnfit(): void {
    if (closing) throw new DatabaseUnavailable('it has been closed');
    if (flush.failure) throw flush.failure;
  }

  const alone = <T>(work: () => Promise<T>) => runAlone(lock, flush, refuseWhenUnfit, work);

  async function closeAll(): Promise<void> {
    const release = await lock.acquire();
    // The file must outlive the flushes that callers wait for.
    await flush.wait().catch(() => {});
    release();
    await checkpointer.close();
    reader.close();
    writer.close();
    await close();
  }

  return {
    dialect: 'sqlite',
    read,
    async write(work) {
      const result = await alone(() =>
        writing
          .transaction()
          .execute((tx) => directly(tx, writeConnection, () => unlessIdle(work(tx), writeConnection, idleMs))),
      );
      version.forget();
      checkpointer.noteCommit();
      // Outside the lock: others run while this commit becomes durable, and share the next flush.
      await flush.wait();
      return result;
    },
    async ping() {
      refuseWhenUnfit();
      await whenNotBusy(() => reader.prepare('SELECT count(*) FROM sqlite_schema').get(), busyTimeoutMs);
    },
    scrub: () => alone(() => checkpointer.truncate()),
    async rewrite(mostBytes) {
      if (sizeOf(reader) > mostBytes) return false;
      await alone(() => checkpointer.rewrite());
      return true;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function openReading<Tables>(reader: DatabaseSync, busyTimeoutMs: number) {
  const connection = createSqliteConnection(reader, 'reader', busyTimeoutMs);
  const read = new Kysely<Tables>({ dialect: createSqliteDialect(connection, 'reader') });
  executeDirectly(read, connection);
  const version = watchVersion(reader);
  registerVersionReader(read, version.read);
  return { read, version };
}

function sizeOf(database: DatabaseSync): number {
  const query = 'select page_count * page_size as size from pragma_page_count, pragma_page_size';
  return Number(database.prepare(query).get()?.size);
}

/** Runs without other writers of this process. A sync that fails inside SQLite is final. */
async function runAlone<T>(
  lock: WriteLock,
  flush: SharedFlush,
  refuseWhenUnfit: () => void,
  work: () => Promise<T>,
): Promise<T> {
  refuseWhenUnfit();
  const release = await lock.acquire();
  try {
    refuseWhenUnfit();
    return await work();
  } catch (error) {
    if (isFailedSync(error)) flush.fail(error);
    throw error;
  } finally {
    release();
  }
}

/**
 * Within this time no caller can have learned of a commit of another process, because a flush, an answer and a request
 * lie between. One request asks twice; the cached version makes `GET /account` 1.1 times as fast.
 */
const LEARNING_MS = 0.02;

/** A number that changes whenever another connection has committed. */
function watchVersion(reader: DatabaseSync): { read(): number; forget(): void } {
  const statement = reader.prepare('PRAGMA data_version');
  statement.setReturnArrays(true);
  let version = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    read() {
      const now = performance.now();
      if (now - readAt < LEARNING_MS) return version;
      [version] = statement.get() as unknown as [number];
      readAt = now;
      return version;
    },
    forget() {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}

async function directly<Tables, T>(
  tx: Kysely<Tables>,
  connection: SqliteConnection,
  work: () => Promise<T>,
): Promise<T> {
  const end = executeDirectly(tx, connection);
  try {
    return await work();
  } finally {
    end();
  }
}

/** All writers wait for this transaction, so a fault in it must not block them for ever. */
async function unlessIdle<T>(work: Promise<T>, connection: SqliteConnection, idleMs: number): Promise<T> {
  const { promise: idle, reject } = Promise.withResolvers<never>();
  function checkIdle(): void {
    const remainingMs = connection.usedAtMs + idleMs - performance.now();
    if (remainingMs <= 0) reject(new Error(`a transaction was left open and idle for ${idleMs} ms`));
    else timer = setTimeout(checkIdle, remainingMs);
  }
  let timer = setTimeout(checkIdle, idleMs);
  try {
    return await Promise.race([work, idle]);
  } finally {
    clearTimeout(timer);
  }
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
