// Single requests through the public address. Follows no redirects, keeps no connection.
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface ProbeReply {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  /** The port of our own end of the connection. */
  localPort: number;
  receivedAt: number;
}

const timeoutMs = 10_000;

function open(url: URL, headers: Record<string, string | number>): ClientRequest {
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return request(url, { method: 'POST', agent: false, headers: { accept: 'application/json', ...headers } });
}

/** Rejects with the connection's error; a timeout has the code `ETIMEDOUT`. */
export function post(url: URL, headers: Record<string, string>): Promise<ProbeReply> {
  return withTimeout(open(url, { ...headers, 'content-length': 2 }), (request, resolve, reject) => {
    request.on('response', (response) => {
      const reply = {
        status: response.statusCode ?? 0,
        headers: response.headers,
        localPort: response.socket.localPort ?? 0,
        receivedAt: Date.now(),
      };
      text(response).then((body) => resolve({ ...reply, body: body.slice(0, 10_000) }), reject);
    });
    request.end('ok');
  });
}

/** Sends `Expect: 100-continue` and no body. */
export function isSizeAccepted(url: URL, bytes: number): Promise<boolean> {
  const headers = { expect: '100-continue', 'content-length': bytes };
  return withTimeout(open(url, headers), (request, resolve) => {
    request.on('continue', () => resolve(true));
    request.on('response', (response) => resolve(response.statusCode !== 413));
    request.flushHeaders();
  });
}

/** Whether the reply begins before the body ends: no proxy buffers the body. */
export function isForwardedUnbuffered(url: URL, waitMs: number): Promise<boolean> {
  const half = Buffer.alloc(1024);
  return withTimeout(open(url, { 'content-length': half.length * 2 }), (request, resolve) => {
    let isWhole = false;
    const finish = () => {
      isWhole = true;
      request.end(half);
    };
    const timer = setTimeout(finish, waitMs);
    request.on('response', (response) => {
      clearTimeout(timer);
      resolve(!isWhole);
      if (!isWhole) finish();
      response.resume();
    });
    request.write(half);
  });
}

function withTimeout<Result>(
  request: ClientRequest,
  work: (request: ClientRequest, resolve: (result: Result) => void, reject: (error: unknown) => void) => void,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    timeoutMs,
  );
  request.on('error', reject);
  work(request, resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    request.on('error', () => {});
    request.destroy();
  });
}
