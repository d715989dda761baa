// Implements the ports of the upload engine in a browser.
import type { FileSource, Send } from '../../transfer/ports.ts';

/** `fetch` does not report upload progress. */
export const sendByBrowser: Send = (request) =>
  new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const fail = () => reject(new Error('no answer'));
    const stop = () => call.abort();
    call.open(request.method, request.url);
    call.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(request.headers)) call.setRequestHeader(name, value);
    call.upload.onprogress = (event) => request.onProgress(event.loaded);
    call.onload = () => {
      // The engine aborts the finished request, which clears its headers.
      const headers = headersOf(call.getAllResponseHeaders());
      resolve({
        status: call.status,
        text: call.responseText,
        header: (name) => headers.get(name.toLowerCase()) ?? null,
      });
    };
    call.onerror = fail;
    call.onabort = fail;
    call.ontimeout = fail;
    call.onloadend = () => request.signal.removeEventListener('abort', stop);
    if (request.signal.aborted) return fail();
    request.signal.addEventListener('abort', stop);
    call.send(request.body);
  });

/** Names in lower case. */
function headersOf(lines: string): Map<string, string> {
  return new Map(
    lines
      .trim()
      .split(/\r\n/)
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );
}

/** `path` includes folders. */
export function sourceOfFile(file: File, path: string): FileSource {
  return {
    name: path,
    sizeBytes: file.size,
    modifiedAt: file.lastModified,
    contentType: file.type,
    read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
  };
}
