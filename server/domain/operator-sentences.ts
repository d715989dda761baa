import { OperatorProblem } from '../lib/operator-problem.ts';
import { describeStartProblem } from '../lib/start-problems.ts';
import { StoreFull, Unavailable } from './ports.ts';
import { Problem } from './problem.ts';

/** Null for a bug, which is logged with its stack trace. */
export function sentencesFor(error: unknown): string[] | null {
  if (error instanceof OperatorProblem) return [error.message];
  if (error instanceof Problem) return error.sentences;
  if (error instanceof StoreFull) return [`There is no room left: ${error.message}. Free some room, then try again.`];
  if (error instanceof Unavailable) return [withCause(error)];
  const known = describeStartProblem(error);
  return known === null ? null : [known];
}

/** The operator needs the other side's reply, or the file name. */
function withCause({ name, message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const isUnavailable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT/.test(cause.message);
  if (name === 'DatabaseUnavailable' && isUnavailable)
    return `The database cannot be reached (${cause.message}). Check that PostgreSQL runs, and host and port in WAYBILL_DATABASE_URL.`;
  return describeStartProblem(cause) ?? (message.includes(cause.message) ? message : `${message} (${cause.message})`);
}
