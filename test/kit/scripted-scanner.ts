// A scanner that speaks the protocol of clamd and answers as a test says.
import { createServer, type Socket } from 'node:net';
import { eicar } from '#server/lib/scanners/self-test.ts';

export interface ScriptedScanner {
  address: string;
  version: string;
  /**
   * Answers to a file; null closes the connection without one, undefined leaves it open. By default EICAR is infected,
   * everything else clean.
   */
  answer(content: Buffer): string | null | undefined;
  /** After so many bytes of a file the connection is cut; null for never. */
  cutAfterBytes: number | null;
  isDown: boolean;
  scanned: number;
  /** Open ones. */
  connections(): number;
  close(): Promise<void>;
}

/** The EICAR test file. */
export const infectedText = eicar.toString();
export const eicarAnswer = 'stream: Eicar-Test-Signature FOUND';
export const cleanAnswer = 'stream: OK';

const instream = 'zINSTREAM\0';

export async function startScriptedScanner(): Promise<ScriptedScanner> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (scanner.isDown) return void socket.destroy();
    serve(socket);
  });
  const scanner: ScriptedScanner = {
    address: '',
    version: 'ClamAV 1.4.6/27000/Mon Nov 16 09:00:00 2026',
    answer: (content) => (content.includes(eicar) ? eicarAnswer : cleanAnswer),
    cutAfterBytes: null,
    isDown: false,
    scanned: 0,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function serve(socket: Socket): void {
    const content: Buffer[] = [];
    let pending: Buffer = Buffer.alloc(0);
    let received = 0;
    let isStream = false;
    let isDone = false;
    const finish = (answer: string | null | undefined) => {
      isDone = true;
      if (answer === undefined) return;
      socket.end(answer === null ? '' : `${answer}\0`);
    };
    socket.on('data', (bytes: Buffer) => {
      if (isDone) return;
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
      if (!isStream && pending.includes('zVERSION\0')) return finish(scanner.version);
      if (!isStream && pending.length < instream.length) return;
      if (!isStream) pending = pending.subarray(instream.length);
      isStream = true;
      received += bytes.length;
      while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
        const length = pending.readUInt32BE(0);
        if (length === 0) {
          scanner.scanned += 1;
          return finish(scanner.answer(Buffer.concat(content)));
        }
        content.push(pending.subarray(4, 4 + length));
        pending = pending.subarray(4 + length);
      }
      if (scanner.cutAfterBytes !== null && received > scanner.cutAfterBytes) socket.resetAndDestroy();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  scanner.address = `clamd://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
  return scanner;
}
