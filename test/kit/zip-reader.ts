// Reads ZIPs of stored files, independent of our writer: end record, directory and local headers must agree.
import assert from 'node:assert/strict';

export interface ReadEntry {
  name: string;
  sizeBytes: number;
  crc32: number;
  /** `YYYY-MM-DD HH:MM:SS`, from the DOS field. */
  modified: string;
  dataOffset: number;
}

export type ReadAt = (offset: number, length: number) => Buffer;

export function readZip(sizeBytes: number, readAt: ReadAt): ReadEntry[] {
  const end = readEnd(sizeBytes, readAt);
  assert.equal(end.directoryOffset + end.directoryBytes, end.recordsOffset, 'the directory ends where the end begins');
  const directory = readAt(end.directoryOffset, end.directoryBytes);
  const entries: ReadEntry[] = [];
  let expectedOffset = 0;
  let at = 0;
  while (at < directory.length) {
    assert.equal(directory.toString('latin1', at, at + 4), 'PK\x01\x02');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const header = directory.subarray(at, at + 46 + nameBytes! + extraBytes! + commentBytes!);
    at += header.length;
    const name = header.subarray(46, 46 + nameBytes!);
    const large = zip64Values(header.subarray(46 + nameBytes!, 46 + nameBytes! + extraBytes!));
    const wide = (value: number) => (value === 0xffffffff ? large.shift()! : value);
    const sizeBytes = wide(header.readUInt32LE(24));
    assert.equal(wide(header.readUInt32LE(20)), sizeBytes, 'stored: as large packed as unpacked');
    const offset = wide(header.readUInt32LE(42));
    assert.equal(large.length, 0, 'no unknown value');
    assert.equal(offset, expectedOffset, 'no gap between the files');
    const dataOffset = offset + checkLocal(offset, readAt, { central: header, name, sizeBytes });
    entries.push({
      name: new TextDecoder('utf-8', { fatal: true }).decode(name),
      sizeBytes,
      crc32: header.readUInt32LE(16),
      modified: dosMoment(header.readUInt16LE(14), header.readUInt16LE(12)),
      dataOffset,
    });
    expectedOffset = dataOffset + sizeBytes;
  }
  assert.equal(entries.length, end.count);
  assert.equal(expectedOffset, end.directoryOffset);
  return entries;
}

/** Returns the length of the local header, which must match the directory. */
function checkLocal(
  offset: number,
  readAt: ReadAt,
  entry: { central: Buffer; name: Buffer; sizeBytes: number },
): number {
  const { central, name, sizeBytes } = entry;
  const fixed = readAt(offset, 30);
  assert.equal(fixed.toString('latin1', 0, 4), 'PK\x03\x04');
  const [nameBytes, extraBytes] = [fixed.readUInt16LE(26), fixed.readUInt16LE(28)];
  const header = readAt(offset, 30 + nameBytes + extraBytes);
  assert.equal(header.readUInt16LE(6), 0x0800, 'UTF-8 names, no data descriptor');
  assert.equal(header.readUInt16LE(8), 0, 'stored');
  assert.ok(header.subarray(10, 18).equals(central.subarray(12, 20)), 'time and CRC-32 agree');
  assert.ok(header.subarray(30, 30 + nameBytes).equals(name));
  assert.equal(central.readUInt16LE(8), header.readUInt16LE(6));
  assert.equal(central.readUInt16LE(10), 0);
  const large = zip64Values(header.subarray(30 + nameBytes));
  for (const field of [18, 22]) {
    const value = header.readUInt32LE(field);
    assert.equal(value === 0xffffffff ? large.shift() : value, sizeBytes);
    if (value === 0xffffffff) assert.ok(header.readUInt16LE(4) >= 45, 'says that it needs zip64');
  }
  return header.length;
}

interface End {
  count: number;
  directoryBytes: number;
  directoryOffset: number;
  recordsOffset: number;
}

function readEnd(sizeBytes: number, readAt: ReadAt): End {
  const end = readAt(sizeBytes - 22, 22);
  assert.equal(end.toString('latin1', 0, 4), 'PK\x05\x06', 'the end record is the end');
  const [count, directoryBytes, directoryOffset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const plain = { count, directoryBytes, directoryOffset, recordsOffset: sizeBytes - 22 };
  if (count !== 0xffff && directoryBytes !== 0xffffffff && directoryOffset !== 0xffffffff) return plain;
  const locator = readAt(sizeBytes - 42, 20);
  assert.equal(locator.toString('latin1', 0, 4), 'PK\x06\x07');
  const recordsOffset = Number(locator.readBigUInt64LE(8));
  assert.equal(recordsOffset, sizeBytes - 42 - 56);
  const large = readAt(recordsOffset, 56);
  assert.equal(large.toString('latin1', 0, 4), 'PK\x06\x06');
  const [wideCount, wideBytes, wideOffset] = [32, 40, 48].map((field) => Number(large.readBigUInt64LE(field)));
  return { count: wideCount!, directoryBytes: wideBytes!, directoryOffset: wideOffset!, recordsOffset };
}

/** The 64-bit values of the zip64 field, in order. */
function zip64Values(extra: Buffer): number[] {
  let at = 0;
  while (at < extra.length) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    if (id === 1) return Array.from({ length: length / 8 }, (_, i) => Number(extra.readBigUInt64LE(at + 4 + 8 * i)));
    at += 4 + length;
  }
  return [];
}

function dosMoment(date: number, time: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`;
  return `${day} ${two(time >> 11)}:${two((time >> 5) & 63)}:${two((time & 31) * 2)}`;
}

export function unpack(zip: Buffer): { name: string; bytes: Buffer; crc32: number }[] {
  const entries = readZip(zip.length, (offset, length) => zip.subarray(offset, offset + length));
  return entries.map(({ name, sizeBytes, crc32, dataOffset }) => ({
    name,
    bytes: zip.subarray(dataOffset, dataOffset + sizeBytes),
    crc32,
  }));
}
