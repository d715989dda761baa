// The central directory of a ZIP, from bounded reads.

/** Reads a range that lies in the file. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

export interface ZipEntry {
  name: string;
  /** 0 stored, 8 deflated. */
  method: number;
  isEncrypted: boolean;
  compressedBytes: number;
  /** As declared. */
  sizeBytes: number;
  headerAt: number;
}

export interface ZipDirectory {
  entries: ZipEntry[];
  /** False if more was declared than is read. */
  isComplete: boolean;
}

const tailBytes = 66 * 1024;
const directoryBytes = 1024 * 1024;
const signatures = {
  end: Buffer.from('PK\x05\x06', 'latin1'),
  locator64: Buffer.from('PK\x06\x07', 'latin1'),
  end64: Buffer.from('PK\x06\x06', 'latin1'),
  entry: Buffer.from('PK\x01\x02', 'latin1'),
};

/** Null if there is none. */
export async function readZipDirectory(sizeBytes: number, read: ReadRange): Promise<ZipDirectory | null> {
  const tailStart = Math.max(0, sizeBytes - tailBytes);
  const tail = await read(tailStart, sizeBytes);
  const end = tail.lastIndexOf(signatures.end);
  if (end === -1 || end + 22 > tail.length) return null;
  const declared = (await readEnd64(tail, end, sizeBytes, read)) ?? {
    bytes: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
    endsAt: tailStart + end,
  };
  // Bytes before the archive, such as a program that unpacks it, shift all offsets.
  const shift = Math.max(0, declared.endsAt - declared.bytes - declared.start);
  const start = declared.start + shift;
  if (start >= sizeBytes) return { entries: [], isComplete: false };
  const directory = await read(start, Math.min(sizeBytes, start + Math.min(declared.bytes, directoryBytes)));
  return { entries: entriesIn(directory, shift), isComplete: declared.bytes <= directoryBytes };
}

async function readEnd64(tail: Buffer, end: number, sizeBytes: number, read: ReadRange) {
  const locator = end - 20;
  if (locator < 0 || !tail.subarray(locator, locator + 4).equals(signatures.locator64)) return null;
  const at = Number(tail.readBigUInt64LE(locator + 8));
  if (at + 56 > sizeBytes) return null;
  const record = await read(at, at + 56);
  if (!record.subarray(0, 4).equals(signatures.end64)) return null;
  return { bytes: Number(record.readBigUInt64LE(40)), start: Number(record.readBigUInt64LE(48)), endsAt: at };
}

function entriesIn(directory: Buffer, shift: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length; ) {
    if (!directory.subarray(at, at + 4).equals(signatures.entry)) break;
    const [nameBytes, extraBytes] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)];
    const wide = readExtra64(directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes));
    const number = (offset: number) => {
      const value = directory.readUInt32LE(at + offset);
      return value === 0xffffffff ? (wide.shift() ?? value) : value;
    };
    const sizeBytes = number(24);
    const compressedBytes = number(20);
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameBytes),
      method: directory.readUInt16LE(at + 10),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      sizeBytes,
      compressedBytes,
      headerAt: number(42) + shift,
    });
    at += 46 + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The 64-bit numbers, in the order of the fields that they replace. */
function readExtra64(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const data = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    return Array.from({ length: Math.floor(data.length / 8) }, (_, index) => Number(data.readBigUInt64LE(index * 8)));
  }
  return [];
}
