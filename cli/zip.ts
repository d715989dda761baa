// Several files as one archive, without writing it anywhere: its headers are made here, its content is read from the files
// when a piece is sent. The same files give the same bytes, so an interrupted upload goes on. Nothing is compressed.
import { sep } from 'node:path';
import { crc32 } from '@node-rs/crc32';
import { distinctNames } from './file-names.ts';
import type { LocalFile } from './local-file.ts';

/** A stretch of the archive: bytes of ours, or a whole file. */
type Stretch = { start: number; length: number } & ({ bytes: Buffer } | { file: LocalFile });

interface Entry {
  file: LocalFile;
  name: Buffer;
  crc: number;
  offset: number;
  time: number;
  date: number;
}

const readBytes = 1024 * 1024;
/** From here on a number does not fit its 32 bits and goes into an extra field. */
const large = 0xffff_ffff;
const utf8Names = 0x0800;

/** `path`: where the files come from. */
export async function zipOf(
  { name, path }: Pick<LocalFile, 'name' | 'path'>,
  files: readonly LocalFile[],
): Promise<LocalFile> {
  const stretches: Stretch[] = [];
  let end = 0;
  const add = (stretch: { bytes: Buffer } | { file: LocalFile }) => {
    const length = 'bytes' in stretch ? stretch.bytes.length : stretch.file.sizeBytes;
    stretches.push({ ...stretch, start: end, length });
    end += length;
  };
  const entries: Entry[] = [];
  const distinct = distinctNames();
  for (const file of files) {
    // Whoever unpacks two entries of one name keeps the last.
    const inside = Buffer.from(distinct(file.name).replaceAll(sep, '/'));
    const entry = { file, name: inside, crc: await crcOf(file), offset: end, ...dosTime(file) };
    entries.push(entry);
    add({ bytes: localHeader(entry) });
    add({ file });
  }
  const directory = Buffer.concat(entries.map(directoryEntry));
  const start = end;
  add({ bytes: directory });
  add({ bytes: endRecords(entries.length, directory.length, start) });
  return {
    path,
    name,
    sizeBytes: end,
    modifiedAt: Math.max(...files.map(({ modifiedAt }) => modifiedAt ?? 0)),
    contentType: 'application/zip',
    read: (from, to) => readStretches(stretches, from, to),
    close: async () => void (await Promise.all(files.map((file) => file.close()))),
  };
}

async function readStretches(
  stretches: readonly Stretch[],
  from: number,
  to: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = new Uint8Array(to - from);
  for (const stretch of stretches) {
    const [start, end] = [Math.max(from, stretch.start), Math.min(to, stretch.start + stretch.length)];
    if (start >= end) continue;
    const [inFrom, inTo] = [start - stretch.start, end - stretch.start];
    const bytes = 'bytes' in stretch ? stretch.bytes.subarray(inFrom, inTo) : await stretch.file.read(inFrom, inTo);
    result.set(bytes, start - from);
  }
  return result;
}

async function crcOf(file: LocalFile): Promise<number> {
  let crc = 0;
  for (let start = 0; start < file.sizeBytes; start += readBytes)
    crc = crc32(await file.read(start, Math.min(file.sizeBytes, start + readBytes)), crc);
  return crc;
}

const [firstTime, lastTime] = [Date.UTC(1980, 0, 2), Date.UTC(2107, 11, 30)];

/** As ZIP writes moments: local, from 1980 to 2107, every two seconds. */
function dosTime({ modifiedAt }: LocalFile): { time: number; date: number } {
  const at = new Date(Math.min(Math.max(modifiedAt ?? 0, firstTime), lastTime));
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

function fitting(value: number): number {
  return Math.min(value, large);
}

/** The numbers that did not fit, in the order the format wants. */
function extraOf(values: number[]): Buffer {
  const big = values.filter((value) => value >= large);
  const extra = Buffer.alloc(big.length === 0 ? 0 : 4 + 8 * big.length);
  if (big.length === 0) return extra;
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * big.length, 2);
  big.forEach((value, index) => {
    extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  });
  return extra;
}

function localHeader({ file, name, crc, time, date }: Entry): Buffer {
  const extra = extraOf([file.sizeBytes, file.sizeBytes]);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(extra.length === 0 ? 20 : 45, 4);
  head.writeUInt16LE(utf8Names, 6);
  head.writeUInt16LE(time, 10);
  head.writeUInt16LE(date, 12);
  head.writeUInt32LE(crc, 14);
  head.writeUInt32LE(fitting(file.sizeBytes), 18);
  head.writeUInt32LE(fitting(file.sizeBytes), 22);
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, name, extra]);
}

function directoryEntry({ file, name, crc, offset, time, date }: Entry): Buffer {
  const extra = extraOf([file.sizeBytes, file.sizeBytes, offset]);
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(45, 4);
  head.writeUInt16LE(extra.length === 0 ? 20 : 45, 6);
  head.writeUInt16LE(utf8Names, 8);
  head.writeUInt16LE(time, 12);
  head.writeUInt16LE(date, 14);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(fitting(file.sizeBytes), 20);
  head.writeUInt32LE(fitting(file.sizeBytes), 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(fitting(offset), 42);
  return Buffer.concat([head, name, extra]);
}

function endRecords(count: number, length: number, start: number): Buffer {
  const isLarge = count >= 0xffff || length >= large || start >= large;
  const wide = Buffer.alloc(isLarge ? 76 : 0);
  if (isLarge) {
    wide.writeUInt32LE(0x06064b50, 0);
    wide.writeBigUInt64LE(44n, 4);
    wide.writeUInt16LE(45, 12);
    wide.writeUInt16LE(45, 14);
    wide.writeBigUInt64LE(BigInt(count), 24);
    wide.writeBigUInt64LE(BigInt(count), 32);
    wide.writeBigUInt64LE(BigInt(length), 40);
    wide.writeBigUInt64LE(BigInt(start), 48);
    wide.writeUInt32LE(0x07064b50, 56);
    wide.writeBigUInt64LE(BigInt(start + length), 64);
    wide.writeUInt32LE(1, 72);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(fitting(length), 12);
  end.writeUInt32LE(fitting(start), 16);
  return Buffer.concat([wide, end]);
}
