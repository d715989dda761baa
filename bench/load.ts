// The load generator, a separate process: raw sockets, one buffer to write and one to read, to leave the processor to the servers.
// Takes jobs from its parent, one at a time.
import { randomFillSync } from 'node:crypto';
import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { connect } from 'node:tls';

/** The body is either `body` or `bodyBytes` of random data. */
export interface RawRequest {
  /** Start line and headers, without `Host`, `Connection`, `Content-Length` and the empty line. */
  head: string;
  body?: string;
  bodyBytes?: number;
  /** Of jobs of the kind `once`: HTTP/1.1 through TLS, with any certificate. */
  isTls?: boolean;
}

export type LoadJob =
  /** In parallel, each on its own connection, until the last answer has ended. */
  | { kind: 'once'; port: number; requests: RawRequest[]; timeoutMs: number }
  /** The same request again and again on kept connections; `{n}` in head and body becomes a counter. */
  | { kind: 'repeat'; port: number; request: RawRequest; connections: number; durationMs: number };

export interface Answer {
  status: number;
  head: string;
  /** Bytes of the body, framing of a chunked one included. */
  bodyBytes: number;
  /** The first part of the body. */
  text: string;
  firstByteMs: number;
}

export interface OnceResult {
  elapsedMs: number;
  answers: Answer[];
}

export interface RepeatResult {
  perSecond: number;
  countByStatus: Record<string, number>;
  /** The 99th percentile. */
  slowestMs: number;
}

const blockBytes = 1024 * 1024;
const readBytes = 512 * 1024;
const keptTextBytes = 16 * 1024;
let block: Buffer | null = null;

if (import.meta.main) {
  process.on('message', (job: LoadJob) => {
    const work = job.kind === 'once' ? runOnce(job) : runRepeat(job);
    work.then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}

async function runOnce(job: Extract<LoadJob, { kind: 'once' }>): Promise<OnceResult> {
  block ??= randomFillSync(Buffer.allocUnsafeSlow(blockBytes));
  const startedAt = performance.now();
  const answers = await Promise.all(
    job.requests.map((request) => exchange(job.port, request, job.timeoutMs, startedAt)),
  );
  return { elapsedMs: performance.now() - startedAt, answers };
}

function exchange(port: number, request: RawRequest, timeoutMs: number, startedAt: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const reader = createReader(startedAt);
    const add = (bytes: Buffer) => {
      reader.add(bytes);
      if (reader.isWhole()) finish();
    };
    const socket = request.isTls === true ? connectTls(port, add) : connectPlain(port, add);
    const timer = setTimeout(() => socket.destroy(new Error(`no end after ${timeoutMs / 1000} s`)), timeoutMs);
    function finish(): void {
      clearTimeout(timer);
      resolve(reader.answer());
      socket.destroy();
    }
    socket.once(request.isTls === true ? 'secureConnect' : 'connect', () => send(socket, port, request, 'close'));
    socket.once('error', (error) => {
      clearTimeout(timer);
      // A server may answer and close before it has read the body.
      if (reader.isAnswered()) resolve(reader.answer());
      else reject(error);
    });
    socket.once('close', () => (reader.isEnded() ? finish() : reject(new Error('the answer broke off'))));
  });
}

// There is always a next block when the kernel has space.
const target = (port: number) => ({ host: '127.0.0.1', port, highWaterMark: 2 * blockBytes });

function connectPlain(port: number, add: (bytes: Buffer) => void): Socket {
  const options = {
    ...target(port),
    onread: {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (count: number, bytes: Uint8Array) => {
        add(Buffer.from(bytes.buffer, bytes.byteOffset, count));
        return true;
      },
    },
  } satisfies NetConnectOpts & { highWaterMark: number };
  return createConnection(options);
}

