// Cuts the pieces a store delivers, of any size, into stored segments. A segment inside one piece is a view of it;
// only one that lies across a border is copied together.
import { storedSegmentBytes } from './format.ts';

export interface SegmentCutter {
  /** The whole segments that became complete with this piece. */
  cut(piece: Buffer): Buffer[];
  /** What is left at the end of the pieces: shorter than a segment, may be empty. */
  rest(): Buffer;
}

export function createSegmentCutter(): SegmentCutter {
  let partial: Buffer | null = null;
  let partialBytes = 0;

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    partial ??= Buffer.allocUnsafeSlow(storedSegmentBytes);
    partialBytes += bytes.copy(partial, partialBytes);
  }

  return {
    cut(piece) {
      const segments: Buffer[] = [];
      let at = 0;
      if (partial) {
        at = Math.min(piece.length, storedSegmentBytes - partialBytes);
        keep(piece.subarray(0, at));
        if (partialBytes === storedSegmentBytes) {
          segments.push(partial);
          partial = null;
          partialBytes = 0;
        }
      }
      for (; piece.length - at >= storedSegmentBytes; at += storedSegmentBytes) {
        segments.push(piece.subarray(at, at + storedSegmentBytes));
      }
      keep(piece.subarray(at));
      return segments;
    },
    rest: () => partial?.subarray(0, partialBytes) ?? Buffer.alloc(0),
  };
}
