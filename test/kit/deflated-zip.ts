// ZIP archives as other programs write them, and some that lie.
import { crc32, deflateRawSync } from 'node:zlib';

interface Entry {
  name: string;
  bytes: Buffer;
  /** Declared instead of the true size. */
  claims?: number;
}

/** A ZIP of deflated entries. `isShared`: all entries of the directory point at the first. */
export function zipOf(entries: Entry[], isShared = false): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, claims } of entries) {
    const data = deflateRawSync(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(crc32(bytes), 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(claims ?? bytes.length, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc32(bytes), 16);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(claims ?? bytes.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(isShared ? 0 : at, 42);
    locals.push(local, Buffer.from(name), data);
    directory.push(central, Buffer.from(name));
    at += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  const size = Buffer.concat(directory).length;
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
