// A refusal as a page in the reader's language.
import type { Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { describeFault } from '../transport/answers.ts';
import { readerOf } from '../transport/languages.ts';
import { isOperatorsConcern, refusalOf } from '../transport/problems.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange } from '../transport/router.ts';
import { notFoundPage } from './not-found.ts';

export function createPageRefuser(deps: HttpDeps): (exchange: Exchange, error: unknown) => Promise<void> {
  return async (exchange, error) => {
    const { status, problem, fault } = refusalOf(error);
    const { requestId } = exchange;
    if (fault !== null) deps.ctx.log.error({ requestId, err: describeFault(fault) }, 'a page failed because of a bug');
    else if (isOperatorsConcern(error))
      deps.ctx.log.warn({ requestId, err: String(error) }, 'a page was refused because something is not available');
    const retry =
      problem.retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(problem.retryAfterSeconds) } };
    if (fault !== null) deps.pages.send(exchange, { kind: 'error', status, requestId });
    else if (problem.code.endsWith('.not_found')) deps.pages.send(exchange, notFoundPage);
    else if (problem.code === 'request.for_programs')
      deps.pages.send(exchange, { kind: 'not-available', reason: { is: 'for-programs' }, about: null });
    else if (status === 429)
      deps.pages.send(exchange, { kind: 'wait', seconds: problem.retryAfterSeconds ?? 60 }, retry);
    else if (status === 503)
      deps.pages.send(
        exchange,
        { kind: 'not-available', reason: { is: 'maintenance', message: messageOf(problem) }, about: null },
        retry,
      );
    else if (problem.code === 'download.gone')
      deps.pages.send(exchange, { kind: 'not-available', reason: { is: 'removed', fileCount: 1 }, about: null });
    else
      deps.pages.send(exchange, {
        kind: 'problem',
        status,
        sentence: refusalText(problem, readerOf(deps, exchange.raw)),
        backUrl: null,
        requestId,
      });
  };
}

/** The administrator's maintenance notice. */
function messageOf({ code, values }: Problem): string | null {
  return code === 'maintenance.told' ? String(values.message) : null;
}
