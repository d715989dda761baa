// Errors of the database layer. HTTP answers `DatabaseUnavailable` and its subclasses with 503. They never contain
// values of a row.

import { Unavailable } from '../../domain/ports.ts';

/** The database is unreachable, out of disk space, has an I/O error, or its durability is in doubt. */
export class DatabaseUnavailable extends Unavailable {
  constructor(why: string, cause?: unknown) {
    const said = cause instanceof Error ? ` (${cause.message})` : '';
    super(`the database is not available: ${why}${said}`, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** Another transaction held a lock for too long. Nothing was written; the caller may retry. */
export class DatabaseBusy extends DatabaseUnavailable {
  constructor(why: string, cause?: unknown) {
    super(why, cause);
    this.name = 'DatabaseBusy';
  }
}

// SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID
const SQLITE_UNIQUE_CODES: readonly unknown[] = [2067, 1555, 2579];
const POSTGRES_UNIQUE_CODE = '23505';

/** True when a statement failed because a row with the same key exists, in either dialect. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === POSTGRES_UNIQUE_CODE || SQLITE_UNIQUE_CODES.includes(errcode);
}
