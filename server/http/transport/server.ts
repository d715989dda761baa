// The web server: routes, limits of the transport, shutdown.
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createPlainServer, type Server as PlainServer, type Socket } from 'node:net';
import type { Listen } from '../../lib/config-values.ts';
import { asListenProblem, listeningUrl, listenOptions, removeStaleSocket, stopListening } from '../../lib/listening.ts';
import type { HttpDeps } from '../deps.ts';
import { createServe } from '../endpoint.ts';
import { createLive } from '../live/live.ts';
import { createPageRefuser } from '../pages/refusals.ts';
import { serveApi, servePages } from '../routes.ts';
import { clientSignal } from './answer-end.ts';
import { type Connections, takeConnections } from './connections.ts';
import { createHttp2Server, type Http2Handlers, type Http2Server } from './http2.ts';
import { createPageGate } from './maintenance.ts';
import { createRequestIds, forwardedId } from './request-ids.ts';
import { createRouter, type Router } from './router.ts';
import { limitSockets } from './socket-limits.ts';
import { type CertificateSource, createTlsEntrance, type TlsEntrance } from './tls.ts';
import { createUnmatchedRoutes } from './unmatched-routes.ts';
import { basePath } from './urls.ts';

export interface HttpServer {
  /** Resolves with the URL; port 0 picks a free one. */
  listen(where: Listen): Promise<string>;
  /** Instead of `listen`: serves only the connections it is given. */
  open(): void;
  take(connection: Socket): void;
  routes: ReturnType<Router['list']>;
  /**
   * Lets running answers end, and cuts the rest after the grace time. Idle connections are served until none had a
   * request for `quietMs`.
   */
  close(limits: { graceMs: number; quietMs: number }): Promise<void>;
}

export function createHttpServer(deps: HttpDeps): HttpServer {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: 15_000,
    // Large files take time; socket-limits.ts and body.ts end slow bodies.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    // The guard refuses a missing Host, with a body.
    requireHostHeader: false,
  });
  const refusePage = createPageRefuser(deps);
  const router = createRouter(deps, { refuse: refusePage, requireOpen: createPageGate(deps) });
  const unmatched = createUnmatchedRoutes(deps, router, refusePage);
  const live = createLive(deps);
  serveApi(createServe(deps, router), live);
  servePages(deps, router);
  const answer = router.open(unmatched);
  const base = basePath(deps);
  const request = (raw: IncomingMessage, response: ServerResponse) => {
    raw.url = localPath(raw, base);
    const requestId = forwardedId(deps.trustProxy, raw) ?? newRequestId();
    answer({ raw, response, requestId, signal: clientSignal(response) });
  };
  const unexpected = (raw: IncomingMessage, response: ServerResponse) =>
    unmatched.unexpected({ raw, response, requestId: newRequestId(), signal: clientSignal(response) });
  server.on('request', request);
  server.on('checkContinue', (raw, response) => server.emit('request', raw, response));
  server.on('checkExpectation', unexpected);
  server.on('clientError', refuseBrokenRequest);
  server.maxHeadersCount = 100;
  const secured = deps.certificate === null ? null : secure(deps.certificate, server, { request, unexpected });
  const port = secured?.port ?? server;
  limitSockets(deps.trustProxy, port);
  const connections = takeConnections(server, port);
  return {
    routes: router.list(),
    async listen(where) {
      await removeStaleSocket(where);
      port.listen(listenOptions(where));
      await once(port, 'listening').catch((error: unknown) => {
        throw asListenProblem(error, where);
      });
      if (secured !== null) startChecks(server);
      return listeningUrl(where, port.address(), secured === null ? 'http' : 'https');
    },
    open: () => startChecks(server),
    take: connections.take,
    async close(limits) {
      live.close();
      await closeGracefully({ server, port, connections, secured }, limits);
    },
  };
}

/** Starts the checks of connections that a server does while it listens: timeouts, idle connections. */
function startChecks(server: Server): void {
  server.emit('listening');
}

interface Secured {
  port: PlainServer;
  entrance: TlsEntrance;
  http2: Http2Server;
}

function secure(certificate: CertificateSource, server: Server, handlers: Http2Handlers): Secured {
  const http2 = createHttp2Server(handlers);
  const entrance = createTlsEntrance(certificate, {
    http1: (socket) => server.emit('connection', socket),
    http2: http2.take,
  });
  const port = createPlainServer({ allowHalfOpen: true, noDelay: true });
  port.on('connection', entrance.take);
  return { port, entrance, http2 };
}

const newRequestId = createRequestIds();

/** Some clients send the absolute form of the target. */
function localPath(raw: { url?: string | undefined; headers: IncomingHttpHeaders }, base: string): string {
  let path = raw.url ?? '/';
  if (!path.startsWith('/')) {
    const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(path);
    // RFC 9112 3.2.2: the target counts, not Host.
    if (match !== null) raw.headers.host = match[1]!;
    path = match?.[2] ?? '/';
    if (path === '' || path.startsWith('?')) path = `/${path}`;
  }
  if (base !== '' && (path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}?`)))
    path = path.slice(base.length);
  return cleanPath(path);
}

/** A server address with a trailing slash gives `//account`, and people type `/account/`. */
function cleanPath(target: string): string {
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (!path.startsWith('//') && (path === '/' || !path.endsWith('/'))) return target;
  const clean = `/${path.replace(/^\/+|\/+$/g, '')}`;
  return query === -1 ? clean : clean + target.slice(query);
}

/** Responses to requests that the parser rejects, by its code. */
const brokenReasons: Record<string, [status: string, sentence: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long.'],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'The address of the request has characters that do not belong there. Percent-encode the file name as UTF-8: café.txt is written caf%C3%A9.txt.',
  ],
};

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

interface Running {
  server: Server;
  port: PlainServer;
  connections: Connections;
  secured: Secured | null;
}

async function closeGracefully(
  { server, port, connections, secured }: Running,
  { graceMs, quietMs }: { graceMs: number; quietMs: number },
): Promise<void> {
  const cut = setTimeout(() => {
    server.closeAllConnections();
    secured?.http2.cut();
  }, graceMs);
  if (port.listening) await stopListening(port);
  await connections.drain(Math.min(quietMs, graceMs));
  server.close(); // also ends idle connections and the checks of connections
  secured?.http2.drain();
  await Promise.all([connections.ended(), secured?.http2.ended()]);
  secured?.entrance.close();
  clearTimeout(cut);
}
