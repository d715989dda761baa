// The statuses of refusals (docs/adr/0001). Any other error is a 500; its detail is logged.
import type { ProblemBody } from '#contract/problems.ts';
import { BlobMissing, BodyAborted, StoreFull, StoreRefuses, Unavailable } from '../../domain/ports.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { isoInstant } from '../../lib/dates.ts';
import { TooBusy } from '../../lib/gate.ts';
import { describeCheck } from './check-texts.ts';
import { type Reader, translatedRefusal } from './refusal-texts.ts';

const statuses: Record<ProblemKind, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  full: 507,
};

export interface Refusal {
  status: number;
  problem: Problem;
  fault: unknown;
}

const transportStatuses: Record<string, number> = {
  'request.malformed': 400,
  'request.method_not_allowed': 405,
  'request.not_json': 415,
  'request.timeout': 408,
  'request.unknown_expectation': 417,
  'request.foreign_host': 421,
  'request.insecure': 403,
};

export function refusalOf(error: unknown): Refusal {
  const problem = asProblem(error);
  if (problem !== null)
    return { status: transportStatuses[problem.code] ?? statuses[problem.kind], problem, fault: null };
  return {
    status: 500,
    problem: new Problem(
      'unavailable',
      'server.fault',
      'Something went wrong on our side. Try again, and tell us the request id if it keeps happening.',
    ),
    fault: error,
  };
}

function asProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof StoreFull)
    return new Problem('full', 'storage.full', 'The server has no room for new files. Ask its operator.');
  if (error instanceof TooBusy) {
    return new Problem(
      'rate_limited',
      'server.busy',
      'Too many people are signing in right now. Try again in a few seconds.',
      { retryAfterSeconds: 5 },
    );
  }
  if (error instanceof BodyAborted)
    return new Problem('invalid', 'request.timeout', `The upload was not received completely: ${error.message}.`);
  if (error instanceof StoreRefuses) {
    return new Problem(
      'unavailable',
      'storage.unavailable',
      'The server can’t store files right now. Try again in a minute.',
      { retryAfterSeconds: 60 },
    );
  }
  if (error instanceof Unavailable || error instanceof BlobMissing) {
    return new Problem('unavailable', 'server.unavailable', 'We’re not available right now. Try again in a minute.', {
      retryAfterSeconds: 30,
    });
  }
  return null;
}

/** Problems that are logged for the operator. */
export function isOperatorsConcern(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof BlobMissing || error instanceof StoreFull;
}

/** `reader` is given for browsers; programs get English. */
export function problemBody(problem: Problem, requestId: string, reader: Reader | null): ProblemBody {
  const steps = problem.checks.map((check) => describeCheck(check, reader?.locale ?? 'en'));
  const failed = problem.checks.filter(({ state }) => state === 'failed').map((check) => describeCheck(check, 'en'));
  const words = reader === null ? null : translatedRefusal(problem, reader);
  return {
    errors: [
      ...problem.sentences,
      ...failed.flatMap(({ sentence, said, cure }) => [sentence, said, cure ?? '']),
    ].filter((sentence) => sentence !== ''),
    ...(words === null ? {} : { localized_errors: [words] }),
    code: problem.code,
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.conflictingChanges === undefined
      ? {}
      : { meanwhile: problem.conflictingChanges.map((change) => ({ ...change, at: isoInstant(change.at) })) }),
    ...(steps.length === 0 ? {} : { steps }),
    request_id: requestId,
  };
}
