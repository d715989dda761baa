// Injects faults into requests. Its checksum code differs from the engine's.
import { crc32 } from 'node:zlib';
import type { Send, WireRequest, WireResponse } from './ports.ts';

export type Fault =
  | { is: 'cut-before' }
  /** Stored, but the response is lost. */
  | { is: 'cut-after' }
  /** No response until the client aborts. */
  | { is: 'silence' }
  /** Responds when the promise resolves. */
  | { is: 'held'; until: Promise<void> }
  /** Replaces the response; nothing is stored. */
  | { is: 'answer'; status: number; text?: string; headers?: Record<string, string> }
  /** Stored with one flipped bit. */
  | { is: 'corrupt' };

export interface ReceivedRequest {
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
  requests: ReceivedRequest[];
  sessions: Map<string, Session>;
  finished: Map<string, Buffer>;
  maxConcurrent(): number;
}

export function createFakeServer(
  faultOf: (received: ReceivedRequest, number: number) => Fault | null = () => null,
): FakeServer {
  const requests: ReceivedRequest[] = [];
  const stored: Stored = { sessions: new Map(), finished: new Map() };
  let open = 0;
  let most = 0;

  const serve = async (request: WireRequest): Promise<WireResponse> => {
    const url = new URL(request.url, 'http://server.test');
    const chunk = url.searchParams.get('chunk');
    const name = url.searchParams.get('filename') ?? '';
    const sizeBytes = request.body?.length ?? 0;
    const received = { method: request.method, url, chunk: chunk === null ? null : Number(chunk), name, sizeBytes };
    requests.push(received);
    const fault = faultOf(received, requests.length - 1);
    if (fault?.is === 'cut-before') throw new TypeError('connection reset');
    if (fault?.is === 'silence') return aborted(request.signal);
    if (fault?.is === 'held') await fault.until;
    request.onProgress(sizeBytes / 2);
    if (fault?.is === 'answer') return answer(fault.status, fault.text ?? '', fault.headers);
    request.onProgress(sizeBytes);
    if (url.pathname === '/probe') return answer(204, '');
    const response =
      request.method === 'GET' ? stateOf(stored, url) : store(stored, request, url, fault?.is === 'corrupt');
    if (fault?.is === 'cut-after') throw new TypeError('connection reset');
    return response;
  };

  return {
    requests,
    ...stored,
    maxConcurrent: () => most,
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

interface Stored {
  sessions: Map<string, Session>;
  finished: Map<string, Buffer>;
}

function store(stored: Stored, request: WireRequest, url: URL, isCorrupt: boolean): WireResponse {
  const query = url.searchParams;
  const chunks = Number(query.get('chunks') ?? 1);
  const id = sessionOf(stored.sessions, query, chunks);
  const session = stored.sessions.get(id);
  if (!session) return answer(404, '{"errors":["There is no such upload."],"code":"upload.not_found"}');
  const bytes = Buffer.from(request.body ?? []);
  if (isCorrupt && bytes.length > 0) bytes[0] = bytes[0]! ^ 1;
  session.parts.set(Number(query.get('chunk') ?? 0), bytes);
  const headers = { 'Upload-Id': id };
  if (session.parts.size < chunks) return answer(200, '', headers);
  const whole = Buffer.concat(Array.from({ length: chunks }, (_, part) => session.parts.get(part)!));
  stored.finished.set(`attachment-${id}`, whole);
  const attachment = { id: `attachment-${id}`, size: whole.length, crc32: crc32(whole).toString(16).padStart(8, '0') };
  return answer(200, JSON.stringify({ attachment }), headers);
}

function stateOf(stored: Stored, url: URL): WireResponse {
  const session = stored.sessions.get(url.pathname.split('/').at(-1) ?? '');
  if (!session) return answer(404, '{"errors":["There is no such upload."]}');
  return answer(200, JSON.stringify({ upload: { received: [...session.parts.keys()].sort((a, b) => a - b) } }));
}

function sessionOf(sessions: Map<string, Session>, query: URLSearchParams, chunks: number): string {
  const given = query.get('upload_id');
  if (given !== null && given !== 'new') return given;
  const name = query.get('filename') ?? '';
  // Old clients send no upload id and continue by name.
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
