// CRC-32 by zlib, at the pace of the processor. zlib looks for the instruction for it only when something is compressed,
// and does without until then: 0.39 instead of 0.09 ns for each byte, a fifth of the client's work for a large file.
import { deflateRawSync, crc32 as zlibCrc32 } from 'node:zlib';

deflateRawSync(new Uint8Array(0));

export function crc32(bytes: Uint8Array, before = 0): number {
  return zlibCrc32(bytes, before);
}
