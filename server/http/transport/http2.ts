// HTTP/2 for the handlers of HTTP/1.1: requests and responses of Node's compatibility API, with the differences that the
// handlers would notice removed (docs/adr/0125).

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  Http2ServerRequest,
  Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

type Stream = ServerHttp2Stream;

/** What the handlers use of the socket of a request. Other requests share the connection, so only the stream ends. */
type StreamSocket = Pick<Socket, 'remoteAddress' | 'remotePort' | 'bytesRead' | 'destroySoon'> & { encrypted: true };

type Written = (error: Error) => void;

const partBytes = 64 * 1024;

const lostConnection = () => Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

class Request extends Http2ServerRequest {
  #receivedBytes = 0;

  constructor(...[stream, headers, options, rawHeaders]: ConstructorParameters<typeof Http2ServerRequest>) {
    super(stream, headers, options, rawHeaders);
    const authority = headers[':authority'];
    if (authority !== undefined) headers.host = authority;
    // A body of unknown length.
    if (!(stream as Stream).endAfterHeaders && headers['content-length'] === undefined)
      headers['transfer-encoding'] = 'chunked';
    const received = () => this.#receivedBytes;
    const { remoteAddress, remotePort } = (stream as Stream).session?.socket ?? {};
    const socket: StreamSocket = {
      remoteAddress,
      remotePort,
      encrypted: true,
      get bytesRead() {
        return received();
      },
      destroySoon: () => (stream as Stream).close(constants.NGHTTP2_NO_ERROR),
    };
    Object.defineProperty(this, 'socket', { value: socket });
    // The compatibility API would end the body as if it were complete.
    stream.prependListener('aborted', () => {
      if (!this.readableEnded) this.destroy(lostConnection());
    });
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.#receivedBytes += chunk.length;
    return super.push(chunk, encoding);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const stream = this.stream as Stream;
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    // As of HTTP/1.1: an error without a listener is dropped.
    process.nextTick(callback, this.listenerCount('error') > 0 ? error : null);
  }
}

class Response extends Http2ServerResponse<Request> {
  constructor(...given: ConstructorParameters<typeof Http2ServerResponse<Request>>) {
    super(...given);
    const { stream } = this;
    let isClosed = false;
    this.prependOnceListener('close', () => {
      isClosed = true;
    });
    // Members of HTTP/1.1 that the compatibility API lacks.
    Object.defineProperties(this, {
      closed: { get: () => isClosed },
      destroyed: { get: () => stream.destroyed || stream.closed },
      errored: { get: () => stream.errored },
    });
  }

  /** HTTP/2 has no header `connection`. */
  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.at(-1) as OutgoingHttpHeaders | undefined;
    if (headers?.connection === undefined) return super.writeHead(status, headers);
    const { connection: _, ...others } = headers;
    return super.writeHead(status, others);
  }

  /** In parts, so that the bytes on their way can be counted. */
  override write(chunk: string | Uint8Array, encoding?: BufferEncoding | Written, callback?: Written): boolean {
    const done = typeof encoding === 'function' ? encoding : callback;
    const text = typeof encoding === 'string' ? encoding : 'utf8';
    if (typeof chunk === 'string' || chunk.length <= partBytes) return super.write(chunk, text, done);
    let at = 0;
    for (; at + partBytes < chunk.length; at += partBytes) super.write(chunk.subarray(at, at + partBytes));
    return super.write(chunk.subarray(at), text, done);
  }

  override cork(): void {}

  override uncork(): void {}

  /** An incomplete answer must not look complete. */
  override destroy(): this {
    if (!this.stream.writableFinished && !this.stream.closed) this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    this.stream.destroy();
    return this;
  }
}

export interface Http2Server {
  take(socket: TLSSocket): void;
  /** Asks clients to use another connection for further requests. */
  drain(): void;
  cut(): void;
  /** Resolves when no session is open. */
  ended(): Promise<void>;
}

type Handle = (raw: IncomingMessage, response: ServerResponse) => void;

const idleMs = 72_000;
const mebibyte = 1024 * 1024;

export interface Http2Handlers {
  request: Handle;
  /** An Expect header that is not `100-continue`. */
  unexpected: Handle;
}

export function createHttp2Server(handle: Http2Handlers): Http2Server {
  const sessions = new Set<Http2Session>();
  const server = createServer({
    Http2ServerRequest: Request,
    Http2ServerResponse: Response,
    maxHeaderListPairs: 100,
    settings: {
      maxConcurrentStreams: 100,
      maxHeaderListSize: 16 * 1024,
      // A long connection needs more bytes in flight than the default of 64 KiB.
      initialWindowSize: mebibyte,
      enablePush: false,
    },
  });
  const as1 = (given: Handle) => (raw: Http2ServerRequest, response: Http2ServerResponse) =>
    given(raw as unknown as IncomingMessage, response as unknown as ServerResponse);
  server.on('request', as1(handle.request));
  server.on('checkContinue', as1(handle.request));
  server.on('checkExpectation', as1(handle.unexpected));
  server.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(4 * mebibyte);
    session.setTimeout(idleMs, () => session.close());
    session.once('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => {});
  const ended = async () => {
    const open = [...sessions].map((session) => new Promise((resolve) => session.once('close', resolve)));
    await Promise.all(open);
  };
  return {
    take: (socket) => void server.emit('connection', socket),
    drain() {
      for (const session of sessions) session.close();
    },
    cut() {
      for (const session of sessions) session.destroy();
    },
    ended,
  };
}
