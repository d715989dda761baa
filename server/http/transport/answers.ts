import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../domain/ports.ts';
import { endBatched } from './batched-responses.ts';
import { isHeldBack } from './body.ts';
import { isOperatorsConcern, problemBody, refusalOf } from './problems.ts';
import type { Reader } from './refusal-texts.ts';

export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept, Authorization, Cookie',
} as const;

export interface Reply {
  response: ServerResponse;
  requestId: string;
  headers?: Record<string, string>;
}

/** A quote in a text is written as `\\u0022`, because an existing client cannot parse `\\"`. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\"')) return text;
  return text.replace(/\\./g, (escaped) => (escaped === '\\"' ? '\\u0022' : escaped));
}

export function sendJson(reply: Reply, status: number, body: unknown): void {
  sendJsonText(reply, status, jsonText(body));
}

/** For cached texts. */
export function sendJsonText({ response, requestId, headers }: Reply, status: number, text: string): void {
  const lengthBytes = Buffer.byteLength(text);
  response.writeHead(status, { ...jsonHeaders, 'content-length': lengthBytes, 'x-request-id': requestId, ...headers });
  // Plain ASCII, the usual case, needs no encoding.
  endBatched({ response, text, encoding: lengthBytes === text.length ? 'latin1' : 'utf8' });
}

/** 200 without a body: existing clients take it as success. */
export function sendEmpty({ response, requestId }: Reply): void {
  response.writeHead(200, { ...jsonHeaders, 'content-length': 0, 'x-request-id': requestId });
  response.end();
}

/** `{"key":[…]}`, a page at a time; a refusal is possible until the first page. */
export async function sendList<Item>(
  reply: Reply,
  key: string,
  pages: AsyncIterable<Item[]>,
  write: (item: Item) => unknown,
): Promise<void> {
  const { response, requestId, headers } = reply;
  let isFirst = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (isFirst) {
      response.writeHead(200, { ...jsonHeaders, 'x-request-id': requestId, ...headers });
      response.write(`{${JSON.stringify(key)}:[`);
    }
    const text = page.map((item) => jsonText(write(item))).join(',');
    const hasFreeSpace = response.write(isFirst ? text : `,${text}`);
    isFirst = false;
    if (!hasFreeSpace && !response.destroyed) await drainOrEnd(response);
    if (response.destroyed) return;
  }
  if (isFirst) sendJson(reply, 200, { [key]: [] });
  else response.end(']}');
}

/** A refusal is possible until the first chunk. */
export async function sendChunks(
  { response, requestId, headers }: Reply,
  chunks: AsyncIterable<string>,
): Promise<void> {
  const begin = () => response.writeHead(200, { ...jsonHeaders, 'x-request-id': requestId, ...headers });
  for await (const chunk of chunks) {
    if (!response.headersSent) begin();
    if (!response.write(chunk) && !response.destroyed) await drainOrEnd(response);
    if (response.destroyed) return;
  }
  if (!response.headersSent) begin();
  response.end();
}

/** Removes its listeners: long lists call it thousands of times. */
function drainOrEnd(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** After the first byte it cuts the connection. The caller drains a body that is still coming. */
export function sendRefusal(
  { response, requestId }: Reply,
  error: unknown,
  { log, readerOf }: { log: Log; readerOf(raw: IncomingMessage): Reader },
): void {
  const { status, problem, fault } = refusalOf(error);
  if (fault !== null) log.error({ requestId, err: describeFault(fault) }, 'a request failed because of a bug');
  else if (isOperatorsConcern(error))
    log.warn({ requestId, err: String(error) }, 'a request was refused because something is not available');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // A caller with an API key gets English, in a browser too.
  const isForPerson = isBrowser(response.req) && response.req.headers.authorization === undefined;
  const reader = isForPerson ? readerOf(response.req) : null;
  const text = jsonText(problemBody(problem, requestId, reader));
  response.writeHead(status, {
    ...jsonHeaders,
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    ...(status === 401 ? challengeOf(response.req) : {}),
    ...(problem.retryAfterSeconds === undefined ? {} : { 'retry-after': String(problem.retryAfterSeconds) }),
    ...(isHeldBack(response.req, response) ? { connection: 'close' } : {}),
  });
  response.end(text);
}

function isBrowser({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-mode'] !== undefined;
}

/** A browser would show its own password prompt. */
function challengeOf(request: IncomingMessage): { 'www-authenticate'?: string[] } {
  return isBrowser(request) ? {} : { 'www-authenticate': ['Basic realm="Waybill", charset="UTF-8"', 'Bearer'] };
}

export function describeFault(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}
