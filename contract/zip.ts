// The layout of a ZIP archive of uncompressed files. Sizes and CRC-32s are known in advance, so the length is exact, there
// are no data descriptors, and any range can be produced. Writes headers only and reads no file.
import { type Stretch, stretchSize } from './stretches.ts';

export interface ZipEntry {
  /** With `/` between folders; unique in the archive. */
  name: string;
  sizeBytes: number;
  crc32: number;
  /** Instant; moved into the years that the format supports. */
  modifiedAt: number;
}

export interface ZipLayout {
  sizeBytes: number;
  /** Files have the index of their entry. */
  stretches: Stretch[];
}

/** In a field of 32 or 16 bits, these values refer to the zip64 fields. */
const max32 = 0xffffffff;
const max16 = 0xffff;
const versionPlain = 20;
const versionZip64 = 45;
const madeOnUnix = 3 << 8;
/** A regular file with mode 0644. */
const fileAttributes = 0o100644 * 0x10000;
const namesAreUtf8 = 0x0800;

export function layOutZip(entries: ZipEntry[]): ZipLayout {
  const stretches: Stretch[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [index, entry] of entries.entries()) {
    const name = Buffer.from(entry.name);
    const header = localHeader(entry, name);
    directory.push(directoryHeader(entry, name, offset));
    stretches.push({ bytes: header }, { file: index, sizeBytes: entry.sizeBytes });
    offset += header.length + entry.sizeBytes;
  }
  const central = Buffer.concat(directory);
  stretches.push({ bytes: Buffer.concat([central, ...endRecords(entries.length, central.length, offset)]) });
  return { sizeBytes: stretches.reduce((sum, stretch) => sum + stretchSize(stretch), 0), stretches };
}

function localHeader(entry: ZipEntry, name: Buffer): Buffer {
  const isLarge = entry.sizeBytes >= max32;
  const extra = Buffer.concat([
    ...(isLarge ? [zip64Field([entry.sizeBytes, entry.sizeBytes])] : []),
    ...timeField(entry.modifiedAt),
  ]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeShared(header, 4, entry, { isZip64: isLarge, nameBytes: name.length, extraBytes: extra.length });
  return Buffer.concat([header, name, extra]);
}

function directoryHeader(entry: ZipEntry, name: Buffer, offset: number): Buffer {
  const isLarge = entry.sizeBytes >= max32;
  const isFar = offset >= max32;
  const large = [...(isLarge ? [entry.sizeBytes, entry.sizeBytes] : []), ...(isFar ? [offset] : [])];
  const extra = Buffer.concat([...(large.length > 0 ? [zip64Field(large)] : []), ...timeField(entry.modifiedAt)]);
  const isZip64 = isLarge || isFar;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(madeOnUnix | (isZip64 ? versionZip64 : versionPlain), 4);
  writeShared(header, 6, entry, { isZip64, nameBytes: name.length, extraBytes: extra.length });
  header.writeUInt32LE(fileAttributes, 38);
  header.writeUInt32LE(isFar ? max32 : offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** The fields that local headers and directory headers share. */
function writeShared(
  header: Buffer,
  at: number,
  entry: ZipEntry,
  facts: { isZip64: boolean; nameBytes: number; extraBytes: number },
): void {
  const { time, date } = dosTime(entry.modifiedAt);
  const size = Math.min(entry.sizeBytes, max32);
  header.writeUInt16LE(facts.isZip64 ? versionZip64 : versionPlain, at);
  header.writeUInt16LE(namesAreUtf8, at + 2);
  header.writeUInt16LE(time, at + 6);
  header.writeUInt16LE(date, at + 8);
  header.writeUInt32LE(entry.crc32 >>> 0, at + 10);
  header.writeUInt32LE(size, at + 14);
  header.writeUInt32LE(size, at + 18);
  header.writeUInt16LE(facts.nameBytes, at + 22);
  header.writeUInt16LE(facts.extraBytes, at + 24);
}

function zip64Field(values: number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return field;
}

/** The instant in seconds (Info-ZIP's "UT" field), where it fits 31 bits. */
function timeField(modifiedAt: number): Buffer[] {
  const seconds = Math.floor(modifiedAt / 1000);
  if (seconds < 0 || seconds > 0x7fffffff) return [];
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(seconds, 5);
  return [field];
}

/** In steps of two seconds, from 1980 to 2107, in UTC. */
function dosTime(modifiedAt: number): { time: number; date: number } {
  const clamped = Math.min(Math.max(modifiedAt, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31, 23, 59, 58));
  const at = new Date(clamped);
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

function endRecords(count: number, directoryBytes: number, directoryOffset: number): Buffer[] {
  const isZip64 = count >= max16 || directoryBytes >= max32 || directoryOffset >= max32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, max16), 8);
  end.writeUInt16LE(Math.min(count, max16), 10);
  end.writeUInt32LE(Math.min(directoryBytes, max32), 12);
  end.writeUInt32LE(Math.min(directoryOffset, max32), 16);
  if (!isZip64) return [end];
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(madeOnUnix | versionZip64, 12);
  large.writeUInt16LE(versionZip64, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(directoryBytes), 40);
  large.writeBigUInt64LE(BigInt(directoryOffset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 8);
  locator.writeUInt32LE(1, 16);
  return [large, locator, end];
}
