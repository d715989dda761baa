// The way out: verified plain bytes to a socket, honouring its back-pressure, in constant memory. While the socket
// takes one batch the next one is read and opened. Never ends the destination: a broken blob must not look whole.
import type { Writable } from 'node:stream';
import { BodyAborted, type SendOptions } from '#server/domain/ports.ts';
import { asBodyError } from './body.ts';
import { releaseBytes } from './release.ts';

/**
 * Writes all batches, which hold this many bytes. Rejects promptly when the destination or the signal ends. Done as soon
 * as the last byte is handed over: a client may well close the connection when it has what it came for.
 */
export async function sendBatches(
  batches: AsyncGenerator<Buffer[]>,
  totalBytes: number,
  destination: Writable,
  { signal, onBytes }: SendOptions = {},
): Promise<number> {
  const watch = watchDestination(destination, signal);
  let sentBytes = 0;
  try {
    let next = batches.next();
    for (;;) {
      const batch = await watch.orInterrupted(next);
      if (batch.done) return sentBytes;
      // Asked for before the socket is waited for; a failure shows when its turn comes.
      next = batches.next();
      next.catch(() => {});
      const bytesInBatch = batch.value.reduce((sum, bytes) => sum + bytes.length, 0);
      onBytes?.(bytesInBatch);
      writeBatch(destination, batch.value);
      sentBytes += bytesInBatch;
      if (sentBytes === totalBytes) return sentBytes;
      if (destination.writableNeedDrain) await watch.orInterrupted(watch.drained());
    }
  } finally {
    watch.forget();
    // Not waited for: a store that hangs must not keep the caller.
    batches.return(undefined).catch(() => {});
  }
}

/** The bytes are ours alone; they are freed as soon as the last of them has left, not when a collector comes by. */
function writeBatch(destination: Writable, batch: Buffer[]): void {
  const last = batch.length - 1;
  destination.cork();
  for (const [index, bytes] of batch.entries()) {
    if (index < last) destination.write(bytes);
    else destination.write(bytes, () => batch.forEach(releaseBytes));
  }
  destination.uncork();
}

interface DestinationWatch {
  /** The promise, or a rejection as soon as the destination or the signal ends. */
  orInterrupted<T>(promise: Promise<T>): Promise<T>;
  drained(): Promise<void>;
  forget(): void;
}

// Not Promise.race: every race against one long-lived promise would be remembered by it until the end, with the
// bytes it was about.
function watchDestination(destination: Writable, signal: AbortSignal | undefined): DestinationWatch {
  let interruption: unknown = signal?.aborted ? signal.reason : endOf(destination);
  let rejectWaiting: (error: unknown) => void = () => {};
  let resolveDrain: () => void = () => {};

  function interrupt(error: unknown): void {
    interruption ??= error;
    rejectWaiting(interruption);
  }
  const onAbort = () => interrupt(signal?.reason);
  const onError = (error: Error) => interrupt(asBodyError(error));
  const onClose = () => interrupt(endOf(destination) ?? new BodyAborted());
  const onDrain = () => resolveDrain();

  signal?.addEventListener('abort', onAbort);
  destination.on('error', onError).on('close', onClose).on('drain', onDrain);
  return {
    orInterrupted(promise) {
      return new Promise((resolve, reject) => {
        rejectWaiting = reject;
        promise.then(resolve, reject);
        if (interruption) reject(interruption);
      });
    },
    drained() {
      return new Promise((resolve) => {
        resolveDrain = resolve;
      });
    },
    forget() {
      signal?.removeEventListener('abort', onAbort);
      destination.off('close', onClose).off('drain', onDrain).off('error', onError);
      // Listens for a late error of a lost connection.
      if (interruption) destination.on('error', () => {});
    },
  };
}

/** Why nothing can be written any more, or null. */
function endOf(destination: Writable): Error | null {
  if (destination.errored) return asBodyError(destination.errored);
  return destination.destroyed || destination.writableEnded ? new BodyAborted() : null;
}
