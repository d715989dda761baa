// Pages and API share paths; each request decides which one answers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { notFound, Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { describeFault, sendRefusal } from './answers.ts';
import { drain } from './body.ts';
import { createGuard } from './guard.ts';
import { readerOf } from './languages.ts';
import type { RouteMeter } from './meters.ts';
import { isNavigation, wantsJson } from './negotiation.ts';

/** A request before it is routed. */
export interface UnroutedRequest {
  raw: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Aborted when the client leaves before its answer has ended. */
  signal: AbortSignal;
}

export interface Exchange extends UnroutedRequest {
  params: Record<string, string>;
  /** The raw query, without the question mark. */
  queryText: string;
}

/** Answers the exchange completely, or throws. */
export type RouteHandler = (exchange: Exchange) => Promise<void>;

interface Place {
  api?: RouteHandler;
  page?: RouteHandler;
}

/** Requests no route matches. */
export interface UnmatchedHandlers {
  /** No route for this method and path. */
  unrouted(request: UnroutedRequest): void;
  /** Cannot be decoded, or has segments longer than those of any route. */
  undecodable(request: UnroutedRequest): void;
}

export interface Router {
  api(method: string, path: string, answerer: RouteHandler): void;
  page(method: string, path: string, answerer: RouteHandler): void;
  /** Serves the routes registered so far. */
  open(unmatched: UnmatchedHandlers): (request: UnroutedRequest) => void;
  /** For paths requested with another method. */
  methodsAt(path: string): string[];
  /** `/` if there is no other. */
  nearestPage(path: string): string;
  list(): { method: string; path: string; kinds: string[] }[];
}

/** A person who opens the address of a call must not read that a key is missing. */
function refusalForPeople(error: unknown): unknown {
  const isKeyMissing = error instanceof Problem && error.kind === 'unauthenticated';
  return isKeyMissing ? new Problem('unauthenticated', 'request.for_programs', error.message) : error;
}

interface Watched {
  method: string;
  /** The pattern; the path itself may be a credential. */
  route: string;
  requestId: string;
  response: ServerResponse;
}

export function watchEnd(deps: HttpDeps, meter: RouteMeter, { response, method, route, requestId }: Watched): void {
  const begunAt = performance.now();
  response.once('close', () => {
    const tookMs = performance.now() - begunAt;
    const status = response.headersSent ? response.statusCode : null;
    meter.finish(status, tookMs / 1000);
    deps.ctx.log.debug({ requestId, method, route, status, tookMs: Math.round(tookMs) }, 'a request has ended');
  });
}

interface Route {
  place: Place;
  meter: RouteMeter;
  method: string;
  path: string;
}

/** No route has a longer path segment. */
const maxSegmentLength = 1024;

/** find-my-way is used for lookup only; its handlers are never invoked. */
function neverCalled(): never {
  throw new Error('a request went past its answer');
}

export interface PageEdge {
  /** Renders a refusal for a browser. */
  refuse(exchange: Exchange, error: unknown): Promise<void>;
  /** Throws during maintenance. */
  requireOpen(exchange: Exchange): Promise<void>;
}

