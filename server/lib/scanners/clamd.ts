// The protocol of clamd: INSTREAM over TCP or a socket, one connection for each command.
import { connect, type NetConnectOpts } from 'node:net';
import { type Connection, ConnectionBroken, openConnection } from './connection.ts';
import {
  clean,
  resultOfName,
  type ScanInput,
  type Scanner,
  ScannerSilent,
  type ScanResult,
  unscannable,
} from './scanner.ts';

export type ClamdAddress = { host: string; port: number } | { path: string };

/** clamd passes larger files unscanned, whatever its settings. */
const ceilingBytes = 2 * 1024 ** 3 - 1;
/** A connection that breaks over a smaller file is no limit of clamd (StreamMaxLength). */
const leastLimitBytes = 1024 * 1024;
const frameBytes = 64 * 1024;
/** An answer is one line. */
const maxAnswerBytes = 64 * 1024;

/** The date of the signatures in an answer to VERSION, such as `ClamAV 1.4.6/27000/Mon Nov 16 09:00:00 2026`. */
export function signaturesAt(version: string): number | null {
  const at = Date.parse(`${/^ClamAV [^/]*\/\d+\/(.+)$/.exec(version)?.[1] ?? ''} UTC`);
  return Number.isNaN(at) ? null : at;
}

export function openClamd(address: ClamdAddress, timeoutMs: number): Scanner {
  const place = 'path' in address ? address.path : `${address.host}:${address.port}`;
  const open = () => openClamdConnection(address, place, timeoutMs);

  async function version(): Promise<string> {
    const connection = open();
    try {
      await connection.write(Buffer.from('zVERSION\0'));
      const answer = await connection.answer();
      if (!/^ClamAV /.test(answer)) throw new ScannerSilent(`${place} does not answer as clamd does`, 'service');
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
async function stream(connection: ClamdConnection, place: string, input: ScanInput): Promise<string | null> {
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
    if (connection.answerSoFar() !== '') return connection.answerSoFar();
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
  return resultOfName(found);
}

/** A connection whose answer ends with a zero byte. */
interface ClamdConnection extends Connection {
  answer(): Promise<string>;
  /** Empty unless a whole answer came. */
  answerSoFar(): string;
}

function openClamdConnection(address: ClamdAddress, place: string, timeoutMs: number): ClamdConnection {
  let received: Buffer = Buffer.alloc(0);
  const connection = openConnection(connect({ ...address } as NetConnectOpts), {
    place,
    timeoutMs,
    onData(bytes) {
      if (received.length < maxAnswerBytes) received = Buffer.concat([received, bytes]);
    },
  });
  const answerSoFar = () => (received.includes(0) ? received.toString('utf8', 0, received.indexOf(0)).trim() : '');
  return {
    ...connection,
    answerSoFar,
    async answer() {
      try {
        await connection.until(() => received.includes(0));
      } catch (error) {
        if (error instanceof ConnectionBroken && received.length > 0)
          throw new ScannerSilent(`${place} closed the connection within its answer`);
        throw error;
      }
      return answerSoFar();
    },
  };
}
