// Requests the rest of a file when the connection is cut. Compares the SHA-256 in Node; browsers cannot hash a stream.

import { backoffMs } from '../transfer/backoff.ts';
import { anySignal } from '../transfer/older-platforms.ts';
import type { Wire } from './uploads.ts';

export interface DownloadOptions {
  /** Bytes already downloaded. The stream then compares no checksum. */
  from?: number;
  onProgress?(receivedBytes: number, totalBytes: number): void;
  signal?: AbortSignal;
}

export class ChecksumMismatch extends Error {
  override name = 'ChecksumMismatch';
}

const maxAttempts = 8;
const busyStatuses = new Set([429, 502, 503, 504]);

/** `url`: an attachment's URL from `GET /message/ID`. */
export function download(wire: Wire, url: string, options: DownloadOptions): ReadableStream<Uint8Array> {
  const stopping = new AbortController();
  const signal = anySignal([stopping.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const bytes = bytesOf(wire, new URL(url, `${wire.server}/`), { ...options, signal });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      stopping.abort(reason);
      await bytes.return(undefined);
    },
  });
}

type Request = DownloadOptions & { signal: AbortSignal };

async function* bytesOf(wire: Wire, url: URL, { from = 0, onProgress, signal }: Request): AsyncGenerator<Uint8Array> {
  const hash = from === 0 ? createSha256() : null;
  let expected: string | null = null;
  let etag: string | null = null;
  let at = from;
  for (let attempt = 1; ; ) {
    try {
      const response: Response = await wire.fetch(url.href, { headers: rangeFrom(at, etag), signal });
      if (isComplete(response, at)) break;
      const body = bodyOf(response, at);
      etag = response.headers.get('etag');
      expected = response.headers.get('repr-digest');
      const length = response.headers.get('content-length');
      const total = length === null ? null : at + Number(length);
      for await (const bytes of body) {
        at += bytes.length;
        attempt = 1;
        hash?.update(bytes);
        onProgress?.(at, total ?? at);
        yield bytes;
      }
      if (total === null || at >= total) break;
      throw new TypeError('the connection was cut');
    } catch (error) {
      const isFinal = error instanceof Refused && !busyStatuses.has(error.status);
      if (signal.aborted || isFinal || attempt >= maxAttempts) throw error;
      await pause(backoffMs(attempt, Math.random), signal);
      attempt += 1;
    }
  }
  const actual = hash?.digest('base64');
  if (actual !== undefined && expected !== null && !expected.includes(`sha-256=:${actual}:`))
    throw new ChecksumMismatch(url.href);
}

function rangeFrom(at: number, etag: string | null): Record<string, string> {
  if (at === 0) return {};
  return { range: `bytes=${at}-`, ...(etag === null ? {} : { 'if-range': etag }) };
}

function isComplete({ status, headers }: Response, at: number): boolean {
  return status === 416 && headers.get('content-range') === `bytes */${at}`;
}

/** The file has changed if a range request gets a 200. */
function bodyOf(response: Response, at: number): AsyncIterable<Uint8Array> {
  const { status, body } = response;
  if (at > 0 && status === 200) throw new Refused(status, 'The file on the server has changed.');
  if (!response.ok || body === null || (at > 0 && status !== 206))
    throw new Refused(status, `The server answered with status ${status}.`);
  return body as unknown as AsyncIterable<Uint8Array>;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'base64'): string;
}

/** Null where the platform has no streaming hash. */
function createSha256(): Hash | null {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as { createHash(name: string): Hash } | undefined;
  return crypto?.createHash('sha256') ?? null;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}
