// One file from the server as a stream: cut lines are bridged by asking for the rest. In Node the end is an error unless
// the SHA-256 is the one the server promised; browsers have no hash that takes a stream.
import type { Wire } from './uploads.ts';

export interface DownloadOptions {
  /** Bytes that are here already; the stream begins after them, and the checksum is then not compared. */
  from?: number;
  onProgress?(receivedBytes: number, totalBytes: number): void;
  signal?: AbortSignal;
}

/** The file that arrived is not the one that was sent. */
export class ChecksumMismatch extends Error {
  override name = 'ChecksumMismatch';
}

const mostAttempts = 8;

/** `url`: of a file of a message, as `GET /message/ID` names it. */
export function download(wire: Wire, url: string, options: DownloadOptions): ReadableStream<Uint8Array> {
  const bytes = bytesOf(wire, new URL(url, `${wire.server}/`).href, options);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await bytes.return(undefined)),
  });
}

async function* bytesOf(
  wire: Wire,
  url: string,
  { from = 0, onProgress, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  let at = from;
  let total: number | null = null;
  let etag: string | null = null;
  const hash = from === 0 ? createSha256() : null;
  let promised: string | null = null;
  for (let attempt = 1; total === null || at < total; ) {
    try {
      const headers: Record<string, string> = {
        ...wire.headers,
        ...(at === 0 ? {} : { range: `bytes=${at}-`, ...(etag === null ? {} : { 'if-range': etag }) }),
      };
      const response: Response = await wire.fetch(url, { headers, ...(signal === undefined ? {} : { signal }) });
      if (!response.ok || response.body === null || (at > 0 && response.status !== 206))
        throw new Refused(response.status);
      etag = response.headers.get('etag');
      total = at + Number(response.headers.get('content-length'));
      promised = response.headers.get('repr-digest');
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        at += bytes.length;
        attempt = 1;
        hash?.update(bytes);
        onProgress?.(at, total);
        yield bytes;
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof Refused || attempt >= mostAttempts) throw error;
      attempt += 1;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
  const found = hash?.digest('base64');
  if (found !== undefined && promised !== null && !promised.includes(`sha-256=:${found}:`))
    throw new ChecksumMismatch(url);
}

interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'base64'): string;
}

/** Null where the platform has none. */
function createSha256(): Hash | null {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as { createHash(name: string): Hash } | undefined;
  return crypto?.createHash('sha256') ?? null;
}

class Refused extends Error {
  constructor(status: number) {
    super(`The server answered with status ${status}.`);
  }
}
