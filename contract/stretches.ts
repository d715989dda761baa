// A body of literal bytes and files, in order, and any range of it, without
// holding it in memory.

/** Bytes as they are, or the whole of one file: its place in a list of the caller's. */
export type Stretch = { bytes: Buffer } | { file: number; sizeBytes: number };

/** The part of one stretch that lies in a range; positions within the stretch. */
export interface StretchCut {
  stretch: Stretch;
  start: number;
  end: number;
}

export function stretchSize(stretch: Stretch): number {
  return 'bytes' in stretch ? stretch.bytes.length : stretch.sizeBytes;
}

/** What a range consists of. Empty stretches inside it and at its borders come too, as empty cuts. */
export function* cutStretches(stretches: Stretch[], range: { start: number; end: number }): Generator<StretchCut> {
  let offset = 0;
  for (const stretch of stretches) {
    if (offset > range.end) return;
    const sizeBytes = stretchSize(stretch);
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, sizeBytes);
    if (start < end || (sizeBytes === 0 && start === end)) yield { stretch, start, end };
    offset += sizeBytes;
  }
}
