// `@node-rs/crc32` in the executable file. Native code must be loaded from a file, so it is written to a temporary one.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { crc32 as crc32OfZlib } from 'node:zlib';

type Crc32 = (bytes: Uint8Array, before?: number) => number;

let loaded: Crc32 | null = null;

/** Loaded at the first call: most commands need no checksum. */
export const crc32: Crc32 = (bytes, before) => {
  loaded ??= load();
  return loaded(bytes, before);
};

function load(): Crc32 {
  const path = join(tmpdir(), `waybill-${randomUUID()}.node`);
  try {
    writeFileSync(path, new Uint8Array(getRawAsset('crc32.node') as ArrayBuffer), { flag: 'wx', mode: 0o700 });
    const module: { exports: { crc32?: Crc32 } } = { exports: {} };
    process.dlopen(module, path);
    return module.exports.crc32!;
  } catch {
    return crc32OfZlib; // slower; for systems that forbid executing temporary files
  } finally {
    rmSync(path, { force: true });
  }
}
