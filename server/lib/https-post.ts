// One POST request to a service outside. Follows no redirects, keeps no connection, limits time and size of the answer.
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

export interface PostRequest {
  headers: Record<string, string>;
  body: string;
  timeoutMs?: number;
  /** Connects to this address instead of resolving the name. */
  address?: string;
  signal?: AbortSignal;
}

export interface PostReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const maxReplyBytes = 256 * 1024;

/** Rejects with the connection's error; a timeout has the code `ETIMEDOUT`. */
export async function post(
  url: URL,
  { headers, body, timeoutMs = 30_000, address, signal }: PostRequest,
): Promise<PostReply> {
  const { promise, resolve, reject } = Promise.withResolvers<PostReply>();
  const options = {
    method: 'POST',
    agent: false as const,
    ...(address === undefined ? {} : { lookup: answering(address) }),
    ...(signal === undefined ? {} : { signal }),
    headers: { accept: 'application/json', ...headers, 'content-length': String(Buffer.byteLength(body)) },
  };
  const request =
    url.protocol === 'https:' ? tlsRequest(url, { ...options, minVersion: 'TLSv1.2' }) : plainRequest(url, options);
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    timeoutMs,
  );
  request.on('error', reject);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxReplyBytes) return reject(new Error('the answer is too long'));
      chunks.push(chunk);
    });
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
    response.on('close', () => reject(new Error('the connection was closed')));
  });
  request.end(body);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

function answering(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, answer) =>
    options.all === true ? answer(null, [{ address, family }]) : answer(null, address, family);
}
