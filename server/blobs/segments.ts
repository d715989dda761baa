// Cuts chunks of any size into stored segments. A segment inside one chunk is a view; one across chunks is copied into
// one of two alternating buffers.
import { storedSegmentBytes } from './format.ts';

export interface SegmentCutter {
  /** The segments that this chunk completes. They are valid until the next one is cut. */
  cut(piece: Buffer): Buffer[];
  /** The remaining bytes: shorter than a segment, may be empty. */
  rest(): Buffer;
}

export function createSegmentCutter(): SegmentCutter {
  /** The first is being filled, the second may be in use. */
  const borders: Buffer[] = [];
  let partialBytes = 0;

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    borders[0] ??= Buffer.allocUnsafeSlow(storedSegmentBytes);
    partialBytes += bytes.copy(borders[0], partialBytes);
  }

  function takeBorder(): Buffer {
    const full = borders[0]!;
    borders[0] = borders[1] ?? Buffer.allocUnsafeSlow(storedSegmentBytes);
    borders[1] = full;
    partialBytes = 0;
    return full;
  }

  return {
    cut(piece) {
      const segments: Buffer[] = [];
      let at = 0;
      if (partialBytes > 0) {
        at = Math.min(piece.length, storedSegmentBytes - partialBytes);
        keep(piece.subarray(0, at));
        if (partialBytes === storedSegmentBytes) segments.push(takeBorder());
      }
      for (; piece.length - at >= storedSegmentBytes; at += storedSegmentBytes) {
        segments.push(piece.subarray(at, at + storedSegmentBytes));
      }
      keep(piece.subarray(at));
      return segments;
    },
    rest: () => borders[0]?.subarray(0, partialBytes) ?? Buffer.alloc(0),
  };
}
