// Redirects plain HTTP to the public address, for people who type it without https://. Programs that send data or keys
// are refused, so that their configuration is corrected.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Listen } from '../../lib/config-values.ts';
import { asListenProblem, listenOptions, removeStaleSocket, stopListening } from '../../lib/listening.ts';
import { sendJson } from './answers.ts';
import { createRequestIds } from './request-ids.ts';
import type { Challenges } from './tls.ts';

export interface RedirectServer {
  listen(where: Listen): Promise<void>;
  take(connection: Socket): void;
  close(): Promise<void>;
}

const requestMs = 10_000;
const maxSockets = 2000;

interface RedirectDeps {
  baseUrl: URL;
  challenges: Challenges | null;
}

export function createRedirectServer({ baseUrl, challenges }: RedirectDeps): RedirectServer {
  const server = createServer(
    { headersTimeout: requestMs, requestTimeout: requestMs, keepAliveTimeout: requestMs, requireHostHeader: false },
    (raw, response) => {
      const token = tokenOf(raw);
      if (challenges === null || token === null) return answer(baseUrl, raw, response);
      void answerChallenge(challenges, token, response);
    },
  );
  server.maxConnections = maxSockets;
  return {
    async listen(where) {
      await removeStaleSocket(where);
      server.listen(listenOptions(where));
      await once(server, 'listening').catch((error: unknown) => {
        throw asListenProblem(error, where, 'WAYBILL_TLS_REDIRECT_LISTEN');
      });
    },
    take: (connection) => void server.emit('connection', connection),
    async close() {
      if (server.listening) await stopListening(server);
      server.close();
      server.closeAllConnections();
    },
  };
}

const newRequestId = createRequestIds();

/** Of an HTTP-01 challenge (RFC 8555, 8.3). */
function tokenOf({ method, url = '' }: IncomingMessage): string | null {
  return method === 'GET' ? (/^\/\.well-known\/acme-challenge\/([\w-]{1,128})$/.exec(url)?.[1] ?? null) : null;
}

async function answerChallenge(challenges: Challenges, token: string, response: ServerResponse): Promise<void> {
  const found = await challenges.findKeyAuthorization(token).catch(() => null);
  const text = found ?? 'There is no such challenge.';
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) };
  response.writeHead(found === null ? 404 : 200, headers).end(text);
}

function answer(baseUrl: URL, raw: IncomingMessage, response: ServerResponse): void {
  raw.resume();
  response.shouldKeepAlive = false;
  const { method, headers, url = '/' } = raw;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || headers.authorization !== undefined) {
    const requestId = newRequestId();
    const errors = [`This server takes requests over HTTPS only, at ${baseUrl.origin}.`];
    sendJson({ response, requestId }, 403, { errors, code: 'request.insecure', request_id: requestId });
    return;
  }
  // An absolute target names another host, which must not become the destination.
  const path = /^\/(?![/\\])/.test(url) ? url : '/';
  response.writeHead(301, { location: `${baseUrl.origin}${path}`, 'content-length': 0 }).end();
}
