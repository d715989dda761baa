// Requests exactly as written, and replies that may break off: for what `fetch` hides or forbids.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

export interface RawReply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  readonly text: string;
  body: unknown;
  /** False when the connection ended before the announced length. */
  isWhole: boolean;
}

export interface RawOptions {
  method?: string;
  /** A list sends the header once for each value. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** Sends only these headers (and Host, Connection), each request on its own connection. */
export async function rawRequest(url: string, options: RawOptions = {}): Promise<RawReply> {
  const response = await begin(url, options);
  const chunks: Buffer[] = [];
  const isWhole = await readInto(response, (chunk) => chunks.push(chunk));
  const bytes = Buffer.concat(chunks);
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json') && bytes.length > 0;
  return {
    status: response.statusCode!,
    headers: response.headers,
    bytes,
    // A getter, because the body may be many megabytes.
    get text() {
      return bytes.toString('utf8');
    },
    body: isJson ? JSON.parse(bytes.toString('utf8')) : null,
    isWhole,
  };
}

export interface SlowReply {
  status: number;
  rest(): Promise<{ sizeBytes: number; isWhole: boolean }>;
}

/** A reader that receives the first bytes and stops until the test continues it. */
export async function openSlowly(url: string, options: RawOptions = {}): Promise<SlowReply> {
  const response = await begin(url, options);
  let sizeBytes = 0;
  await new Promise<void>((resolve) => {
    response.once('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      response.pause();
      resolve();
    });
  });
  return {
    status: response.statusCode!,
    async rest() {
      const isWhole = await readInto(response, (chunk) => {
        sizeBytes += chunk.length;
      });
      return { sizeBytes, isWhole };
    },
  };
}

/** Writes bytes to a socket and collects the reply until the other side closes. */
export function rawBytes(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.once('close', () => resolve(received));
    socket.once('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
}

function begin(url: string, { method = 'GET', headers = {}, body }: RawOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, resolve);
    request.once('error', reject);
    request.end(body);
  });
}

function readInto(response: IncomingMessage, take: (chunk: Buffer) => void): Promise<boolean> {
  return new Promise((resolve) => {
    response.on('data', take);
    response.once('error', () => {}); // reported by `complete`
    response.once('close', () => resolve(response.complete));
    response.resume();
  });
}
