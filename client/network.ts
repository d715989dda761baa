// The ports of the transfer engine over `fetch`, which browsers and Node both have, and files as both know them.
import type { FileSource, Send } from '../transfer/ports.ts';

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
