// Refuses requests no route matches: unknown paths, methods and expectations.
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { seeOther } from '../pages/forms.ts';
import { sendRefusal } from './answers.ts';
import { drain } from './body.ts';
import { createGuard } from './guard.ts';
import { readerOf } from './languages.ts';
import { isNavigation, wantsJson } from './negotiation.ts';
import { type Exchange, type Router, type UnmatchedHandlers, type UnroutedRequest, watchEnd } from './router.ts';
import { basePath } from './urls.ts';

export interface UnmatchedRoutes extends UnmatchedHandlers {
  /** An Expect header that is not `100-continue`. */
  unexpected(request: UnroutedRequest): void;
}

export function createUnmatchedRoutes(
  deps: HttpDeps,
  router: Router,
  refusePage: (exchange: Exchange, error: unknown) => Promise<void>,
): UnmatchedRoutes {
  const guard = createGuard(deps);
  const meter = deps.meters.route('other', 'none');
  const edge = { log: deps.ctx.log, readerOf: (raw: IncomingMessage) => readerOf(deps, raw) };
  const refuse = ({ raw, response, requestId, signal }: UnroutedRequest, choose: (path: string) => Problem) => {
    const path = (raw.url ?? '/').split('?', 1)[0]!;
    let problem: unknown;
    try {
      guard(raw, path);
      problem = choose(path);
    } catch (error) {
      problem = error;
    }
    if (wantsJson(raw)) sendRefusal({ response, requestId }, problem, edge);
    else void refusePage({ raw, response, requestId, signal, params: {}, queryText: '' }, problem);
    drain(raw);
  };

  return {
    unrouted(request) {
      const { raw, response } = request;
      watchEnd(deps, meter, { method: 'other', route: 'none', ...request });
      if (raw.method === 'OPTIONS') {
        response.writeHead(204).end();
        return;
      }
      // A form's address, opened directly, leads to its page.
      const asked = (raw.url ?? '/').split('?', 1)[0]!;
      if (isNavigation(raw) && router.methodsAt(asked).length > 0)
        return seeOther(response, `${basePath(deps)}${router.nearestPage(asked)}`);
      refuse(request, (path) => {
        const methods = router.methodsAt(path);
        if (methods.length === 0) return noSuchAddress();
        response.setHeader('allow', methods.join(', '));
        return new Problem(
          'invalid',
          'request.method_not_allowed',
          `${raw.method} is not possible here; use ${methods.join(' or ')}.`,
        );
      });
    },
    undecodable: (request) => refuse(request, noSuchAddress),
    unexpected: (request) =>
      refuse(
        request,
        () => new Problem('invalid', 'request.unknown_expectation', 'The Expect header is not one we know.'),
      ),
  };
}

function noSuchAddress(): Problem {
  return new Problem('not_found', 'request.not_found', 'There’s nothing at this address.');
}
