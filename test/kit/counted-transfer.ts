// Fetches bytes over a connection of its own and counts those of the body that arrive, independently of server and client.
import { connect } from 'node:net';

export interface CountedTransfer {
  status: number;
  /** Bytes of the body that arrived. */
  receivedBytes: number;
}

export interface TransferOptions {
  headers?: Record<string, string>;
  /** Once so many bytes have arrived, ends the connection; `close` reads on to its end, `reset` does not. */
  stop?: { afterBytes: number; how: 'close' | 'reset' };
  /** Once so many bytes have arrived, reads on only when this resolves. */
  pause?: { afterBytes: number; until: () => Promise<void> };
}

export function countTransfer(url: string, path: string, options: TransferOptions = {}): Promise<CountedTransfer> {
  const { hostname, port, host } = new URL(url);
  const { headers = {}, stop, pause } = options;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const lines = Object.entries({ host, connection: 'close', accept: '*/*', ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  let head: Buffer | null = Buffer.alloc(0);
  let status = 0;
  let receivedBytes = 0;
  let isStopped = false;
  let isPaused = false;
  return new Promise((resolve) => {
    const finish = () => resolve({ status, receivedBytes });
    socket.on('data', (chunk: Buffer) => {
      if (head === null) receivedBytes += chunk.length;
      else {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        status = Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString('latin1'))?.[1]);
        receivedBytes = head.length - end - 4;
        head = null;
      }
      if (stop !== undefined && !isStopped && receivedBytes >= stop.afterBytes) {
        isStopped = true;
        if (stop.how === 'close') socket.end();
        else {
          socket.resetAndDestroy();
          finish();
        }
      }
      if (pause !== undefined && !isPaused && receivedBytes >= pause.afterBytes) {
        isPaused = true;
        socket.pause();
        void pause.until().then(() => socket.resume());
      }
    });
    socket.on('end', () => socket.end());
    socket.on('error', () => {});
    socket.on('close', finish);
  });
}
