// A TCP proxy in front of a server of the service, which a test can cut, silence and restore.
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface CuttableProxy {
  port: number;
  /** Resets open connections and refuses new ones. */
  cut(): void;
  /** Keeps connections open and forwards no bytes. */
  silence(): void;
  /** Forwards again; resets silenced connections, because bytes of them were lost. */
  mend(): void;
  connectionCount(): number;
  close(): Promise<void>;
}

type Mode = 'open' | 'cut' | 'silent';

export async function openCuttableProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let mode: Mode = 'open';
  let connectionCount = 0;

  const resetAll = () => {
    for (const pair of pairs) pair.forEach(reset);
    pairs.clear();
  };
  const server = createServer((near) => {
    near.on('error', () => {});
    if (mode === 'cut') {
      near.resetAndDestroy();
      return;
    }
    connectionCount += 1;
    const far = connect(target);
    far.on('error', () => {});
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    pass(near, far, () => mode === 'silent');
    pass(far, near, () => mode === 'silent');
    near.once('close', () => pairs.delete(pair) && far.destroy());
    far.once('close', () => pairs.delete(pair) && near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    cut() {
      mode = 'cut';
      resetAll();
    },
    silence() {
      mode = 'silent';
    },
    mend() {
      if (mode === 'silent') resetAll();
      mode = 'open';
    },
    connectionCount: () => connectionCount,
    close: () => {
      resetAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Node never closes a socket that is reset during its end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function pass(from: Socket, to: Socket, isSilent: () => boolean): void {
  from.on('data', (bytes: Buffer) => {
    if (isSilent()) return;
    if (!to.write(bytes)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  });
  from.once('end', () => !isSilent() && to.end());
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a proxy without a port');
  return address.port;
}
