// The ports of the transfer engine over `fetch`, which browsers and Node both have, and files as both know them.
import type { FileSource, Send } from '../transfer/ports.ts';

/**
 * Adds the API key to requests for the origin of `server` and to no others. They follow no redirect, because the next server
 * would receive what is in the request.
 */
export function fetchWithKey(send: typeof fetch, server: string, apiKey: string): typeof fetch {
  return (input, init) => {
    if (new URL(String(input)).origin !== new URL(server).origin) return send(input, init);
    const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${apiKey}` };
    return send(input, { ...init, headers, redirect: 'manual' });
  };
}

/** `fetch` cannot tell how much of a body has left, so progress comes piece by piece. */
export function sendByFetch(send: typeof fetch): Send {
  return async (request) => {
    const response = await send(request.url, {
      method: request.method,
      headers: { accept: 'application/json', ...request.headers },
      body: request.body,
      signal: request.signal,
    });
    const text = await response.text();
    if (request.body !== null && response.ok) request.onProgress(request.body.length);
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  };
}

/** A `File` of a browser, or what `openAsBlob` of node:fs returns; read piece by piece, never as a whole. */
export function sourceOfBlob(blob: Blob, name: string): FileSource {
  const modifiedAt = 'lastModified' in blob && typeof blob.lastModified === 'number' ? blob.lastModified : null;
  return {
    name,
    sizeBytes: blob.size,
    modifiedAt,
    contentType: blob.type,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