function connectTls(port: number, add: (bytes: Buffer) => void): Socket {
  const socket = connect({ ...target(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  return socket.on('data', add);
}

function send(socket: Socket, port: number, request: RawRequest, connection: 'close' | 'keep-alive'): void {
  socket.write(wireText(port, request, connection));
  let leftBytes = request.bodyBytes ?? 0;
  const pump = () => {
    while (leftBytes > 0 && !socket.destroyed) {
      const part = leftBytes >= blockBytes ? block! : block!.subarray(0, leftBytes);
      leftBytes -= part.length;
      if (!socket.write(part)) {
        socket.once('drain', pump);
        return;
      }
    }
  };
  pump();
}

function wireText(port: number, request: RawRequest, connection: string): string {
  const lengthBytes = request.bodyBytes ?? (request.body === undefined ? null : Buffer.byteLength(request.body));
  const length = lengthBytes === null ? '' : `\r\nContent-Length: ${lengthBytes}`;
  return `${request.head}\r\nHost: 127.0.0.1:${port}\r\nConnection: ${connection}${length}\r\n\r\n${request.body ?? ''}`;
}

/** Parses an answer without storing its body. */
function createReader(startedAt: number) {
  let head: string | null = null;
  let lengthBytes: number | null = null;
  let firstByteMs = 0;
  let bodyBytes = 0;
  let text = '';
  let start = Buffer.alloc(0);
  /** The last bytes: they show whether a chunked body is complete. */
  let tail = '';

  function addBody(bytes: Buffer): void {
    bodyBytes += bytes.length;
    if (text.length < keptTextBytes) text += bytes.toString('latin1', 0, keptTextBytes - text.length);
    if (lengthBytes === null) tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - 8))).slice(-8);
  }

  return {
    add(bytes: Buffer): void {
      if (head !== null) {
        addBody(bytes);
        return;
      }
      if (firstByteMs === 0) firstByteMs = performance.now() - startedAt;
      start = Buffer.concat([start, bytes]);
      const end = start.indexOf('\r\n\r\n');
      if (end === -1) return;
      head = start.toString('latin1', 0, end);
      const length = /^content-length: *(\d+)/im.exec(head);
      lengthBytes = length === null ? null : Number(length[1]);
      addBody(start.subarray(end + 4));
    },
    isAnswered: () => head !== null,
    isWhole: () => head !== null && lengthBytes !== null && bodyBytes >= lengthBytes,
    /** At the end of the connection. */
    isEnded: () => head !== null && (lengthBytes === null ? tail.endsWith('0\r\n\r\n') : bodyBytes >= lengthBytes),
    answer(): Answer {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head ?? '')?.[1] ?? 0);
      return { status, head: head ?? '', bodyBytes, text, firstByteMs };
    },
  };
}

async function runRepeat(job: Extract<LoadJob, { kind: 'repeat' }>): Promise<RepeatResult> {
  const countByStatus: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + job.durationMs;
  let number = 0;
  const next = () => {
    number += 1;
    const { head, body } = job.request;
    const fill = (text: string) => text.replaceAll('{n}', String(number));
    return wireText(job.port, { head: fill(head), ...(body === undefined ? {} : { body: fill(body) }) }, 'keep-alive');
  };
  const tookMs: number[] = [];
  const note = (status: number | null, ms: number) => {
    if (status !== null) countByStatus[status] = (countByStatus[status] ?? 0) + 1;
    tookMs.push(ms);
  };
  await Promise.all(Array.from({ length: job.connections }, () => repeat(job.port, endsAt, next, note)));
  const count = Object.values(countByStatus).reduce((sum, one) => sum + one, 0);
  const perSecond = (count * 1000) / (performance.now() - startedAt);
  const slowestMs = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
  return { perSecond, countByStatus, slowestMs };
}

/** One connection. A request without an answer at the end has no status and counts with its time so far. */
function repeat(
  port: number,
  endsAt: number,
  next: () => string,
  note: (status: number | null, ms: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = performance.now();
    let reader = createReader(sentAt);
    const socket = createConnection({ host: '127.0.0.1', port });
    const timer = setTimeout(() => socket.destroy(), endsAt - performance.now());
    socket.once('connect', () => socket.write(next()));
    socket.on('data', (bytes: Buffer) => {
      reader.add(bytes);
      if (!reader.isWhole()) return;
      const { status, head } = reader.answer();
      note(status, performance.now() - sentAt);
      sentAt = performance.now();
      reader = createReader(sentAt);
      if (/^connection: *close/im.test(head)) socket.destroy();
      else socket.write(next());
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      const isOver = performance.now() >= endsAt - 50;
      if (isOver) note(null, performance.now() - sentAt);
      if (isOver) resolve();
      else repeat(port, endsAt, next, note).then(resolve, reject);
    });
  });
}
