// The protocol of clamd: INSTREAM over TCP or a socket, one connection for each command.
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import {
  clean,
  infected,
  type ScanInput,
  type Scanner,
  ScannerSilent,
  type ScanResult,
  unscannable,
} from './scanner.ts';

export type ClamdAddress = { host: string; port: number } | { path: string };

/** clamd passes larger files unscanned, whatever its settings. */
const ceilingBytes = 4 * 1024 ** 3 - 1;
/** A connection that breaks over a smaller file is no limit of clamd (StreamMaxLength). */
const leastLimitBytes = 1024 * 1024;
const frameBytes = 64 * 1024;
/** An answer is one line. */
const maxAnswerBytes = 64 * 1024;

export function openClamd(address: ClamdAddress, timeoutMs: number): Scanner {
  const place = 'path' in address ? address.path : `${address.host}:${address.port}`;
  const open = () => openConnection(address, place, timeoutMs);

  async function version(): Promise<string> {
    const connection = open();
    try {
      await connection.write(Buffer.from('zVERSION\0'));
      const answer = await connection.answer();
      if (!/^ClamAV /.test(answer)) throw new ScannerSilent(`${place} does not answer as clamd does`);
      return answer;
    } catch (error) {
      throw error instanceof ConnectionBroken ? new ScannerSilent(`${place}: ${error.message}`) : error;
    } finally {
      connection.close();
    }
  }

  return {
    place,
    version,
    async scan(input) {
      if (input.sizeBytes > ceilingBytes) return unscannable('too_large');
      const first = await stream(open(), place, input);
      if (first !== null) return resultOf(first, place);
      // A restart of clamd breaks the connection too, so only a second break of a working clamd is its limit.
      await version();
      const second = await stream(open(), place, input);
      if (second !== null) return resultOf(second, place);
      await version();
      return unscannable('too_large');
    },
  };
}

/** Null if the connection broke over a large file. */
async function stream(connection: Connection, place: string, input: ScanInput): Promise<string | null> {
  const stop = () => connection.close();
  input.signal?.addEventListener('abort', stop, { once: true });
  try {
    await connection.write(Buffer.from('zINSTREAM\0'));
    let sent = 0;
    for await (const bytes of input.read()) {
      for (let start = 0; start < bytes.length; start += frameBytes) {
        const frame = bytes.subarray(start, start + frameBytes);
        await connection.write(lengthOf(frame.length));
        await connection.write(frame);
        sent += frame.length;
        input.onBytes?.(sent);
      }
    }
    await connection.write(lengthOf(0));
    return await connection.answer();
  } catch (error) {
    if (!(error instanceof ConnectionBroken)) throw error;
    input.signal?.throwIfAborted();
    if (error.answer !== '') return error.answer;
    if (input.sizeBytes >= leastLimitBytes) return null;
    throw new ScannerSilent(`${place}: ${error.message}`);
  } finally {
    input.signal?.removeEventListener('abort', stop);
    connection.close();
  }
}

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
}

function resultOf(answer: string, place: string): ScanResult {
  const said = answer.replace(/^stream: /, '');
  if (said === 'OK') return clean;
  const found = /^(.+) FOUND$/s.exec(said)?.[1];
  if (found === undefined) {
    if (/size limit exceeded/i.test(said)) return unscannable('too_large');
    throw new ScannerSilent(`${place} answered: ${said.slice(0, 200)}`);
  }
  if (/^Heuristics\.Encrypted\./.test(found)) return unscannable('encrypted');
  if (/^Heuristics\.Limits\.Exceeded.*(Recursion|Depth)/i.test(found)) return unscannable('nested_too_deep');
  if (/^Heuristics\.Limits\.Exceeded/.test(found)) return unscannable('too_large');
  if (/^Heuristics\.Broken\./.test(found)) return unscannable('damaged');
  return infected(found);
}

/** `answer`: what came before the end. */
class ConnectionBroken extends Error {
  readonly answer: string;
  constructor(why: string, answer: string) {
    super(why);
    this.answer = answer;
  }
}

interface Connection {
  write(bytes: Buffer): Promise<void>;
  /** Up to the zero byte. */
  answer(): Promise<string>;
  close(): void;
}

function openConnection(address: ClamdAddress, place: string, timeoutMs: number): Connection {
  const socket: Socket = connect({ ...address } as NetConnectOpts);
  let received: Buffer = Buffer.alloc(0);
  let end: Error | null = null;
  let wake: () => void = () => {};
  const finish = (error: Error) => {
    end ??= error;
    wake();
  };
  const textBefore = (end: number) => received.toString('utf8', 0, end).trim();
  const answerSoFar = () => (received.includes(0) ? textBefore(received.indexOf(0)) : '');
  socket.setTimeout(timeoutMs, () => {
    finish(new ScannerSilent(`${place} has not answered for ${Math.round(timeoutMs / 1000)} seconds`));
    socket.destroy();
  });
  socket.on('data', (bytes: Buffer) => {
    if (received.length < maxAnswerBytes) received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.on('drain', () => wake());
  let isConnected = false;
  socket.once('connect', () => {
    isConnected = true;
  });
  socket.on('error', (error) =>
    finish(
      isConnected
        ? new ConnectionBroken(error.message, answerSoFar())
        : new ScannerSilent(`${place} cannot be reached: ${error.message}`),
    ),
  );
  socket.once('close', () =>
    finish(new ConnectionBroken('the connection was closed without an answer', answerSoFar())),
  );
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    async write(bytes) {
      if (end !== null) throw end;
      if (socket.write(bytes)) return;
      while (socket.writableNeedDrain && end === null) await changed();
      if (end !== null) throw end;
    },
    async answer() {
      while (!received.includes(0) && end === null) await changed();
      if (received.includes(0)) return answerSoFar();
      if (end instanceof ConnectionBroken && received.length > 0)
        throw new ScannerSilent(`${place} closed the connection within its answer`);
      throw end!;
    },
    close() {
      socket.destroy();
    },
  };
}
