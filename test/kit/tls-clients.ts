// Clients of HTTP/2, and of plain HTTP/1.1 with a chosen certificate authority.
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';

export interface StreamReply {
  status: number;
  headers: Record<string, unknown>;
  bytes: Buffer;
  /** Null if the stream ended well. */
  resetCode: number | null;
}

export interface StreamRequest {
  method?: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: Uint8Array;
}

/** Resolves when the stream is closed, also after a reset. */
export function askStream(session: ClientHttp2Session, request: StreamRequest): Promise<StreamReply> {
  const { method = 'GET', path, headers = {}, body } = request;
  const stream = session.request(
    { ':method': method, ':path': path, accept: 'application/json', ...headers },
    { endStream: body === undefined },
  );
  const chunks: Buffer[] = [];
  let found: Record<string, unknown> = {};
  stream.on('response', (given) => {
    found = given;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => {});
  if (body !== undefined) stream.end(body);
  return new Promise((resolve) => {
    stream.on('close', () => {
      const resetCode = stream.rstCode === 0 ? null : (stream.rstCode ?? null);
      resolve({ status: Number(found[':status'] ?? 0), headers: found, bytes: Buffer.concat(chunks), resetCode });
    });
  });
}
