// Counts how much of a body the network has taken, for clients that stop or leave.
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TakenBytes } from '../../domain/downloads.ts';
import { BodyAborted } from '../../domain/ports.ts';

export interface BodyWrites {
  /** Buffers bytes: a file that cannot be read leaves nothing delivered. */
  hold(bytes: Buffer): void;
  /** Announces bytes about to be written; buffered ones go first. */
  add(count: number): void;
  release(): void;
  /** Resolves when the network has all bytes or the connection is lost; rejects with the signal. */
  whenTaken(signal: AbortSignal): Promise<void>;
  taken(): TakenBytes;
  /** The connection may be reused. */
  forget(): void;
}

/** Undocumented; without it the count is an estimate. */
interface Handle {
  /** Bytes passed to libuv. */
  bytesWritten: number;
  /** Of these, bytes that the kernel has not taken. */
  writeQueueSize: number;
}

const handleOf = (socket: Socket) => (socket as { _handle?: Handle | null })._handle ?? null;

export function followBody(response: ServerResponse): BodyWrites {
  let writtenBytes = 0;
  let held: Buffer[] = [];
  const add = (count: number) => {
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

/** A stream of HTTP/2: its writes complete when the connection has taken their bytes. */
function createStreamMeter(response: ServerResponse, writtenBytes: () => number): Meter {
  let final: TakenBytes | null = null;
  const measureStream = (): TakenBytes => {
    const isWhole = response.writableFinished;
    const possible = writtenBytes();
    return { certain: isWhole ? possible : Math.max(0, possible - response.writableLength), possible };
  };
  const read = () => final ?? measureStream();
  const settle = () => {
    final = read();
  };
  response.once('close', settle);
  return { read, forget: settle };
}

/** After the close the queue size is unknown. */
function createMeter(response: ServerResponse, writtenBytes: () => number): Meter {
  let latest: TakenBytes = { certain: 0, possible: 0 };
  let socket: Socket | null = null;
  let isComplete = false;
  const settle = (taken: TakenBytes) => {
    if (!isComplete) latest = taken;
    isComplete = true;
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
    const handle = socket === null || isComplete ? null : handleOf(socket);
    if (handle !== null) latest = measure(response, socket!, handle, writtenBytes());
    return latest;
  };
  if (!(response instanceof ServerResponse)) return createStreamMeter(response, writtenBytes);
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

/** A failed write discards its queue; what was in it may have been sent or not. */
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
