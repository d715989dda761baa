// Seals plain bytes and writes them to the store in large batches. While one batch is being written the next one is
// filled; when both are full the caller waits. Touches a batch no more from the moment it is handed to the store.
import type { BlobWriter } from '#server/domain/ports.ts';
import { createSealer, type SegmentKeys, storedSegmentBytes, tagBytes } from './format.ts';
import { releaseBytes } from './release.ts';
import { batchBytes, type Transfers } from './transfers.ts';

export interface Batches {
  /** Encrypts a piece; the promise, if there is one, resolves when all of it has found room. */
  add(piece: Buffer): Promise<void> | undefined;
  /** Seals and writes the rest. */
  finish(): Promise<void>;
  /** Rejects as soon as a write fails, also while no piece comes. Never resolves. */
  failed: Promise<never>;
}

/** Room for one step of the sealer, and for the tag that closes the blob. */
const roomForSegment = storedSegmentBytes + tagBytes;
/** With more of them the disk is busy anyway, and memory counts. */
const maxTransfersWithTwoBatches = 64;

export function createBatches(
  opening: Promise<BlobWriter>,
  header: Buffer,
  keys: SegmentKeys,
  transfers: Transfers,
): Batches {
  const sealer = createSealer(keys);
  const output = createOutput(opening, transfers);
  // The first batch is small: most files are.
  let batch: Buffer | null = Buffer.allocUnsafeSlow(header.length + roomForSegment);
  let usedBytes = header.copy(batch);

  /** Null when the current write must be waited for. */
  function batchWithRoom(): Buffer | null {
    if (batch && batch.length - usedBytes >= roomForSegment) return batch;
    if (batch && output.writing()) return null;
    if (batch) output.start(batch, usedBytes);
    usedBytes = 0;
    const mustWait = output.writing() && transfers.active > maxTransfersWithTwoBatches;
    batch = mustWait ? null : output.emptyBatch();
    return batch;
  }

  function add(piece: Buffer): Promise<void> | undefined {
    for (let rest = piece; rest.length > 0; ) {
      const target = batchWithRoom();
      const left = rest;
      if (!target) return output.writing()?.then(() => add(left));
      const { taken, made } = sealer.add(rest, target, usedBytes);
      usedBytes += made;
      rest = rest.subarray(taken);
    }
    return undefined;
  }

  return {
    add,
    async finish() {
      if (!batch) await output.writing();
      const last = batch ?? output.emptyBatch();
      usedBytes += sealer.finish(last, usedBytes);
      await output.finish(last, usedBytes);
    },
    failed: output.failed,
  };
}

/** One write at a time, and the buffer of the last one for the next batch. */
function createOutput(opening: Promise<BlobWriter>, transfers: Transfers) {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  opening.catch(failure.reject);
  let spare: Buffer | null = null;
  let writing: Promise<void> | null = null;

  async function write(bytes: Buffer): Promise<void> {
    const writer = await opening;
    await writer.write(bytes);
  }

  return {
    failed: failure.promise,
    writing: () => writing,
    start(full: Buffer, usedBytes: number): void {
      writing = write(full.subarray(0, usedBytes)).then(() => {
        writing = null;
        spare = full;
      });
      writing.catch(failure.reject);
    },
    emptyBatch(): Buffer {
      const wantedBytes = batchBytes(transfers.active);
      const again = spare;
      spare = null;
      if (again?.length === wantedBytes) return again;
      if (again) releaseBytes(again);
      return Buffer.allocUnsafeSlow(wantedBytes);
    },
    async finish(last: Buffer, usedBytes: number): Promise<void> {
      await writing;
      await write(last.subarray(0, usedBytes));
      // Only now: during a write its bytes belong to the store.
      if (spare) releaseBytes(spare);
      releaseBytes(last);
    },
  };
}
