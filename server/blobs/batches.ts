// Encrypts plain bytes and writes them to the store in large batches: one is filled while another is written; when both
// are full the caller waits. All but the last are whole disk blocks. A batch belongs to the store while it is being
// written.
import type { BlobWriter } from '#server/domain/ports.ts';
import { createSealer, type SegmentKeys, storedSegmentBytes, tagBytes } from './format.ts';
import { blockBytes, giveBack, takeMemory } from './page-memory.ts';
import { batchBytes, type Transfers } from './transfers.ts';

export interface Batches {
  /** Encrypts a chunk. The promise, if any, resolves when all of it is in a batch. */
  add(piece: Buffer): Promise<void> | undefined;
  finish(): Promise<void>;
  /** Frees the remaining memory. MUST be called at the end, when the store has finished. */
  drop(): void;
  /** Rejects as soon as a write fails. Never resolves. */
  failed: Promise<never>;
}

/** Space for one segment and for the tag that ends the blob. */
const roomForSegment = storedSegmentBytes + tagBytes;
/** With more transfers the disk is busy anyway, and memory matters. */
const maxTransfersWithTwoBatches = 64;

export function createBatches(
  opening: Promise<BlobWriter>,
  header: Buffer,
  keys: SegmentKeys,
  transfers: Transfers,
): Batches {
  const sealer = createSealer(keys);
  const output = createOutput(opening);
  const filling = createFilling(output, header, transfers);

  function add(piece: Buffer): Promise<void> | undefined {
    for (let rest = piece; rest.length > 0; ) {
      const target = filling.batchWithRoom();
      const left = rest;
      if (!target) return output.writing()?.then(() => add(left));
      const { taken, made } = sealer.add(rest, target, filling.usedBytes());
      filling.use(made);
      rest = rest.subarray(taken);
    }
    return undefined;
  }

  return {
    add,
    async finish() {
      const last = await filling.last();
      filling.use(sealer.finish(last, filling.usedBytes()));
      await output.finish(last, filling.usedBytes());
    },
    drop() {
      filling.end();
      output.drop();
    },
    failed: output.failed,
  };
}

function createFilling(output: Output, header: Buffer, transfers: Transfers) {
  // The first batch is small, because most files are.
  let batch: Buffer | null = output.emptyBatch(header.length + roomForSegment);
  let usedBytes = header.copy(batch);
  let overhang: Buffer = Buffer.alloc(0);
  let hasEnded = false;

  /** Whole blocks, so that the next batch begins with one; the remainder moves to it. */
  function handOver(full: Buffer): void {
    const wholeBytes = usedBytes - (usedBytes % blockBytes);
    overhang = Buffer.from(full.subarray(wholeBytes, usedBytes));
    output.start(full, wholeBytes);
    batch = null;
  }

  function begin(): Buffer {
    batch = output.emptyBatch(batchBytes(transfers.active));
    usedBytes = overhang.copy(batch);
    return batch;
  }

  return {
    /** Null when the current write must be waited for. */
    batchWithRoom(): Buffer | null {
      if (hasEnded) return null;
      if (batch && batch.length - usedBytes >= roomForSegment) return batch;
      if (batch && output.writing()) return null;
      if (batch) handOver(batch);
      const mustWait = output.writing() && transfers.active > maxTransfersWithTwoBatches;
      return mustWait ? null : begin();
    },
    usedBytes: () => usedBytes,
    use(count: number): void {
      usedBytes += count;
    },
    async last(): Promise<Buffer> {
      if (!batch) await output.writing();
      if (hasEnded) throw new Error('the blob was abandoned');
      return batch ?? begin();
    },
    /** Callers that still wait would write into freed memory. */
    end(): void {
      hasEnded = true;
    },
  };
}

type Output = ReturnType<typeof createOutput>;

/** One write at a time; the next batch reuses the buffer of the last one. */
function createOutput(opening: Promise<BlobWriter>) {
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  opening.catch(failure.reject);
  const batches = new Set<Buffer>();
  let spare: Buffer | null = null;
  let writing: Promise<void> | null = null;

  function discard(batch: Buffer): void {
    batches.delete(batch);
    giveBack(batch);
  }

  function drop(): void {
    spare = null;
    batches.forEach(discard);
  }

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
        if (spare) discard(spare);
        spare = full;
      });
      writing.catch(failure.reject);
    },
    emptyBatch(wantedBytes: number): Buffer {
      const again = spare;
      spare = null;
      if (again?.length === wantedBytes) return again;
      if (again) discard(again);
      const batch = takeMemory(wantedBytes);
      batches.add(batch);
      return batch;
    },
    async finish(last: Buffer, usedBytes: number): Promise<void> {
      await writing;
      await write(last.subarray(0, usedBytes));
      // During a write the bytes belong to the store.
      drop();
    },
    drop,
  };
}
