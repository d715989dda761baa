// Shows sample pages under the real policy, and can delay or refuse uploads.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { frameOf } from '#test/pages/samples.ts';
import type { Page, Pages } from '../page.ts';
import type { Frame } from '../props.ts';

export interface Upload {
  name: string;
  chunks: number;
  parts: Map<number, Buffer>;
}

export interface PageServer {
  origin: string;
  /** `name:number`, in order of arrival. */
  chunks: string[];
  uploads: Map<string, Upload>;
  /** Posted forms, raw. */
  forms: { type: string; body: string }[];
  /** The answer to polls; null refuses. */
  fresh: Page | null;
  /** Result of a posted form instead of a redirect to `/done`. */
  refuseForm: (() => 'lost' | { location: string } | { status: number; page: Page }) | null;
  /** Awaited before a chunk or a form (`form:0`) is answered. */
  hold: ((name: string, chunk: number) => Promise<void>) | null;
  close(): Promise<void>;
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** `pages` by path; a form redirects to `/done`. */
export async function startPageServer(
  built: Pages,
  pages: Record<string, Page>,
  frame: Partial<Frame> = {},
): Promise<PageServer> {
  const state: Omit<PageServer, 'origin' | 'close'> = {
    chunks: [],
    uploads: new Map(),
    forms: [],
    fresh: null,
    hold: null,
    refuseForm: null,
  };
  const http = createServer((request, response) => {
    answer({ built, pages, frame }, server, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: PageServer = Object.assign(state, {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  });
  return server;
}

async function answer(
  shown: { built: Pages; pages: Record<string, Page>; frame: Partial<Frame> },
  server: PageServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { built } = shown;
  const url = new URL(request.url ?? '/', server.origin);
  const asset = built.assets.find(({ path }) => path === url.pathname);
  // As in the service: the name of an asset changes with its content.
  const keep = 'public, max-age=31536000, immutable';
  if (asset) return end(response, 200, asset.body, { 'content-type': asset.contentType, 'cache-control': keep });
  if (url.pathname.endsWith('/upload')) return takeChunk(server, url, request, response);
  if (url.pathname.includes('/uploads/')) return showState(server, url, response);
  if (url.pathname.endsWith('/download')) {
    return end(response, 200, 'bytes', { 'content-disposition': 'attachment; filename="f.txt"' });
  }
  if (url.pathname.endsWith('/state')) {
    if (server.fresh === null) return end(response, 404, '');
    const html = built.renderPage(server.fresh, { ...frameOf(server.fresh), ...shown.frame });
    return end(response, 200, html, { 'content-type': 'text/html; charset=utf-8' });
  }
  if (request.method === 'POST') {
    server.forms.push({
      type: request.headers['content-type'] ?? '',
      body: (await buffer(request)).toString('latin1'),
    });
    await server.hold?.('form', 0);
    const refusal = server.refuseForm?.() ?? null;
    if (refusal === 'lost') return void response.destroy();
    if (refusal !== null && 'location' in refusal) return end(response, 303, '', { location: refusal.location });
    if (refusal !== null) {
      const html = built.renderPage(refusal.page, { ...frameOf(refusal.page), ...shown.frame });
      return end(response, refusal.status, html, { 'content-type': 'text/html; charset=utf-8' });
    }
    return end(response, 303, '', { location: '/done' });
  }
  const page = shown.pages[url.pathname];
  if (!page) return end(response, 404, '');
  const scripts = built.pageScripts(page).length > 0 ? "; script-src 'self'; connect-src 'self'" : '';
  end(response, built.pageStatus(page), built.renderPage(page, { ...frameOf(page), ...shown.frame }), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy + scripts,
  });
}

async function takeChunk(
  server: PageServer,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const query = url.searchParams;
  const bytes = await buffer(request);
  const name = query.get('filename') ?? '';
  const chunk = Number(query.get('chunk') ?? 0);
  await server.hold?.(name, chunk);
  const requestedId = query.get('upload_id') ?? 'new';
  const id = requestedId === 'new' ? `u${server.uploads.size + 1}` : requestedId;
  const upload = server.uploads.get(id) ?? { name, chunks: Number(query.get('chunks') ?? 1), parts: new Map() };
  server.uploads.set(id, upload);
  upload.parts.set(chunk, bytes);
  server.chunks.push(`${name}:${chunk}`);
  const headers = { 'upload-id': id, 'content-type': 'application/json' };
  if (upload.parts.size < upload.chunks) return end(response, 200, '', headers);
  const whole = Buffer.concat([...upload.parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part));
  const attachment = { id: `attachment-${id}`, size: whole.length, crc32: crc32(whole).toString(16).padStart(8, '0') };
  end(response, 200, JSON.stringify({ attachment }), headers);
}

function showState(server: PageServer, url: URL, response: ServerResponse): void {
  const upload = server.uploads.get(url.pathname.split('/').at(-1) ?? '');
  const received = [...(upload?.parts.keys() ?? [])];
  end(response, upload ? 200 : 404, JSON.stringify({ upload: { received } }), { 'content-type': 'application/json' });
}

function end(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers);
  response.end(body);
}
