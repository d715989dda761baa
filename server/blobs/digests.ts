// The checksums of what is received: SHA-256 of these bytes, SHA-256 of the chain they continue, CRC-32, and the
// first bytes for the detection of the type.
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from '@node-rs/crc32';
import type { ReceivedBlob, RunningHash } from '#server/domain/ports.ts';
import { continueHash, freezeHash } from './running-hash.ts';

const headBytes = 64 * 1024;

export interface Digests {
  add(piece: Buffer): void;
  finish(): ReceivedBlob;
}

export function createDigests(after: RunningHash | 'start' | undefined): Digests {
  const chain = after === undefined ? null : continueHash(after);
  // At the beginning of a chain both hashes are the same: computed once.
  const own: Hash = chain && after === 'start' ? chain : createHash('sha256');
  const head: Buffer[] = [];
  let headMissingBytes = headBytes;
  let sizeBytes = 0;
  let crc = 0;

  return {
    add(piece) {
      sizeBytes += piece.length;
      own.update(piece);
      if (chain && chain !== own) chain.update(piece);
      crc = crc32(piece, crc);
      if (headMissingBytes > 0) {
        const part = Buffer.from(piece.subarray(0, headMissingBytes));
        headMissingBytes -= part.length;
        head.push(part);
      }
    },
    finish() {
      const running = chain ? freezeHash(chain) : null;
      return { sizeBytes, sha256: own.digest('hex'), crc32: crc, head: Buffer.concat(head), running };
    },
  };
}
