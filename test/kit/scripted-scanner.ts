// A scanner that speaks the protocol of clamd and answers as a test says.
import { createServer, type Socket } from 'node:net';
import { eicar } from '#server/lib/scanners/self-test.ts';

export interface ScriptedScanner {
  address: string;
  version: string;
  /** Answers to a file; null for silence. By default EICAR is infected, everything else clean. */
  answer(content: Buffer): string | null;
  /** After so many bytes of a file the connection is cut; null for never. */
  cutAfterBytes: number | null;
  isDown: boolean;
  scanned: number;
  close(): Promise<void>;
}

/** The EICAR test file. */
export const infectedText = eicar.toString();
export const eicarAnswer = 'stream: Eicar-Test-Signature FOUND';
export const cleanAnswer = 'stream: OK';

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
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    let isDone = false;
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (isDone) return;
      if (received.includes('zVERSION\0')) {
        isDone = true;
        return void socket.end(`${scanner.version}\0`);
      }
      const prefix = 'zINSTREAM\0'.length;
      if (received.length < prefix) return;
      const content: Buffer[] = [];
      for (let at = prefix; at + 4 <= received.length; ) {
        const length = received.readUInt32BE(at);
        if (length === 0) {
          isDone = true;
          return void finish(socket, Buffer.concat(content));
        }
        content.push(received.subarray(at + 4, at + 4 + length));
        at += 4 + length;
      }
      if (scanner.cutAfterBytes !== null && received.length > scanner.cutAfterBytes) socket.resetAndDestroy();
    });
  }

  function finish(socket: Socket, content: Buffer): void {
    scanner.scanned += 1;
    const answer = scanner.answer(content);
    if (answer !== null) socket.end(`${answer}\0`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  scanner.address = `clamd://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
  return scanner;
}
