// How files are cut into pieces, and how many pieces may travel at once. Over a long line each connection is slow, mostly
// because of losses: small pieces keep many of them busy (docs/adr/0081). Over a short one large pieces cost less.
import { maxChunks } from '../transfer/wire.ts';

export interface Plan {
  chunkBytes: number;
  /** Pieces of one file at the same time; what memory permits. */
  maxConcurrency: number;
  /** Begin with that many. Over a long line they pay for sure, and measuring it would take longer than a small file. */
  startAtMax: boolean;
  /** Over a short line a file that is there within seconds may go in one request. */
  allowSingleRequest: boolean;
}

export interface Planned {
  sizesBytes: readonly number[];
  /** Files that are sent at the same time. */
  parallelFiles: number;
  /** What the server recommends. */
  recommendedBytes: number;
  /** What the person wishes; null: as it fits. */
  requestedBytes: number | null;
  /** Pieces at the same time, as the person wishes; null: as it fits. */
  requestedConcurrency: number | null;
  /** Null: not known. */
  roundTripMs: number | null;
}

/** Buffers of pieces under way, all files together. */
const memoryBytes = 16 * 1024 * 1024;
/** From here on a line is long: another continent, or a mobile network. */
const longRoundTripMs = 40;
/** A file in so many pieces has enough for eight connections until the end. */
const piecesOfLongLine = 64;
const smallestBytes = 256 * 1024;
const largestOfLongLine = 2 * 1024 * 1024;
const widest = 8;

export function planOf(planned: Planned): Plan {
  const { sizesBytes, parallelFiles, recommendedBytes, requestedBytes, requestedConcurrency, roundTripMs } = planned;
  const largest = Math.max(0, ...sizesBytes);
  const isLong = roundTripMs !== null && roundTripMs >= longRoundTripMs;
  const usualBytes = isLong ? bytesOfLongLine(largest, recommendedBytes) : recommendedBytes;
  // Smaller pieces rather than fewer at once than somebody wishes.
  const fittingBytes = Math.floor(memoryBytes / ((requestedConcurrency ?? 1) * parallelFiles));
  const chunkBytes = requestedBytes ?? Math.min(usualBytes, fittingBytes);
  // Very large files get larger pieces, because their number is limited.
  const heldBytes = Math.max(chunkBytes, Math.ceil(largest / maxChunks)) * parallelFiles;
  const maxConcurrency = Math.min(requestedConcurrency ?? widest, Math.max(1, Math.floor(memoryBytes / heldBytes)));
  const allowSingleRequest =
    !isLong && roundTripMs !== null && requestedBytes === null && requestedConcurrency === null;
  return { chunkBytes, maxConcurrency, startAtMax: isLong, allowSingleRequest };
}

function bytesOfLongLine(largest: number, recommended: number): number {
  const wanted = Math.ceil(largest / piecesOfLongLine);
  return Math.min(recommended, largestOfLongLine, Math.max(smallestBytes, wanted));
}
