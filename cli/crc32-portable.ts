// Replaces `@node-rs/crc32`, which has native code, in the file that the server offers (scripts/cli-file.config.ts).
import * as zlib from 'node:zlib';
import { crc32 as slow } from '../transfer/crc32.ts';

/** Node has it since 20.15. */
const fast = (zlib as { crc32?: (bytes: Uint8Array, before: number) => number }).crc32;

export function crc32(bytes: Uint8Array, before = 0): number {
  return fast === undefined ? slow(before, bytes) : fast(bytes, before);
}
