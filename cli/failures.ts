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
  return exitCode === exitCodes.refused ? exitCodeOfRefusal(code) : exitCode;
}

/** Of input that the server understood and refused. */
export function exitCodeOfRefusal(code: string): ExitCode {
  return policyCodes.test(code) ? exitCodes.notPermitted : exitCodes.refused;
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
  if (problem.sentences.length > 0) return problem.sentences.join(' ');
  if (problem.status === 401) return 'the server does not know this API key';
  if (isNotOurs(problem)) return `what answered is not a Waybill server (status ${problem.status})`;
  return `the server answered with status ${problem.status}`;
}

/** A response that is no Waybill answer, as from a captive portal or a wrong address. */
function isNotOurs({ status, sentences, code }: ClientProblem): boolean {
  const isPage = sentences.length === 0 && code === 'network.unexpected';
  return (
    (status >= 200 && status < 300) || (isPage && ((status >= 300 && status < 400) || [404, 405].includes(status)))
  );
}

const repeatable = 'It is safe to run the same command again.';

/** The server could not be reached; the sentence names the cause and the hint the remedy. */
export function networkFailure(error: unknown): Failure {
  const cause = causeOf(error);
  const host = hostOf(error);
  const named = host === null ? 'this name' : `the name “${host}”`;
  const [sentence, remedy] =
    cause === 'ENOTFOUND'
      ? [`no server has ${named}`, 'Check how the address is written, and your connection.']
      : cause === 'EAI_AGAIN'
        ? [`${named} can’t be looked up now`, `Check your connection. ${repeatable}`]
        : /CERT|SELF_SIGNED|UNABLE_TO_/.test(cause)
          ? ['the certificate of the server is not trusted', 'Name your organisation’s certificate with --cacert FILE.']
          : /SSL|EPROTO/.test(cause)
            ? ['the server does not use HTTPS at this address', 'Check the port, or write the address with http://.']
            : ['the server can’t be reached', `Check the address and your connection. ${repeatable}`];
  return new Failure(exitCodes.network, `${sentence} (${cause})`, { code: 'network.unreachable', hint: remedy });
}

function hostOf(error: unknown): string | null {
  const { hostname, cause } = (error ?? {}) as { hostname?: unknown; cause?: unknown };
  if (typeof hostname === 'string') return hostname;
  return cause === undefined ? null : hostOf(cause);
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
  if (isNotOurs(problem)) return `Check the address and your connection. ${repeatable}`;
  if (problem.retryAfterSeconds !== null) return `Try again in ${problem.retryAfterSeconds} seconds.`;
  return undefined;
}

/** Converts a thrown error; null for a bug in this program. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof ClientProblem) {
    if (error.status === 0) return networkFailure(error.cause);
    const hint = hintOf(error);
    return new Failure(exitCodeOf(error), sentenceOf(error), {
      code: error.code,
      ...(hint === undefined ? {} : { hint }),
      ...(error.requestId === '' ? {} : { requestId: error.requestId }),
    });
  }
  const system = error as NodeJS.ErrnoException;
  if (error instanceof Error && isNetworkFault(error)) return networkFailure(error);
  if (error instanceof Error && typeof system.code === 'string' && system.syscall !== undefined)
    return localFailure(systemSentence(system), `system.${system.code.toLowerCase()}`);
  return null;
}

const networkCodes =
  /^E(CONN|TIMEDOUT|PIPE$|HOST|NET|AI_AGAIN|NOTFOUND|PROTO)|^UND_|^ERR_(SSL|TLS)_|CERT|SELF_SIGNED|^UNABLE_TO_/;

/** An error of a connection, not of a file. */
export function isNetworkFault({ code, path }: NodeJS.ErrnoException): boolean {
  return typeof code === 'string' && path === undefined && networkCodes.test(code);
}

function systemSentence({ code, path, message }: NodeJS.ErrnoException): string {
  const where = path === undefined ? '' : ` (${path})`;
  if (code === 'ENOENT') return `no such file or folder${where}`;
  if (code === 'EACCES' || code === 'EPERM') return `not permitted by the system${where}`;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return `the disk is full${where}`;
  if (code === 'EISDIR') return `that is a folder${where}`;
  return message;
}
