// A proxy in front of an S3 server that causes faults on request.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type S3Fault =
  | 'slow'
  /** Refuses with 503 and the error body of S3. */
  | 'overloaded'
  /** Refuses with 507: the bucket is full. */
  | 'full'
  /** Receives the request, then resets the connection. */
  | 'resets'
  /** Executes the request; the reply is lost. */
  | 'loses replies'
  | 'torn'
  /** Resets before it reads anything. */
  | 'unreachable';

export interface FaultyS3 {
  url: string;
  fault: S3Fault | null;
  close(): Promise<void>;
}

const lateMs = 300;
const refusals = {
  overloaded: ['503 Slow Down', '<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>'],
  full: ['507 Insufficient Storage', '<Error><Code>XMinioStorageFull</Code><Message>No space left.</Message></Error>'],
} as const;

function refusal(kind: keyof typeof refusals): string {
  const [status, body] = refusals[kind];
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\nconnection: close`;
  return `${head}\r\n\r\n${body}`;
}

export async function openFaultyS3(target: string): Promise<FaultyS3> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  /** Delayed replies keep their order. */
  const order = new WeakMap<Socket, Promise<unknown>>();
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (faulty.fault === 'unreachable') near.resetAndDestroy();
    near.on('data', (bytes: Buffer) => ask(near, far, bytes));
    far.on('data', (bytes: Buffer) => reply(near, far, bytes));
  });

  function ask(near: Socket, far: Socket, bytes: Buffer): void {
    if (faulty.fault === 'unreachable' || faulty.fault === 'resets') near.resetAndDestroy();
    else if (faulty.fault === 'overloaded' || faulty.fault === 'full') near.end(refusal(faulty.fault));
    else pass(near, far, bytes);
  }

  function reply(near: Socket, far: Socket, bytes: Buffer): void {
    if (faulty.fault === 'loses replies') near.resetAndDestroy();
    else if (faulty.fault === 'torn') near.write(bytes.subarray(0, bytes.length / 2), () => near.destroy());
    else {
      const isLate = faulty.fault === 'slow';
      order.set(
        near,
        (order.get(near) ?? Promise.resolve()).then(() => (isLate ? pause(lateMs) : undefined)),
      );
      order.get(near)!.then(() => pass(far, near, bytes));
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const faulty: FaultyS3 = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: null,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return faulty;
}

/** With back-pressure. */
function pass(from: Socket, to: Socket, bytes: Buffer): void {
  if (to.destroyed) return;
  if (to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}
