// `@node-rs/crc32` for the one executable file: the same compiled code, kept as an asset and loaded from a file without a
// name, so that nothing is left on the disk, not even after a kill. Where that is not allowed, such as a place for
// temporary files from which nothing may run, zlib does the same at a seventh of the pace.
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { getRawAsset } from 'node:sea';
import { crc32 as slow } from 'node:zlib';

type Crc32 = (bytes: Uint8Array, before?: number) => number;

/** Of Linux, with the flag of folders: open a file that is in no folder. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

let chosen: Crc32 | null = null;

/** Loaded when it is first needed: most commands never do. */
export const crc32: Crc32 = (bytes, before) => {
  chosen ??= fast() ?? slow;
  return chosen(bytes, before);
};

function fast(): Crc32 | null {
  for (const folder of [tmpdir(), '/dev/shm']) {
    try {
      return loadFrom(folder);
    } catch {
      // the next place, or none
    }
  }
  return null;
}

function loadFrom(folder: string): Crc32 {
  const descriptor = openSync(folder, withoutName | constants.O_RDWR, 0o700);
  try {
    const code = new Uint8Array(getRawAsset('crc32.node') as ArrayBuffer);
    for (let written = 0; written < code.length; ) written += writeSync(descriptor, code, written);
    const module: { exports: { crc32?: Crc32 } } = { exports: {} };
    process.dlopen(module, `/proc/self/fd/${descriptor}`);
    return module.exports.crc32!;
  } finally {
    closeSync(descriptor);
  }
}
