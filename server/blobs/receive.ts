// The way in: body -> checksums -> AES-GCM segments -> store, in constant memory. While one batch is being written the
// next one is filled; when both are full the body waits. Plain bytes never reach the store; on any error nothing of
// the blob remains.
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlobStore, BlobWriter, ReceivedBlob, ReceiveOptions, SealedBlob } from '#server/domain/ports.ts';
import { readBody, type TakePiece } from './body.ts';
import { createDigests, type Digests } from './digests.ts';
import { createHeader, createSealer, type SegmentKeys, saltBytes, storedSegmentBytes, tagBytes } from './format.ts';
import type { HashOffload } from './hash-offload.ts';
import { batchBytes, type Transfers } from './transfers.ts';

export interface ReceivingParts {
  store: BlobStore;
  transfers: Transfers;
  offload: HashOffload;
}

export async function receiveBlob(
  { store, transfers, offload }: ReceivingParts,
  blob: SealedBlob,
  body: Readable,
  options: ReceiveOptions = {},
): Promise<ReceivedBlob> {
  const { header, keys } = createHeader(blob.dataKey, blob.context, randomBytes(saltBytes));
  const isAlone = () => transfers.active === 1;
  const over = transfers.begin();
  let digests: Digests | null = null;
  let opening: Promise<BlobWriter> | null = null;
  try {
    digests = createDigests(options.after, () => offload.begin(isAlone));
    // The body is listened to while the store is still opening the blob: a client may leave at any moment.
    opening = store.create(blob.key);
    const batches = createBatches(opening, header, keys, transfers);
    const reading = readBody(body, takeInto(digests, batches, options.onBytes));
    batches.failed.catch(reading.fail);
    await reading.done;
    const [received] = await Promise.all([digests.finish(), batches.finish()]);
    await (await opening).commit();
    return received;
  } catch (error) {
    // The first error is the one to tell; what an abort leaves is removed with the other leftovers.
    await opening?.then((writer) => writer.abort()).catch(() => {});
    throw error;
  } finally {
    digests?.drop();
    over();
  }
}

function takeInto(digests: Digests, batches: Batches, onBytes: ReceiveOptions['onBytes']): TakePiece {
  return (piece) => {
    onBytes?.(piece.length);
    const hashing = digests.add(piece);
    const writing = batches.add(piece);
    return hashing && writing ? Promise.all([hashing, writing]).then(() => {}) : (hashing ?? writing);
  };
}

interface Batches {
  /** Encrypts a piece; the promise, if there is one, resolves when all of it has found room. */
  add(piece: Buffer): Promise<void> | undefined;
  /** Seals and writes the rest. */
  finish(): Promise<void>;
  /** Rejects as soon as a write fails, also while no piece comes. Never resolves. */
  failed: Promise<never>;
}

/** Collects sealed segments and writes them in large batches, one write at a time. */
function createBatches(opening: Promise<BlobWriter>, header: Buffer, keys: SegmentKeys, transfers: Transfers): Batches {
  const sealer = createSealer(keys);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  opening.catch(failure.reject);
  // The first batch is small: most files are.
  let batch: Buffer = Buffer.allocUnsafeSlow(header.length + roomForSegment);
  let spare: Buffer | null = null;
  let usedBytes = header.copy(batch);
  let writing: Promise<void> | null = null;

  async function write(bytes: Buffer): Promise<void> {
    const writer = await opening;
    await writer.write(bytes);
  }

  function flush(): void {
    const full = batch;
    writing = write(full.subarray(0, usedBytes)).then(() => {
      writing = null;
      spare = full;
    });
    writing.catch(failure.reject);
    const wantedBytes = batchBytes(transfers.active);
    batch = spare?.length === wantedBytes ? spare : Buffer.allocUnsafeSlow(wantedBytes);
    spare = null;
    usedBytes = 0;
  }

  function add(piece: Buffer): Promise<void> | undefined {
    let rest = piece;
    while (rest.length > 0) {
      if (batch.length - usedBytes < roomForSegment) {
        const left = rest;
        if (writing) return writing.then(() => add(left));
        flush();
      }
      const { taken, made } = sealer.add(rest, batch, usedBytes);
      usedBytes += made;
      rest = rest.subarray(taken);
    }
    return undefined;
  }

  return {
    add,
    async finish() {
      usedBytes += sealer.finish(batch, usedBytes);
      if (writing) await writing;
      await write(batch.subarray(0, usedBytes));
    },
    failed: failure.promise,
  };
}

/** Room for one step of the sealer, and for the tag that closes the blob. */
const roomForSegment = storedSegmentBytes + tagBytes;
