import type { FileSource, Send } from '../transfer/ports.ts';

/** Sends the API key only to the origin of `server`, and follows no redirects, which would leak it. */
export function fetchWithKey(send: typeof fetch, server: string, apiKey: string): typeof fetch {
  return (input, init) => {
    if (new URL(String(input)).origin !== new URL(server).origin) return send(input, init);
    const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${apiKey}` };
    return send(input, { ...init, headers, redirect: 'manual' });
  };
}

/** `fetch` reports no upload progress. */
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

/** `blob`: a browser's `File`, or the result of `openAsBlob`. */
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
