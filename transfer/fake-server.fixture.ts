// A server for tests that keeps the upload protocol and can be told to fail in any way at any request. It checks what it
// receives with other code than the engine uses.
import { crc32 } from 'node:zlib';
import type { Send, WireRequest, WireResponse } from './ports.ts';

export type Fault =
  /** The request never arrives. */
  | { is: 'cut-before' }
  /** It arrives and is kept, but the answer is lost. */
  | { is: 'cut-after' }
  /** Nothing arrives and nobody answers, until the client gives up. */
  | { is: 'silence' }
  /** Answered only when the promise is done. */
  | { is: 'held'; until: Promise<void> }
  /** Instead of the real answer; nothing is kept. */
  | { is: 'answer'; status: number; text?: string; headers?: Record<string, string> }
  /** Kept with one bit turned. */
  | { is: 'corrupt' };

export interface Arrival {
  method: string;
  url: URL;
  chunk: number | null;
  name: string;
  sizeBytes: number;
}

interface Session {
  name: string;
  chunks: number;
  parts: Map<number, Buffer>;
}

export interface FakeServer {
  send: Send;
  /** Every request, in order, with what was asked of it. */
  arrivals: Arrival[];
  sessions: Map<string, Session>;
  /** Contents of finished files by attachment id. */
  finished: Map<string, Buffer>;
  /** Most requests that were open at one time. */
  mostAtOnce(): number;
}

export function createFakeServer(faultOf: (arrival: Arrival, number: number) => Fault | null = () => null): FakeServer {
  const arrivals: Arrival[] = [];
  const kept: Kept = { sessions: new Map(), finished: new Map() };
  let open = 0;
  let most = 0;

  const serve = async (request: WireRequest): Promise<WireResponse> => {
    const url = new URL(request.url, 'http://server.test');
    const chunk = url.searchParams.get('chunk');
    const name = url.searchParams.get('filename') ?? '';
    const sizeBytes = request.body?.length ?? 0;
    const arrival = { method: request.method, url, chunk: chunk === null ? null : Number(chunk), name, sizeBytes };
    arrivals.push(arrival);
    const fault = faultOf(arrival, arrivals.length - 1);
    if (fault?.is === 'cut-before') throw new TypeError('connection reset');
    if (fault?.is === 'silence') return aborted(request.signal);
    if (fault?.is === 'held') await fault.until;
    request.onProgress(sizeBytes / 2);
    if (fault?.is === 'answer') return answer(fault.status, fault.text ?? '', fault.headers);
    request.onProgress(sizeBytes);
    if (url.pathname === '/probe') return answer(204, '');
    const response = request.method === 'GET' ? stateOf(kept, url) : store(kept, request, url, fault?.is === 'corrupt');
    if (fault?.is === 'cut-after') throw new TypeError('connection reset');
    return response;
  };

  return {
    arrivals,
    ...kept,
    mostAtOnce: () => most,
    async send(request) {
      open += 1;
      most = Math.max(most, open);
      try {
        return await Promise.race([serve(request), aborted(request.signal)]);
      } finally {
        open -= 1;
      }
    },
  };
}

interface Kept {
  sessions: Map<string, Session>;
  finished: Map<string, Buffer>;
}

function store(kept: Kept, request: WireRequest, url: URL, isCorrupt: boolean): WireResponse {
  const query = url.searchParams;
  const chunks = Number(query.get('chunks') ?? 1);
  const id = sessionOf(kept.sessions, query, chunks);
  const session = kept.sessions.get(id);
  if (!session) return answer(404, '{"errors":["There is no such upload."],"code":"upload.not_found"}');
  const bytes = Buffer.from(request.body ?? []);
  if (isCorrupt && bytes.length > 0) bytes[0] = bytes[0]! ^ 1;
  session.parts.set(Number(query.get('chunk') ?? 0), bytes);
  const headers = { 'Upload-Id': id };
  if (session.parts.size < chunks) return answer(200, '', headers);
  const whole = Buffer.concat(Array.from({ length: chunks }, (_, part) => session.parts.get(part)!));
  kept.finished.set(`attachment-${id}`, whole);
  const attachment = { id: `attachment-${id}`, size: whole.length, crc32: crc32(whole).toString(16).padStart(8, '0') };
  return answer(200, JSON.stringify({ attachment }), headers);
}

function stateOf(kept: Kept, url: URL): WireResponse {
  const session = kept.sessions.get(url.pathname.split('/').at(-1) ?? '');
  if (!session) return answer(404, '{"errors":["There is no such upload."]}');
  return answer(200, JSON.stringify({ upload: { received: [...session.parts.keys()].sort((a, b) => a - b) } }));
}

function sessionOf(sessions: Map<string, Session>, query: URLSearchParams, chunks: number): string {
  const given = query.get('upload_id');
  if (given !== null && given !== 'new') return given;
  const name = query.get('filename') ?? '';
  // Old clients name no upload: the same name with missing pieces is the same upload.
  for (const [id, session] of sessions) {
    if (given === null && session.name === name && session.chunks === chunks && session.parts.size < chunks) return id;
  }
  const id = `u${sessions.size + 1}`;
  sessions.set(id, { name, chunks, parts: new Map() });
  return id;
}

function answer(status: number, text: string, headers: Record<string, string> = {}): WireResponse {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, text, header: (name) => lower.get(name.toLowerCase()) ?? null };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new DOMException('aborted', 'AbortError'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
