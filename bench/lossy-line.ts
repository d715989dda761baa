// A line with a round trip of 100 ms and a loss of 1 %, in user space, between a client and a server on loopback. What is
// sent upwards passes through a congestion window as TCP Reno keeps it, one for each connection: ten segments at first,
// doubled each round trip until the first loss, then one segment more each round trip, and half after a loss. What
// follows a lost segment arrives a round trip later, when the segment has been sent again. Losses come from a seeded
// generator, so that every run meets the same ones. Time-outs of TCP are left out: they would slow both sides alike.
import { connect, createServer, type Socket } from 'node:net';

export interface LossyLine {
  port: number;
  close(): void;
}

const roundTripMs = 100;
const lossRate = 0.01;
const segmentBytes = 1460;
const firstWindow = 10;
const smallestWindow = 2;

export async function openLossyLine(targetPort: number, seed: number): Promise<LossyLine> {
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

/** One round after the other, each with as much as the window holds. The first waits for the handshake. */
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
      // A window that was not used up says nothing about the line.
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

/** Nothing overtakes what waits for a lost segment, whatever the order in which timers fire. */
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

/** At most this much of what is there; the rest waits, and then the sender does. */
function takeUpTo(socket: Socket, most: number): Buffer | null {
  if (socket.readableLength === 0) socket.read(0);
  const length = Math.min(most, socket.readableLength);
  return length === 0 ? null : (socket.read(length) as Buffer | null);
}

/** Answers are short: they only take their time. */
function sendDown(far: Socket, near: Socket): void {
  far.on('data', (bytes) => void setTimeout(() => near.writable && near.write(bytes), roundTripMs / 2));
  far.on('end', () => void setTimeout(() => near.end(), roundTripMs / 2));
  far.on('close', () => void setTimeout(() => near.destroy(), roundTripMs));
}

/** The generator of Numerical Recipes: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
