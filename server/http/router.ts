// Collects what answers at each path. Pages and the API share paths; which one answers is decided per request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../domain/problem.ts';
import { describeFault, sendRefusal } from './answers.ts';
import { drain } from './body.ts';
import type { HttpDeps } from './deps.ts';
import { createGuard } from './guard.ts';
import { wantsJson } from './negotiation.ts';

/** One request on its way through the edge. */
export interface Exchange {
  raw: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  params: Record<string, string>;
  /** The query as it came, without the question mark. */
  queryText: string;
}

/** Answers the exchange completely, or throws. */
export type Answerer = (exchange: Exchange) => Promise<void>;

interface Place {
  api?: Answerer;
  page?: Answerer;
}

export interface Router {
  api(method: string, path: string, answerer: Answerer): void;
  page(method: string, path: string, answerer: Answerer): void;
  /** Hands everything collected to the web framework. */
  mount(app: FastifyInstance): void;
  /** Which methods answer at a path that was asked for with another one. */
  methodsAt(path: string): string[];
  /** Every method and path, for the test that lists routes. */
  list(): { method: string; path: string; kinds: string[] }[];
}

function neverReached(): never {
  throw new Error('a request went past its answer');
}

/** `refusePage` renders a refusal for a browser. */
export function createRouter(
  deps: HttpDeps,
  refusePage: (exchange: Exchange, error: unknown) => Promise<void>,
): Router {
  const places = new Map<string, Place>();
  const guard = createGuard(deps);
  const add = (method: string, path: string, kind: keyof Place, answerer: Answerer) => {
    const key = `${method} ${path}`;
    const place = places.get(key) ?? {};
    if (place[kind] !== undefined) throw new Error(`${key} is answered twice`);
    places.set(key, { ...place, [kind]: answerer });
  };

  const answer = async (place: Place, exchange: Exchange): Promise<void> => {
    const isApi = place.page === undefined || (place.api !== undefined && wantsJson(exchange.raw));
    try {
      guard(exchange.raw, exchange.raw.url!.split('?', 1)[0]!);
      if (Object.values(exchange.params).some((value) => /[\u0000-\u001f]/.test(value)))
        throw notFound('page', "There's nothing at this address.");
      await (isApi ? place.api! : place.page!)(exchange);
    } catch (error) {
      const { raw, response } = exchange;
      // A program that fetches a file is told why not in the one way programs read (compatibility rule 9).
      if (isApi || wantsJson(raw) || response.headersSent)
        sendRefusal(response, error, exchange.requestId, deps.ctx.log);
      else await refusePage(exchange, error);
      drain(raw);
    }
  };

  return {
    api: (method, path, answerer) => add(method, path, 'api', answerer),
    page: (method, path, answerer) => add(method, path, 'page', answerer),
    mount(app) {
      for (const [key, place] of places) {
        const [method, url] = key.split(' ') as [string, string];
        app.route({
          method,
          url,
          exposeHeadRoute: method === 'GET' && !places.has(`HEAD ${url}`),
          // As early as can be: past this the framework would look at the Content-Type, which is nobody's business
          // but the handler's (compatibility rule 3).
          onRequest: (request, reply) => {
            reply.hijack();
            const query = request.raw.url!.indexOf('?');
            answer(place, {
              raw: request.raw,
              response: reply.raw,
              requestId: request.id,
              params: request.params as Record<string, string>,
              queryText: query === -1 ? '' : request.raw.url!.slice(query + 1),
            }).catch((error: unknown) => {
              deps.ctx.log.error({ requestId: request.id, err: describeFault(error) }, 'a refusal could not be sent');
              reply.raw.destroy();
            });
          },
          handler: neverReached,
        });
      }
    },
    methodsAt(path) {
      const isMatch = (pattern: string) =>
        new RegExp(
          `^${pattern
            .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
            .replace(/:\w+/g, '[^/]+')
            .replace('\\*', '.*')}$`,
        ).test(path);
      return [
        ...new Set(
          [...places.keys()]
            .map((key) => key.split(' ') as [string, string])
            .filter(([, pattern]) => isMatch(pattern))
            .map(([method]) => method),
        ),
      ];
    },
    list: () =>
      [...places].map(([key, place]) => {
        const [method, path] = key.split(' ') as [string, string];
        return { method, path, kinds: Object.keys(place) };
      }),
  };
}
