// A body made of literal bytes and of files, in order, and any range of it, without ever having it whole. Knows nothing
// of where the files lie.

/** Bytes as they are, or the whole of one file: its place in a list of the caller's. */
export type Segment = { bytes: Buffer } | { file: number; sizeBytes: number };

/** The part of one segment that lies in a range; positions within the segment. */
export interface SegmentCut {
  segment: Segment;
  start: number;
  end: number;
}

export function segmentSize(segment: Segment): number {
  return 'bytes' in segment ? segment.bytes.length : segment.sizeBytes;
}

/** What a range consists of. Empty segments inside it and at its borders come too, as empty cuts. */
export function* cutSegments(segments: Segment[], range: { start: number; end: number }): Generator<SegmentCut> {
  let offset = 0;
  for (const segment of segments) {
    if (offset > range.end) return;
    const sizeBytes = segmentSize(segment);
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, sizeBytes);
    if (start < end || (sizeBytes === 0 && start === end)) yield { segment, start, end };
    offset += sizeBytes;
  }
}
