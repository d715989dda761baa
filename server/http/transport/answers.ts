// How answers leave: compact JSON that no cache keeps and no browser takes for something else, streamed lists, refusals.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../domain/ports.ts';
import { endWithOthers } from './batched-responses.ts';
import { isHeldBack } from './body.ts';
import { isOperatorsConcern, problemBody, refusalOf } from './problems.ts';
import type { Reader } from './refusal-texts.ts';

export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept, Authorization, Cookie',
} as const;

/** Where an answer goes. */
export interface Reply {
  response: ServerResponse;
  requestId: string;
  /** Of this answer alone. */
  headers?: Record<string, string>;
}

export function sendJson(reply: Reply, status: number, body: unknown): void {
  sendJsonText(reply, status, JSON.stringify(body));
}

/** For answers whose text is kept ready. */
export function sendJsonText({ response, requestId, headers }: Reply, status: number, text: string): void {
  const lengthBytes = Buffer.byteLength(text);
  response.writeHead(status, { ...jsonHeaders, 'content-length': lengthBytes, 'x-request-id': requestId, ...headers });
  // Most answers are plain ASCII, which needs no encoding on its way out.
  endWithOthers({ response, text, encoding: lengthBytes === text.length ? 'latin1' : 'utf8' });
}

/** 200 without a body: what existing clients take as "done" (compatibility rules 7 and 8). */
export function sendEmpty({ response, requestId }: Reply): void {
  response.writeHead(200, { ...jsonHeaders, 'content-length': 0, 'x-request-id': requestId });
  response.end();
}

/** A list of any length as `{"key":[…]}`, a page at a time; the first page decides between an answer and a refusal. */
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
    const text = page.map((item) => JSON.stringify(write(item))).join(',');
    const hasRoom = response.write(isFirst ? text : `,${text}`);
    isFirst = false;
    if (!hasRoom && !response.destroyed) await roomOrEnd(response);
    if (response.destroyed) return;
  }
  if (isFirst) sendJson(reply, 200, { [key]: [] });
  else response.end(']}');
}

/** A text of any length, a piece at a time; the first piece decides between an answer and a refusal. */
export async function sendChunks(
  { response, requestId, headers }: Reply,
  chunks: AsyncIterable<string>,
): Promise<void> {
  const begin = () => response.writeHead(200, { ...jsonHeaders, 'x-request-id': requestId, ...headers });
  for await (const chunk of chunks) {
    if (!response.headersSent) begin();
    if (!response.write(chunk) && !response.destroyed) await roomOrEnd(response);
    if (response.destroyed) return;
  }
  if (!response.headersSent) begin();
  response.end();
}

/** Leaves no listener behind: a long list waits here thousands of times. */
function roomOrEnd(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/**
 * Turns anything thrown into the error body. After the first byte there is no clean end any more: the line is cut.
 * A body that is still coming is the caller's to drain.
 */
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
  // A caller with an API key is a program, in a browser too: it gets English.
  const isForPerson = isBrowser(response.req) && response.req.headers.authorization === undefined;
  const reader = isForPerson ? readerOf(response.req) : null;
  const text = JSON.stringify(problemBody(problem, requestId, reader));
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

/** Tells programs how to authenticate. A browser would show its own password prompt. */
function challengeOf(request: IncomingMessage): { 'www-authenticate'?: string[] } {
  return isBrowser(request) ? {} : { 'www-authenticate': ['Basic realm="Waybill", charset="UTF-8"', 'Bearer'] };
}

export function describeFault(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}
