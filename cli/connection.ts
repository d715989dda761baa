// Requests over node:http and node:https with proxies from the environment, private certificates and progress of uploads.
// The typed client uses `fetch`, the transfer engine `send`.
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { Clock, Send, StreamBody } from '../transfer/ports.ts';
import type { SingleRequestPorts } from '../transfer/single-request.ts';
import { localFailure } from './failures.ts';
import { createPacer, type Pacer } from './pace.ts';

export interface ConnectionOptions {
  /** A file with certificates to trust besides the system's. */
  caFile: string | null;
  /** Skips certificate checks; warns each time. */
  isInsecure: boolean;
  env: Readonly<Record<string, string | undefined>>;
  userAgent: string;
  /** A request without any traffic for this long fails. */
  timeoutMs: number;
  /** Limit for sending and receiving together; null: no limit. */
  bytesPerSecond: number | null;
  clock: Clock;
  /** Called for each exchange, without secrets. */
  trace?(line: string): void;
}

export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  body: IncomingMessage;
}

export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array | StreamBody | string | null;
  signal?: AbortSignal | null;
  onProgress?(sentBytes: number): void;
}

export interface Connection {
  open(request: Outgoing): Promise<Exchanged>;
  fetch: typeof fetch;
  send: Send;
  /** `send` for a body that is not in memory. */
  stream: NonNullable<SingleRequestPorts['stream']>;
  /** The rate limit, for code that reads response bodies itself. */
  pacer: Pacer;
  /** The shortest time between a request without a body and its answer so far; null before the first. */
  roundTripMs(): number | null;
  close(): void;
}

export function openConnection(options: ConnectionOptions): Connection {
  const common = { keepAlive: true, maxSockets: 16, proxyEnv: options.env as NodeJS.ProcessEnv };
  const plain = new http.Agent(common);
  let secure: https.Agent | null = null;
  // On the first use, so that a missing file disables no command that needs no server.
  const openSecure = () => {
    secure ??= new https.Agent({
      ...common,
      ...(options.caFile === null ? {} : { ca: readCertificates(options.caFile) }),
      ...(options.isInsecure ? { rejectUnauthorized: false } : {}),
    });
    return secure;
  };
  const pacer = createPacer(options.bytesPerSecond, options.clock);
  let roundTripMs: number | null = null;
  const noteRoundTrip = (ms: number) => {
    roundTripMs = Math.min(ms, roundTripMs ?? ms);
  };
  const open = (request: Outgoing) => exchange({ options, plain, openSecure, pacer, noteRoundTrip }, request);
  const exchangeText = async (request: Outgoing) => {
    const answer = await open({ ...request, headers: { accept: 'application/json', ...request.headers } });
    const text = await textOf(answer.body);
    return { status: answer.status, text, header: (name: string) => answer.headers[name.toLowerCase()] ?? null };
  };
  return {
    open,
    pacer,
    roundTripMs: () => roundTripMs,
    fetch: async (input, init = {}) => {
      const answer = await open({
        method: init.method ?? 'GET',
        url: String(input),
        headers: init.headers as Record<string, string>,
        body: (init.body as string | Uint8Array | undefined) ?? null,
        signal: init.signal ?? null,
      });
      return responseOf(answer);
    },
    send: exchangeText,
    stream: exchangeText,
    close() {
      plain.destroy();
      secure?.destroy();
    },
  };
}

/** The part of Response that the typed client uses. The real class would load all of `fetch`: 30 ms at start. */
function responseOf({ status, headers, body }: Exchanged): Response {
  const response: Pick<Response, 'ok' | 'status' | 'text'> & { headers: Pick<Headers, 'get'> } = {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    text: () => textOf(body),
  };
  return response as Response;
}

interface Means {
  options: ConnectionOptions;
  plain: http.Agent;
  openSecure(): https.Agent;
  pacer: Pacer;
  noteRoundTrip(ms: number): void;
}

async function exchange(
  { options, plain, openSecure, pacer, noteRoundTrip }: Means,
  outgoing: Outgoing,
): Promise<Exchanged> {
  const { method, headers, signal } = outgoing;
  const url = new URL(outgoing.url);
  const body = typeof outgoing.body === 'string' ? Buffer.from(outgoing.body) : (outgoing.body ?? null);
  const isSecure = url.protocol === 'https:';
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method,
      agent: isSecure ? openSecure() : plain,
      headers: {
        'user-agent': options.userAgent,
        ...headers,
        ...(body === null ? {} : { 'content-length': String('portions' in body ? body.sizeBytes : body.length) }),
      },
      ...(signal == null ? {} : { signal }),
    });
    request.setTimeout(options.timeoutMs + pacer.longestPauseMs, () =>
      request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    );
    request.on('error', reject);
    let connectedAt = startedAt;
    // A new connection has handshakes of its own before the request leaves.
    request.on('socket', (socket) => {
      if (socket.connecting)
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          connectedAt = performance.now();
        });
    });
    request.on('response', (response) => {
      const took = Math.round(performance.now() - startedAt);
      if (body === null) noteRoundTrip(performance.now() - connectedAt);
      options.trace?.(`${method} ${url.pathname}${url.search} → ${response.statusCode} (${took} ms)`);
      resolve({ status: response.statusCode ?? 0, headers: flat(response), body: response });
    });
    if (body === null) request.end();
    else write(request, 'portions' in body ? body.portions : [body], { pacer, onProgress: outgoing.onProgress });
  });
}

async function* inPortions(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  portionBytes: number,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body)
    for (let start = 0; start < bytes.length; start += portionBytes) yield bytes.subarray(start, start + portionBytes);
}

/** Writes portion by portion. A server that responds early ends the writing by closing. */
async function write(
  request: http.ClientRequest,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { pacer, onProgress }: { pacer: Pacer; onProgress: Outgoing['onProgress'] },
): Promise<void> {
  const closing = new AbortController();
  request.once('close', () => closing.abort());
  let sent = 0;
  try {
    for await (const portion of inPortions(body, pacer.portionBytes)) {
      // Before the bytes leave: a small body is answered as soon as it has arrived.
      await pacer.beforeSending(portion.length, closing.signal);
      if (request.destroyed) return;
      await new Promise<void>((resolve, reject) =>
        request.write(portion, (error) => (error == null ? resolve() : reject(error))),
      );
      sent += portion.length;
      onProgress?.(sent);
    }
    request.end();
  } catch (error) {
    // A fault of the connection, which the request reports as well, or of the file.
    request.destroy(error as Error);
  }
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

export async function textOf(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Certificates to trust besides the system's. */
export function readCertificates(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw localFailure(`can’t read the certificates in ${path} (${(error as NodeJS.ErrnoException).code})`, 'cacert');
  }
}
