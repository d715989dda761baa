// A failed command: one sentence for people, a stable code and an exit code for scripts.
import { ClientProblem } from '#contract/client.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  notSignedIn: 3,
  notPermitted: 4,
  notFound: 5,
  refused: 6,
  network: 7,
  partlyDone: 8,
  serverError: 9,
  checksumMismatch: 10,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface FailureDetails {
  /** Stable; the server's code for refusals. */
  code: string;
  /** One line on what to do. */
  hint?: string;
  requestId?: string;
}

export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly details: FailureDetails;

  constructor(exitCode: ExitCode, sentence: string, details: FailureDetails) {
    super(sentence);
    this.name = 'Failure';
    this.exitCode = exitCode;
    this.details = details;
  }
}

export function usageFailure(sentence: string, hint?: string): Failure {
  return new Failure(exitCodes.wrongUsage, sentence, { code: 'usage', ...(hint === undefined ? {} : { hint }) });
}

export function localFailure(sentence: string, code: string, hint?: string): Failure {
  return new Failure(exitCodes.failed, sentence, { code, ...(hint === undefined ? {} : { hint }) });
}

/** Codes of refusals by the group's rules; everything else with status 422 is about the input itself. */
const policyCodes = /(^|[._])not_(permitted|allowed)$|_locked$|_too_late$|quota_full$|\.too_large$|_limit$/;

function exitCodeOf(problem: ClientProblem): ExitCode {
  const { status, code } = problem;
  if (isNotOurs(problem)) return exitCodes.network;
  const exitCode = exitCodeOfStatus(status);
  return exitCode === exitCodes.refused && policyCodes.test(code) ? exitCodes.notPermitted : exitCode;
}

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 0) return exitCodes.network;
  if (status === 401) return exitCodes.notSignedIn;
  if (status === 403) return exitCodes.notPermitted;
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (status === 408 || status === 425 || status === 429 || status === 503 || status === 504) return exitCodes.network;
  return status >= 500 ? exitCodes.serverError : exitCodes.refused;
}

function sentenceOf(problem: ClientProblem): string {
  if (problem.status === 0) return `the server can’t be reached (${causeOf(problem.cause)})`;
  if (problem.sentences.length > 0) return problem.sentences.join(' ');
  if (problem.status === 401) return 'the server does not know this API key';
  if (isNotOurs(problem)) return 'what answered is not a Waybill server';
  return `the server answered with status ${problem.status}`;
}

/** A response that is no Waybill answer, as from a captive portal or a wrong address. */
function isNotOurs({ status }: ClientProblem): boolean {
  return status >= 200 && status < 300;
}

/** The system error code, such as ECONNREFUSED, which Node nests one or two causes deep. */
export function causeOf(cause: unknown): string {
  const inner = cause as { code?: unknown; message?: unknown; cause?: unknown } | null | undefined;
  if (inner?.cause !== undefined) return causeOf(inner.cause);
  if (typeof inner?.code === 'string') return inner.code;
  return typeof inner?.message === 'string' && inner.message !== '' ? inner.message : 'no answer';
}

function hintOf(problem: ClientProblem): string | undefined {
  if (problem.status === 401) return 'Run `waybill login` to sign in again.';
  if (problem.status === 0 || isNotOurs(problem))
    return 'Check the address and your connection; it is safe to run the same command again.';
  if (problem.retryAfterSeconds !== null) return `Try again in ${problem.retryAfterSeconds} seconds.`;
  return undefined;
}

/** Converts a thrown error; null for a bug in this program. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof ClientProblem) {
    const hint = hintOf(error);
    return new Failure(exitCodeOf(error), sentenceOf(error), {
      code: error.code,
      ...(hint === undefined ? {} : { hint }),
      ...(error.requestId === '' ? {} : { requestId: error.requestId }),
    });
  }
  const system = error as NodeJS.ErrnoException;
  // Our own timeout, not a system error.
  if (error instanceof Error && system.code === 'ETIMEDOUT' && system.syscall === undefined)
    return new Failure(exitCodes.network, 'the server can’t be reached (ETIMEDOUT)', {
      code: 'network.unreachable',
      hint: 'It is safe to run the same command again.',
    });
  if (error instanceof Error && typeof system.code === 'string' && system.syscall !== undefined)
    return localFailure(systemSentence(system), `system.${system.code.toLowerCase()}`);
  return null;
}

function systemSentence({ code, path, message }: NodeJS.ErrnoException): string {
  const where = path === undefined ? '' : ` (${path})`;
  if (code === 'ENOENT') return `no such file or folder${where}`;
  if (code === 'EACCES' || code === 'EPERM') return `not permitted by the system${where}`;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return `the disk is full${where}`;
  if (code === 'EISDIR') return `that is a folder${where}`;
  return message;
}
