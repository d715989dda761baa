// HTTP/1.1 byte by byte over a socket, so that tests can send invalid requests, read interim answers and disconnect early.
import { connect } from 'node:net';

export interface RawReply {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface RawConnection {
  write(bytes: string | Uint8Array): Promise<void>;
  /** The next answer, including interim ones (100). Rejects when the connection ends before it is complete. */
  reply(): Promise<RawReply>;
  cut(): void;
}

export async function dial(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = Buffer.alloc(0);
  let isOver = false;
  let wake = () => {};
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  // A reset ends the connection; earlier bytes can still be read.
  socket.on('error', () => {});
  socket.on('close', () => {
    isOver = true;
    wake();
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));

  const more = async () => {
    if (isOver) throw new Error(`the line was cut after: ${received.toString('latin1').slice(0, 200)}`);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  const takeUntil = async (mark: string): Promise<string> => {
    for (let at = received.indexOf(mark); ; at = received.indexOf(mark)) {
      if (at !== -1) return take(at + mark.length).toString('latin1');
      await more();
    }
  };
  const take = (length: number): Buffer => {
    const taken = received.subarray(0, length);
    received = received.subarray(length);
    return taken;
  };
  const takeBytes = async (length: number): Promise<Buffer> => {
    while (received.length < length) await more();
    return take(length);
  };

  return {
    write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    async reply() {
      const [first = '', ...lines] = (await takeUntil('\r\n\r\n')).trimEnd().split('\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1]);
      const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
      const text = (await readBody(status, headers, takeBytes, takeUntil)).toString();
      const isJson = (headers.get('content-type') ?? '').startsWith('application/json') && text !== '';
      return { status, headers, text, body: isJson ? JSON.parse(text) : null };
    },
    cut: () => socket.destroy(),
  };
}

async function readBody(
  status: number,
  headers: Headers,
  takeBytes: (length: number) => Promise<Buffer>,
  takeUntil: (mark: string) => Promise<string>,
): Promise<Buffer> {
  if (status < 200 || status === 204) return Buffer.alloc(0);
  if (headers.get('transfer-encoding') !== 'chunked') return takeBytes(Number(headers.get('content-length')));
  const chunks: Buffer[] = [];
  for (;;) {
    const length = Number.parseInt(await takeUntil('\r\n'), 16);
    chunks.push(await takeBytes(length));
    await takeUntil('\r\n');
    if (length === 0) return Buffer.concat(chunks);
  }
}

/** One request on its own connection: request line, header lines, and the body unchanged. */
export async function ask(
  url: string,
  requestLine: string,
  headers: string[],
  body: string | Uint8Array = '',
): Promise<RawReply> {
  const line = await dial(url);
  try {
    await line.write(head(url, requestLine, headers));
    if (body.length > 0) await line.write(body);
    return await line.reply();
  } finally {
    line.cut();
  }
}

export function head(url: string, requestLine: string, headers: string[]): string {
  return [`${requestLine} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, '', ''].join('\r\n');
}

/** How existing clients sign in: the key as user name, the password ignored. */
export function basic(key: string | null, password = 'x'): string {
  return `Authorization: Basic ${Buffer.from(`${key}:${password}`).toString('base64')}`;
}

/** The body of `Transfer-Encoding: chunked`. Empty chunks are left out, because they would end it. */
export function chunked(...chunks: (string | Uint8Array)[]): Buffer {
  const framed = chunks
    .filter((chunk) => chunk.length > 0)
    .map((chunk) => {
      const bytes = Buffer.from(chunk as Uint8Array);
      return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    });
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]);
}
