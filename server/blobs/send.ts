// Sends verified plain bytes to a socket with back-pressure, in constant memory: the next batch is decrypted while one
// is sent. Never ends the destination, because a broken blob must not look complete.
import type { Writable } from 'node:stream';
import { BodyAborted, type SendOptions } from '#server/domain/ports.ts';
import { asBodyError } from './body.ts';
import { releaseBytes } from './release.ts';

/**
 * Writes all batches, which have this many bytes. Rejects when the destination or the signal ends. Resolves after the
 * last byte, because a client may then close the connection.
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
      // Requested before the socket is waited for; a failure is reported in its turn.
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
    // Not awaited, because a store may hang.
    batches.return(undefined).catch(() => {});
  }
}

/** Frees the bytes as soon as they are sent. */
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
  /** Settles like the promise, or rejects as soon as the destination or the signal ends. */
  orInterrupted<T>(promise: Promise<T>): Promise<T>;
  drained(): Promise<void>;
  forget(): void;
}

// Not Promise.race: a long-lived promise would retain every race and its bytes.
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
      if (interruption) destination.on('error', () => {});
    },
  };
}

function endOf(destination: Writable): Error | null {
  if (destination.errored) return asBodyError(destination.errored);
  return destination.destroyed || destination.writableEnded ? new BodyAborted() : null;
}
