// The web server as a value: routes from the contract and the pages, limits of the transport, a clean end. The only
// file besides router.ts that knows the web framework.
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { Listen } from '../lib/config-values.ts';
import { asListenProblem, clearTheWay, listeningUrl, listenOptions, stopListening } from '../lib/listening.ts';
import { type Connections, takeConnections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import { createServe } from './endpoint.ts';
import { createLive } from './live.ts';
import { createPageGate } from './maintenance.ts';
import { createPageRefuser } from './pages/refusals.ts';
import { createRequestIds, forwardedId } from './request-ids.ts';
import { createRouter, type Router } from './router.ts';
import { serveApi, servePages } from './routes.ts';
import { limitSockets } from './socket-limits.ts';
import { createUnknownAnswers } from './unknown.ts';
import { basePath } from './urls.ts';

export interface HttpServer {
  /** Resolves with the address as a person would type it (port 0 picks a free one). */
  listen(where: Listen): Promise<string>;
  /** Instead of `listen`: serves only the connections it is given. */
  open(): Promise<void>;
  take(connection: Socket): void;
  routes: ReturnType<Router['list']>;
  /**
   * Takes no new connections, lets running answers end, cuts what is left after the grace time. Connections that are kept
   * are served until nobody has asked for `quietMs`.
   */
  close(limits: { graceMs: number; quietMs: number }): Promise<void>;
}

export function createHttpServer(deps: HttpDeps): HttpServer {
  const app = fastify({
    logger: false,
    genReqId: (raw) => forwardedId(deps.trustProxy, raw as IncomingMessage) ?? newRequestId(),
    rewriteUrl: (raw) => localPath(raw, basePath(deps)),
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: false },
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: false,
    // A request that still arrives while it closes is served like any other.
    return503OnClosing: false,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      unknown.undecodable({ raw: request.raw, response: reply.raw, requestId: request.id });
    },
    // A missing Host is refused by the guard, with a body.
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 15_000, requireHostHeader: false },
  });
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  app.server.on('checkExpectation', (raw, response) =>
    unknown.unexpected({ raw, response, requestId: newRequestId() }),
  );
  const refusePage = createPageRefuser(deps);
  const router = createRouter(deps, { refuse: refusePage, demandOpen: createPageGate(deps) });
  const unknown = createUnknownAnswers(deps, router, refusePage);
  const live = createLive(deps);
  serveApi(createServe(deps, router), live);
  servePages(deps, router);
  router.mount(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    reply.hijack();
    unknown.unrouted({ raw: request.raw, response: reply.raw, requestId: request.id });
  });
  limitSockets(deps.trustProxy, app.server as Server);
  const connections = takeConnections(app.server as Server);
  return {
    routes: router.list(),
    async listen(where) {
      await clearTheWay(where);
      await app.listen(listenOptions(where)).catch((error: unknown) => {
        throw asListenProblem(error, where);
      });
      return listeningUrl(where, app.server.address());
    },
    async open() {
      await app.ready();
      // From here on the server looks after its connections: their time limits, and which of them are idle.
      app.server.emit('listening');
    },
    take: connections.take,
    async close(limits) {
      live.close();
      await closeGently(app, connections, limits);
    },
  };
}

const newRequestId = createRequestIds();

/**
 * The contract checks what comes in and what goes out. Without this the framework loads its own checkers at each start,
 * which nobody asks; a built program does not even hold their text (scripts/left-out.ts).
 */
function withoutSchemas(): never {
  throw new Error('routes have no schemas of the framework');
}

/** Some clients send the absolute form of the target (compatibility rule 5); a public sub-path is taken off. */
function localPath(raw: { url?: string | undefined; headers: IncomingHttpHeaders }, base: string): string {
  let path = raw.url ?? '/';
  if (!path.startsWith('/')) {
    const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(path);
    // RFC 9112 3.2.2: what the target names counts, whatever Host says; the guard looks at it.
    if (match !== null) raw.headers.host = match[1]!;
    path = match?.[2] ?? '/';
    if (path === '' || path.startsWith('?')) path = `/${path}`;
  }
  if (base !== '' && (path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}?`)))
    path = path.slice(base.length);
  return cleanPath(path);
}

/** A server address with a slash at its end gives `//account`, and people type `/account/` (compatibility rule 23). */
function cleanPath(target: string): string {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (!path.startsWith('//') && (path === '/' || !path.endsWith('/'))) return target;
  const clean = `/${path.replace(/^\/+|\/+$/g, '')}`;
  return query === -1 ? clean : clean + target.slice(query);
}

/** What is said to requests that even the parser refuses, by its code. */
const brokenReasons: Record<string, [status: string, sentence: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'The address of the request has characters that do not belong there. Percent-encode the file name as UTF-8: café.txt is written caf%C3%A9.txt.',
  ],
};

/** Requests too broken to have a handler: an answer if possible, then the end of the connection. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, sentence] = brokenReasons[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request could not be understood.',
  ];
  const body = JSON.stringify({
    errors: [sentence],
    code: 'request.malformed',
    request_id: newRequestId(),
  });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

async function closeGently(
  app: FastifyInstance,
  connections: Connections,
  { graceMs, quietMs }: { graceMs: number; quietMs: number },
): Promise<void> {
  const server = app.server as Server;
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  if (server.listening) await stopListening(server);
  await connections.drain(Math.min(quietMs, graceMs));
  server.closeIdleConnections();
  await app.close();
  await connections.ended();
  clearTimeout(cut);
}
