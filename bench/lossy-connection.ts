// A relay on loopback that simulates a connection with a round trip of 100 ms and a loss of 1 %. Uploads pass a congestion window
// for each connection, as in TCP Reno: ten segments at first, doubled each round trip until the first loss, then one more each
// round trip, and halved after a loss. Data after a lost segment arrives one round trip later. A seeded generator decides the
// losses, so that each run has the same ones. TCP timeouts are not simulated.
import { connect, createServer, type Socket } from 'node:net';

export interface LossyConnection {
  port: number;
  close(): void;
}

const roundTripMs = 100;
const lossRate = 0.01;
const segmentBytes = 1460;
const firstWindow = 10;
const smallestWindow = 2;

export async function openLossyConnection(targetPort: number, seed: number): Promise<LossyConnection> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, highWaterMark: 1024 * 1024 }, (near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {
        near.destroy();
        far.destroy();
      });
      socket.on('close', () => sockets.delete(socket));
    }
    connections += 1;
    sendUp(near, far, seeded(seed * 1000 + connections));
    sendDown(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Sends one window in each round trip. The first waits for the handshake. */
function sendUp(near: Socket, far: Socket, random: () => number): void {
  let [window, hasLost] = [firstWindow, false];
  const deliver = inOrder((bytes) => far.writable && far.write(bytes));
  const round = () => {
    const bytes = takeUpTo(near, window * segmentBytes);
    if (bytes === null) return void (near.readable && near.once('readable', round));
    const segments = Math.ceil(bytes.length / segmentBytes);
    const lost = Array.from({ length: segments }, random).findIndex((chance) => chance < lossRate);
    if (lost === -1) {
      deliver(bytes, roundTripMs / 2);
      // Only a full window grows.
      if (segments >= window) window = hasLost ? window + 1 : window * 2;
    } else {
      if (lost > 0) deliver(bytes.subarray(0, lost * segmentBytes), roundTripMs / 2);
      deliver(bytes.subarray(lost * segmentBytes), roundTripMs * 1.5);
      window = Math.max(smallestWindow, Math.floor(window / 2));
      hasLost = true;
    }
    setTimeout(round, roundTripMs);
  };
  setTimeout(round, roundTripMs);
  near.on('end', () => void setTimeout(() => far.end(), roundTripMs * 1.5));
  near.on('close', () => void setTimeout(() => far.destroy(), roundTripMs * 1.5));
}

/** Keeps the order of the data independent of the order of the timers. */
function inOrder(write: (bytes: Buffer) => void): (bytes: Buffer, delayMs: number) => void {
  const waiting: { bytes: Buffer; at: number }[] = [];
  const deliverDue = () => {
    while (waiting[0] !== undefined && waiting[0].at <= performance.now() + 1) write(waiting.shift()!.bytes);
  };
  return (bytes, delayMs) => {
    waiting.push({ bytes, at: performance.now() + delayMs });
    setTimeout(deliverDue, Math.ceil(delayMs) + 1);
  };
}

/** At most this many bytes; the rest waits in the socket. */
function takeUpTo(socket: Socket, most: number): Buffer | null {
  if (socket.readableLength === 0) socket.read(0);
  const length = Math.min(most, socket.readableLength);
  return length === 0 ? null : (socket.read(length) as Buffer | null);
}

/** Answers are short and only delayed. */
function sendDown(far: Socket, near: Socket): void {
  far.on('data', (bytes) => void setTimeout(() => near.writable && near.write(bytes), roundTripMs / 2));
  far.on('end', () => void setTimeout(() => near.end(), roundTripMs / 2));
  far.on('close', () => void setTimeout(() => near.destroy(), roundTripMs));
}

/** The generator of Numerical Recipes. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
