// Chunks that take a few seconds: a pause finishes the running ones, and an interruption loses little.
import type { Clock } from './ports.ts';

export interface ChunkSize {
  bytes: number;
  /** After a proxy has refused larger chunks, hints are ignored. */
  isReduced: boolean;
  /** What the connection sends in `goodMs`; null when it is fast enough for `bytes`, or unknown. */
  slowBytes: number | null;
  followsConnection: boolean;
}

const goodMs = 4_000;
const longMs = 8_000;
const shortMs = 2_000;
/** Browsers report bytes that are only buffered. */
const minObservedMs = 1_000;
const smallestSlowBytes = 256 * 1024;

export function chunkBytesNow({ bytes, slowBytes }: ChunkSize): number {
  return slowBytes === null ? bytes : Math.min(bytes, slowBytes);
}

/** After each accepted chunk. Affects the next files, because the size is fixed for an upload. */
export function recordChunk(chunkSize: ChunkSize, sentBytes: number, tookMs: number): void {
  if (!chunkSize.followsConnection || tookMs < 0) return;
  if (tookMs > longMs) slowTo(chunkSize, sentBytes, tookMs);
  else if (tookMs < shortMs && chunkSize.slowBytes !== null && sentBytes >= chunkSize.slowBytes / 2) {
    const next = chunkSize.slowBytes * 2;
    chunkSize.slowBytes = next < chunkSize.bytes ? next : null;
  }
}

/** Returns a function for each progress of a first chunk: whether smaller chunks are better. */
export function slownessOf(chunkSize: ChunkSize, clock: Clock, totalBytes: number): (sentBytes: number) => boolean {
  const startedAt = clock.now();
  return (sentBytes) => {
    const tookMs = clock.now() - startedAt;
    if (!chunkSize.followsConnection || totalBytes <= smallestSlowBytes || sentBytes === 0) return false;
    if (tookMs < minObservedMs || (tookMs * totalBytes) / sentBytes <= longMs) return false;
    // The rest takes less time than a new start.
    if (sentBytes * 2 > totalBytes) return false;
    slowTo(chunkSize, sentBytes, tookMs);
    return chunkBytesNow(chunkSize) < totalBytes;
  };
}

function slowTo(chunkSize: ChunkSize, sentBytes: number, tookMs: number): void {
  chunkSize.slowBytes = Math.max(smallestSlowBytes, Math.round((sentBytes * goodMs) / tookMs));
}
