// HTTP requests of tests, instead of `fetch`, which takes three times as much processor time as a typical call of the
// service.
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Wanted {
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  signal?: AbortSignal | null;
}

export interface Got {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** Follows no redirect. Rejects when the connection ends before the answer is complete. */
export async function send(url: string, wanted: Wanted = {}): Promise<Got> {
  const { body = null } = wanted;
  const headers = new Map(Object.entries(wanted.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const isPlain = body === null || typeof body === 'string' || body instanceof Uint8Array || isForm(body);
  // `fetch` handles TLS, forms with files, streams and compressed answers.
  if (!isPlain || url.startsWith('https:') || headers.has('accept-encoding')) return sendByFetch(url, wanted);
  const bytes = body === null ? null : body instanceof Uint8Array ? body : Buffer.from(String(body));
  const type = typeof body === 'string' ? 'text/plain' : isForm(body) ? 'application/x-www-form-urlencoded' : null;
  const { method = 'GET' } = wanted;
  const all: Record<string, string | number> = {
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    // Compression costs more than loopback saves.
    'accept-encoding': 'identity',
    ...(type === null ? {} : { 'content-type': `${type};charset=UTF-8` }),
    ...Object.fromEntries(headers),
    ...(bytes === null ? {} : { 'content-length': bytes.length }),
  };
  return exchange(url, { method, headers: all, bytes, signal: wanted.signal ?? undefined });
}

function isForm(body: RequestInit['body']): boolean {
  return body instanceof URLSearchParams;
}

interface Exchange {
  method: string;
  headers: Record<string, string | number>;
  bytes: Uint8Array | null;
  signal: AbortSignal | undefined;
}

function exchange(url: string, wanted: Exchange): Promise<Got> {
  const { method, headers, bytes, signal } = wanted;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, ...(signal === undefined ? {} : { signal }) });
    outgoing.once('response', (answer) => readWhole(answer).then(resolve, reject));
    // After an answer that came before the end of a body, a broken connection is expected.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A restarted service has closed idle connections. Only requests that change no state are repeated.
      const changesNothing = method === 'GET' || method === 'HEAD';
      if (changesNothing && outgoing.reusedSocket && error.code === 'ECONNRESET' && signal?.aborted !== true)
        exchange(url, wanted).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(bytes ?? undefined);
  });
}

function readWhole(answer: IncomingMessage): Promise<Got> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.once('error', reject);
    answer.once('end', () => {
      const headers = new Headers();
      const raw = answer.rawHeaders;
      for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
      resolve({ status: answer.statusCode!, headers, bytes: Buffer.concat(chunks) });
    });
  });
}

async function sendByFetch(url: string, { body, signal, ...wanted }: Wanted): Promise<Got> {
  const headers = { 'accept-encoding': 'identity', ...wanted.headers };
  const response = await fetch(url, {
    redirect: 'manual',
    ...wanted,
    headers,
    ...(body === undefined || body === null ? {} : { body, duplex: 'half' as const }),
    ...(signal === undefined || signal === null ? {} : { signal }),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
