// A connection to a virus scanner: writes with back-pressure, and hands on what arrives.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ScannerSilent } from './scanner.ts';

/** The connection ended after it was open. */
export class ConnectionBroken extends Error {}

export interface Connection {
  write(bytes: Buffer): Promise<void>;
  /** Rejects if the connection ends before. */
  until(condition: () => boolean): Promise<void>;
  close(): void;
}

export interface ConnectionOptions {
  /** Named in errors. */
  place: string;
  timeoutMs: number;
  onData(bytes: Buffer): void;
}

export function openConnection(socket: Socket, { place, timeoutMs, onData }: ConnectionOptions): Connection {
  let end: Error | null = null;
  let wake: () => void = () => {};
  let isConnected = false;
  const finish = (error: Error) => {
    end ??= error;
    wake();
  };
  socket.setTimeout(timeoutMs, () => {
    const step = isConnected ? 'answer' : 'connection';
    finish(new ScannerSilent(`${place} has not answered for ${Math.round(timeoutMs / 1000)} seconds`, step));
    socket.destroy();
  });
  socket.on('data', (bytes: Buffer) => {
    try {
      onData(bytes);
    } catch (error) {
      finish(error as Error);
      socket.destroy();
    }
    wake();
  });
  socket.on('drain', () => wake());
  socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
    isConnected = true;
  });
  socket.on('error', (error) =>
    finish(
      isConnected
        ? new ConnectionBroken(error.message)
        : new ScannerSilent(`${place} cannot be reached: ${error.message}`, 'connection'),
    ),
  );
  socket.once('close', () => finish(new ConnectionBroken('the connection was closed without an answer')));
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    async write(bytes) {
      if (end !== null) throw end;
      if (socket.write(bytes)) return;
      while (socket.writableNeedDrain && end === null) await changed();
      if (end !== null) throw end;
    },
    async until(condition) {
      while (!condition() && end === null) await changed();
      if (!condition()) throw end!;
    },
    close() {
      socket.destroy();
    },
  };
}
