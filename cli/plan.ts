// Chunk sizes and numbers of parallel chunks. With a long round trip each connection is slow, mostly
// because of losses, so small chunks keep many busy (docs/adr/0081). With a short one large chunks cost less.
import { maxChunks } from '../transfer/wire.ts';

export interface Plan {
  chunkBytes: number;
  /** Parallel chunks of one file; bounded by memory. */
  maxConcurrency: number;
  /** Start with the maximum: with a long round trip it always pays, and measuring takes longer than a small file. */
  startAtMax: boolean;
  /** With a short round trip a small file may go in a single request. */
  allowSingleRequest: boolean;
}

export interface Planned {
  sizesBytes: readonly number[];
  parallelFiles: number;
  recommendedBytes: number;
  /** Null: automatic. */
  requestedBytes: number | null;
  /** Parallel chunks; null: automatic. */
  requestedConcurrency: number | null;
  /** Null: not known. */
  roundTripMs: number | null;
}

/** Buffers of chunks in flight, all files together. */
const memoryBytes = 16 * 1024 * 1024;
/** From here on a round trip is long: another continent, or a mobile network. */
const longRoundTripMs = 40;
/** Enough chunks to keep eight connections busy until the end. */
const chunksOfLongRoundTrip = 64;
const smallestBytes = 256 * 1024;
const largestOfLongLine = 2 * 1024 * 1024;
const widest = 8;

export function planOf(planned: Planned): Plan {
  const { sizesBytes, parallelFiles, recommendedBytes, requestedBytes, requestedConcurrency, roundTripMs } = planned;
  const largest = Math.max(0, ...sizesBytes);
  const isLong = roundTripMs !== null && roundTripMs >= longRoundTripMs;
  const usualBytes = isLong ? bytesOfLongLine(largest, recommendedBytes) : recommendedBytes;
  // Smaller chunks rather than fewer in parallel than requested.
  const fittingBytes = Math.floor(memoryBytes / ((requestedConcurrency ?? 1) * parallelFiles));
  const chunkBytes = requestedBytes ?? Math.min(usualBytes, fittingBytes);
  // Very large files need larger chunks, because their number is limited.
  const heldBytes = Math.max(chunkBytes, Math.ceil(largest / maxChunks)) * parallelFiles;
  const maxConcurrency = Math.min(requestedConcurrency ?? widest, Math.max(1, Math.floor(memoryBytes / heldBytes)));
  const allowSingleRequest =
    !isLong && roundTripMs !== null && requestedBytes === null && requestedConcurrency === null;
  return { chunkBytes, maxConcurrency, startAtMax: isLong, allowSingleRequest };
}

function bytesOfLongLine(largest: number, recommended: number): number {
  const wanted = Math.ceil(largest / chunksOfLongRoundTrip);
  return Math.min(recommended, largestOfLongLine, Math.max(smallestBytes, wanted));
}
