// What the database layer can throw beyond plain programming faults. The HTTP edge turns `DatabaseUnavailable` and
// everything below it into a 503; a violated constraint is recognised by its code. Never carries values of a row.

import { Unavailable } from '../../domain/ports.ts';

/** The database cannot do its work now: unreachable, out of disk, I/O error, or its durability is in doubt. */
export class DatabaseUnavailable extends Unavailable {
  constructor(why: string, cause?: unknown) {
    super(`the database is not available: ${why}`, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** The database works, but others held a lock for longer than we wait. Nothing was written; trying again is fine. */
export class DatabaseBusy extends DatabaseUnavailable {
  constructor(why: string, cause?: unknown) {
    super(why, cause);
    this.name = 'DatabaseBusy';
  }
}

// SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID
const SQLITE_UNIQUE_CODES: readonly unknown[] = [2067, 1555, 2579];
const POSTGRES_UNIQUE_CODE = '23505';

/** True when a statement failed because a row with the same key exists already, in either dialect. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === POSTGRES_UNIQUE_CODE || SQLITE_UNIQUE_CODES.includes(errcode);
}
