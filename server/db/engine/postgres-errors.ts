// Translates errors of PostgreSQL and of its connections: unavailable, busy, or a violated constraint.
import { DatabaseBusy, DatabaseUnavailable } from './errors.ts';

// lock_not_available, query_canceled (statement timeout)
const BUSY_CODES = ['55P03', '57014'];
// connection exceptions, insufficient resources, shutdown and "cannot connect now", system errors
const UNAVAILABLE_CODES = /^(08|53|57P0[1-5]|58)/;
const LOST_CONNECTION = /connection terminated|connection error|query read timeout|cannot use a pool/i;
const TOO_MANY_CONNECTIONS = '53300';
/** PgBouncer reports this without a code of its own. */
const POOLER_IS_FULL = /no more connections allowed/i;
/** The pool reports this if no connection was free in time; the server got nothing. */
const NO_CONNECTION_FREE = /timeout exceeded when trying to connect/i;

export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && BUSY_CODES.includes(code)) return new DatabaseBusy('a lock or a timeout', error);
  if (NO_CONNECTION_FREE.test(error.message)) return new DatabaseBusy('no connection became free', error);
  const isUnavailable =
    (typeof code === 'string' && UNAVAILABLE_CODES.test(code)) ||
    syscall !== undefined ||
    LOST_CONNECTION.test(error.message);
  return isUnavailable ? new DatabaseUnavailable('the connection failed', error) : error;
}

/** All connections that the server allows are in use. The statement was not sent. */
export function isOutOfConnections(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return code === TOO_MANY_CONNECTIONS || NO_CONNECTION_FREE.test(error.message) || POOLER_IS_FULL.test(error.message);
}
