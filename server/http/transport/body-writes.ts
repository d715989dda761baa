// The body of a response on its way to the network, and how much of it the network has taken. Whoever downloads may fall
// silent or hang up at any moment, and what they have taken by then counts.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TakenBytes } from '../../domain/downloads.ts';
import { BodyAborted } from '../../domain/ports.ts';

export interface BodyWrites {
  /** Keeps bytes back until the next ones are written: a file that cannot be read leaves nothing delivered. */
  hold(bytes: Buffer): void;
  /** Announces bytes about to be written; buffered ones go first. */
  add(count: number): void;
  release(): void;
  /** After the end: resolves when all bytes are with the network, or the connection is lost; rejects with the signal. */
  whenTaken(signal: AbortSignal): Promise<void>;
  taken(): TakenBytes;
  /** The connection may be used for something else. */
  forget(): void;
}

/**
 * What the event loop knows of a connection. Node does not document it, but relies on it for its own time limits; without
 * it the count is an estimate on both sides.
 */
interface Handle {
  /** Bytes handed to the event loop. */
  bytesWritten: number;
  /** Those of them that the system has not taken yet. */
  writeQueueSize: number;
}

const handleOf = (socket: Socket) => (socket as { _handle?: Handle | null })._handle ?? null;

export function followBody(response: ServerResponse): BodyWrites {
  let writtenBytes = 0;
  let held: Buffer[] = [];
  const add = (count: number) => {
    // Should this write fail, it is still known how far the earlier ones came.
    meter.read();
    writtenBytes += count;
  };
  const release = () => {
    // Writing to a lost connection would be an unhandled error.
    if (held.length > 0 && response.destroyed) throw new BodyAborted();
    for (const chunk of held) {
      add(chunk.length);
      response.write(chunk);
    }
    held = [];
  };
  const meter = createMeter(response, () => writtenBytes);
  return {
    hold: (chunk) => void held.push(chunk),
    add(count) {
      release();
      add(count);
    },
    release,
    whenTaken: async (signal) => {
      if (meter.read().certain < writtenBytes) await finished(response, signal);
    },
    taken: meter.read,
    forget: meter.forget,
  };
}

interface Meter {
  read(): TakenBytes;
  forget(): void;
}

/** Reads once more just before the connection is gone: afterwards nothing can tell what was still waiting. */
function createMeter(response: ServerResponse, writtenBytes: () => number): Meter {
  let latest: TakenBytes = { certain: 0, possible: 0 };
  let socket: Socket | null = null;
  let isSettled = false;
  const settle = (taken: TakenBytes) => {
    if (!isSettled) latest = taken;
    isSettled = true;
  };
  const follow = (connection: Socket) => {
    socket = connection;
    const destroy = connection._destroy;
    connection._destroy = (error, callback) => {
      settle(lastMeasure(response, connection, error, { latest, writtenBytes: writtenBytes() }));
      destroy.call(connection, error, callback);
    };
  };
  const onFinish = () => {
    if (socket?.destroyed === false) settle({ certain: writtenBytes(), possible: writtenBytes() });
  };
  const read = () => {
    const handle = socket === null || isSettled ? null : handleOf(socket);
    if (handle !== null) latest = measure(response, socket!, handle, writtenBytes());
    return latest;
  };
  if (response.socket === null) response.once('socket', follow);
  else follow(response.socket);
  // Before the server gives the connection to the next response.
  response.prependOnceListener('finish', onFinish);
  return {
    read,
    forget() {
      settle(read());
      response.off('socket', follow).off('finish', onFinish);
      if (socket !== null) Reflect.deleteProperty(socket, '_destroy');
    },
  };
}

/** When a write fails, its queue is thrown away first: what was in it may have been taken, or not. */
function lastMeasure(
  response: ServerResponse,
  socket: Socket,
  error: NodeJS.ErrnoException | null,
  { latest, writtenBytes }: { latest: TakenBytes; writtenBytes: number },
): TakenBytes {
  const handle = handleOf(socket);
  if (handle === null || error?.syscall?.startsWith('write') === true) return { ...latest, possible: writtenBytes };
  return measure(response, socket, handle, writtenBytes);
}

/** What was written, less what still waits: for the connection to be free, in its buffer, in the queue of the loop. */
function measure(response: ServerResponse, socket: Socket, handle: Handle, writtenBytes: number): TakenBytes {
  const waitingForTurn = response.writableLength - socket.writableLength;
  const buffered = socket.bytesWritten - handle.bytesWritten;
  const sent = Math.max(0, writtenBytes - waitingForTurn - buffered - handle.writeQueueSize);
  return { certain: sent, possible: sent };
}

function finished(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      response.off('finish', settle).off('close', settle);
      signal.removeEventListener('abort', settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    if (response.writableFinished || response.destroyed || signal.aborted) return settle();
    response.once('finish', settle).once('close', settle);
    signal.addEventListener('abort', settle);
  });
}
