// Translates SQLite's error codes and waits for its locks. The checkpoint thread loads it too, so it imports little.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';

/**
 * SQLite would block the thread while it waits for a lock (`busy_timeout`), so this retries from a timer, at short
 * irregular intervals, because processes have no queue.
 */
export async function whenNotBusy<T>(attempt: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return translated(attempt);
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || performance.now() > deadline) throw error;
    }
    await sleep(1 + Math.random() * 3);
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
// I/O error, corrupt, disk full, cannot open, locking protocol, not a database.
const UNAVAILABLE_CODES = [10, 11, 13, 14, 15, 26];

export function translated<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw translateSqliteError(error);
  }
}

export function translateSqliteError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) return isNotOpen(error) ? new DatabaseUnavailable('it has been closed', error) : error;
  const primary = code & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) {
    return new DatabaseBusy('another process holds the lock', error);
  }
  return UNAVAILABLE_CODES.includes(primary) ? new DatabaseUnavailable(`SQLite reports code ${code}`, error) : error;
}

/** SQLite's errors name no file; the operator needs to know the disk. */
export function naming<T>(path: string | null, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw named(error, path);
  }
}

export function named(error: unknown, path: string | null): unknown {
  return sqliteCode(error) !== null && path !== null ? Object.assign(error as Error, { path }) : error;
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, translated or not. */
export function isFailedSync(error: unknown): boolean {
  const code = sqliteCode(error instanceof DatabaseUnavailable ? error.cause : error);
  return code === 1034 || code === 1290;
}

function isNotOpen(error: unknown): boolean {
  return error instanceof Error && error.message === 'database is not open';
}

function sqliteCode(error: unknown): number | null {
  const code = error instanceof Error ? (error as { errcode?: unknown }).errcode : undefined;
  return typeof code === 'number' ? code : null;
}