export function createRouter(deps: HttpDeps, pages: PageEdge): Router {
  const places = new Map<string, Place>();
  const guard = createGuard(deps);
  const edge = { log: deps.ctx.log, readerOf: (raw: IncomingMessage) => readerOf(deps, raw) };
  const add = (method: string, path: string, kind: keyof Place, answerer: RouteHandler) => {
    const key = `${method} ${path}`;
    const place = places.get(key) ?? {};
    if (place[kind] !== undefined) throw new Error(`${key} is answered twice`);
    places.set(key, { ...place, [kind]: answerer });
  };

  const answer = async (place: Place, exchange: Exchange): Promise<void> => {
    deps.meters.requestsActive.value += 1;
    const isApi = place.page === undefined || (place.api !== undefined && wantsJson(exchange.raw));
    try {
      guard(exchange.raw, exchange.raw.url!.split('?', 1)[0]!);
      for (const name in exchange.params)
        if (/[\u0000-\u001f]/.test(exchange.params[name]!)) throw notFound('page', 'There’s nothing at this address.');
      if (!isApi) await pages.requireOpen(exchange);
      exchange.signal.throwIfAborted();
      await (isApi ? place.api! : place.page!)(exchange);
    } catch (error) {
      const { raw, response, signal } = exchange;
      // A program that fetches a file gets the refusal as JSON.
      const isForProgram = wantsJson(raw) || (isApi && !isNavigation(raw));
      if (isForProgram || response.headersSent || signal.aborted) sendRefusal(exchange, error, edge);
      else await pages.refuse(exchange, isApi ? refusalForPeople(error) : error);
      drain(raw);
    } finally {
      deps.meters.requestsActive.value -= 1;
    }
  };

  return {
    api: (method, path, answerer) => add(method, path, 'api', answerer),
    page: (method, path, answerer) => add(method, path, 'page', answerer),
    open: (unmatched) => openTable(deps, places, answer, unmatched),
    methodsAt: (path) => [...new Set(placesAt(places, path).map(({ method }) => method))],
    nearestPage: (path) => nearestPage(places, path),
    list: () =>
      [...places].map(([key, place]) => {
        const [method, path] = key.split(' ') as [string, string];
        return { method, path, kinds: Object.keys(place) };
      }),
  };
}

function openTable(
  deps: HttpDeps,
  places: ReadonlyMap<string, Place>,
  answer: (place: Place, exchange: Exchange) => Promise<void>,
  unmatched: UnmatchedHandlers,
): (request: UnroutedRequest) => void {
  const table = tableOf(deps, places);
  return (request) => {
    const { raw, response, requestId, signal } = request;
    const url = raw.url!;
    // HEAD without a route is answered as GET; Node drops the bytes.
    const found = table.find(raw.method as HTTPMethod, url) ?? (raw.method === 'HEAD' ? table.find('GET', url) : null);
    if (found === null) return unmatched.unrouted(request);
    const route: Route | null = found.store;
    if (route === null) return unmatched.undecodable(request);
    watchEnd(deps, route.meter, { method: route.method, route: route.path, requestId, response });
    const query = url.indexOf('?');
    const queryText = query === -1 ? '' : url.slice(query + 1);
    const params = found.params as Record<string, string>;
    answer(route.place, { raw, response, requestId, signal, params, queryText }).catch((error: unknown) => {
      deps.ctx.log.error({ requestId, err: describeFault(error) }, 'a refusal could not be sent');
      response.destroy();
    });
  };
}

function tableOf(deps: HttpDeps, places: ReadonlyMap<string, Place>) {
  const table = findMyWay({
    maxParamLength: maxSegmentLength,
    // The contract parses queries.
    querystringParser: () => null,
    onBadUrl: neverCalled,
    onMaxParamLength: neverCalled,
  });
  for (const [key, place] of places) {
    const [method, path] = key.split(' ') as [HTTPMethod, string];
    const route: Route = { place, meter: deps.meters.route(method, path), method, path };
    table.on(method, path, neverCalled, route);
  }
  return table;
}

function nearestPage(places: ReadonlyMap<string, Place>, path: string): string {
  const shows = (at: string) => placesAt(places, at).some(({ method, place }) => method === 'GET' && place.page);
  let at = path;
  while (at !== '' && !shows(at)) at = at.slice(0, at.lastIndexOf('/'));
  return at === '' ? '/' : at;
}

function placesAt(places: ReadonlyMap<string, Place>, path: string): { method: string; place: Place }[] {
  const matches = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/:\w+/g, '[^/]+')
        .replace('\\*', '.*')}$`,
    ).test(path);
  return [...places].flatMap(([key, place]) => {
    const [method, pattern] = key.split(' ') as [string, string];
    return matches(pattern) ? [{ method, place }] : [];
  });
}
