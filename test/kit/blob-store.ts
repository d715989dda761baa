// A blob store in memory. A restart loses its content.

import { assertBlobKey } from '#server/blobs/blob-key.ts';
import {
  BlobMissing,
  type BlobStore,
  type BlobWriter,
  type Clock,
  type StoredBlob,
  StoreFull,
  StoreUnavailable,
} from '#server/domain/ports.ts';

export interface MemoryStoreOptions {
  /** Unlimited when absent. */
  limitBytes?: number;
  clock?: Clock;
}

const chunkBytes = 256 * 1024;

interface Kept {
  bytes: Buffer;
  modifiedAt: number;
}

export function openMemoryStore(options: MemoryStoreOptions = {}): BlobStore {
  const { limitBytes = Number.POSITIVE_INFINITY, clock = { now: Date.now } } = options;
  const blobs = new Map<string, Kept>();
  const unfinished = new Map<BlobWriter, { key: string; touchedAt: number; chunks: Buffer[] }>();
  let usedBytes = 0;

  function createWriter(key: string): BlobWriter {
    const state = { key, touchedAt: clock.now(), chunks: [] as Buffer[] };
    const writer: BlobWriter = {
      async write(bytes) {
        if (!unfinished.has(writer)) throw new StoreUnavailable('the writer is closed');
        if (usedBytes + bytes.length > limitBytes) throw new StoreFull();
        usedBytes += bytes.length;
        state.chunks.push(Buffer.from(bytes));
        state.touchedAt = clock.now();
      },
      async commit() {
        if (!unfinished.delete(writer)) throw new StoreUnavailable('the writer is closed');
        blobs.set(key, { bytes: Buffer.concat(state.chunks), modifiedAt: clock.now() });
      },
      async abort() {
        if (unfinished.delete(writer)) usedBytes -= sumBytes(state.chunks);
      },
    };
    unfinished.set(writer, state);
    return writer;
  }

  return {
    async create(key) {
      assertBlobKey(key);
      if (blobs.has(key)) throw new StoreUnavailable('the key is taken');
      return createWriter(key);
    },
    async *read(key, { start, end }) {
      assertBlobKey(key);
      const kept = blobs.get(key);
      if (!kept) throw new BlobMissing(key);
      yield* copyChunks(kept.bytes.subarray(start, end));
    },
    stat: async (key) => (blobs.has(key) ? describe(key, blobs.get(key) as Kept) : null),
    async delete(key) {
      const kept = blobs.get(key);
      if (kept) usedBytes -= kept.bytes.length;
      blobs.delete(key);
    },
    async *list() {
      for (const [key, kept] of blobs) yield describe(key, kept);
    },
    removeUnfinished: (olderThan, isArriving) => removeOld(unfinished, olderThan, isArriving),
    ...memoryMark(),
    trouble: () => '',
    space: async () => (Number.isFinite(limitBytes) ? { usedBytes, totalBytes: limitBytes } : null),
    state: async () => (usedBytes >= limitBytes ? 'no_uploads' : 'healthy'),
    async close() {},
  };
}

function memoryMark(): Pick<BlobStore, 'readMark' | 'writeMark'> {
  let mark: string | null = null;
  return {
    readMark: async () => mark,
    async writeMark(text) {
      mark = text;
    },
  };
}

async function removeOld(
  unfinished: Map<BlobWriter, { key: string; touchedAt: number }>,
  olderThan: number,
  isArriving: (key: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  for (const [writer, { key, touchedAt }] of [...unfinished]) {
    if (touchedAt >= olderThan || (await isArriving(key))) continue;
    await writer.abort();
    removed += 1;
  }
  return removed;
}

/** Copies, because the reader owns the chunks. */
function* copyChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield Buffer.from(bytes.subarray(at, at + chunkBytes));
}

function describe(key: string, kept: Kept): StoredBlob {
  return { key, storedBytes: kept.bytes.length, modifiedAt: kept.modifiedAt };
}

function sumBytes(chunks: Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
