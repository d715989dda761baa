// A `fetch` for services of the organisation: extra certificate authorities, plain HTTP to this machine only, no
// redirects, limited time and size.
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { trustedWith } from './outbound-tls.ts';
import { isLoopbackHost } from './smtp-url.ts';

const maxReplyBytes = 4 * 1024 * 1024;
const timeoutMs = 15_000;

type FetchInit = {
  method?: string;
  headers?: HeadersInit;
  body?: unknown;
  signal?: AbortSignal | null;
};

export type ServiceFetch = (url: string | URL, init?: FetchInit) => Promise<Response>;

/** `ca`: PEM certificates of authorities that are trusted as well. */
export function createServiceFetch(ca: string): ServiceFetch {
  return async (address, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(address);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname)))
      throw new Error(`${url.origin} is not an https:// address`);
    const options = {
      method,
      agent: false as const,
      headers: Object.fromEntries(new Headers(headers)),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    };
    const trust = ca.trim() === '' ? {} : { ca: trustedWith([ca]) };
    const request =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...options, ...trust, minVersion: 'TLSv1.2' })
        : plainRequest(url, options);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
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
      response.on('end', () => {
        const { statusCode: status = 500 } = response;
        const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const isEmpty = status === 204 || status === 304;
        resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: pairs }));
      });
      response.on('close', () => reject(new Error('the connection was closed')));
    });
    request.end(body === undefined || body === null ? undefined : String(body));
    try {
      return await promise;
    } finally {
      request.destroy();
    }
  };
}
