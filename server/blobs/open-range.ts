// Reads the segments of a range of plain bytes, decrypts them, and returns nothing whose tag does not verify.
import { BlobDamaged, type BlobStore, type ByteRange, type SealedBlob } from '#server/domain/ports.ts';
import {
  headerBytes,
  openHeader,
  openSegment,
  type SegmentKeys,
  type SegmentRange,
  segmentBytes,
  segmentsOf,
  tagBytes,
} from './format.ts';
import { releaseBytes } from './release.ts';
import { createSegmentCutter } from './segments.ts';

/**
 * The plain bytes of the range, in batches of the store. Rejects with `BlobDamaged` before a batch with a bad segment,
 * and when the blob ends before the range.
 */
export async function* openRange(store: BlobStore, blob: SealedBlob, range: ByteRange): AsyncGenerator<Buffer[]> {
  assertRange(range);
  const wanted = segmentsOf(range);
  const opener = createOpener(blob, range, wanted);
  const isFromStart = wanted.firstIndex === 0;
  if (!isFromStart) opener.openHeader(await readWhole(store.read(blob.key, { start: 0, end: headerBytes })));
  const start = isFromStart ? 0 : wanted.stored.start;
  let batch: Buffer[] = [];
  for await (const piece of store.read(blob.key, { start, end: wanted.stored.end })) {
    batch.push(...opener.add(piece));
    releaseBytes(piece);
    // The last bytes wait until the next segment verifies.
    if (batch.length === 0 || opener.isAtLast()) continue;
    yield batch;
    batch = [];
  }
  batch.push(...opener.finish());
  if (batch.length > 0) yield batch;
}

interface Opener {
  openHeader(header: Buffer): void;
  add(piece: Buffer): Buffer[];
  isAtLast(): boolean;
  finish(): Buffer[];
}

function createOpener(blob: SealedBlob, range: ByteRange, wanted: SegmentRange): Opener {
  const cutter = createSegmentCutter();
  let index = wanted.firstIndex;
  let keys: SegmentKeys | null = null;
  let headerSoFar: Buffer = Buffer.alloc(0);

  function openBlobHeader(header: Buffer): void {
    const opened = openHeader(header, blob.dataKey, blob.context);
    if (typeof opened === 'string') throw new BlobDamaged(blob.key, opened);
    keys = opened;
  }

  function open(stored: Buffer): Buffer {
    if (!keys) throw new BlobDamaged(blob.key, 'the header is cut');
    const plain = openSegment(keys, index, stored);
    if (!plain) throw new BlobDamaged(blob.key, `segment ${index} does not verify`);
    const startOfSegment = index * segmentBytes;
    index += 1;
    const from = Math.max(0, range.start - startOfSegment);
    return plain.subarray(from, Math.max(from, range.end - startOfSegment));
  }

  return {
    openHeader: openBlobHeader,
    add(piece) {
      let sealed = piece;
      if (!keys) {
        const missingBytes = headerBytes - headerSoFar.length;
        headerSoFar = Buffer.concat([headerSoFar, piece.subarray(0, missingBytes)]);
        if (headerSoFar.length < headerBytes) return [];
        openBlobHeader(headerSoFar);
        sealed = piece.subarray(missingBytes);
      }
      return cutter.cut(sealed).map(open).filter(isNotEmpty);
    },
    isAtLast: () => index === wanted.lastIndex,
    finish() {
      if (index > wanted.lastIndex) return [];
      const rest = cutter.rest();
      const endBytes = index * segmentBytes + rest.length - tagBytes;
      if (index < wanted.lastIndex || endBytes < range.end) {
        throw new BlobDamaged(blob.key, 'it is shorter than it should be');
      }
      return [open(rest)].filter(isNotEmpty);
    },
  };
}

function isNotEmpty(bytes: Buffer): boolean {
  return bytes.length > 0;
}

function assertRange(range: ByteRange): void {
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new RangeError('not a range of bytes');
  }
}

async function readWhole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
