// Checksums of received bytes: SHA-256 of these bytes, SHA-256 of the file they continue, CRC-32, and the first bytes
// for detecting the type.
import { crc32 } from '@node-rs/crc32';
import type { ReceivedBlob, RunningHash } from '#server/domain/ports.ts';
import type { PatientHash } from './hash-offload.ts';
import { continueHash, freezeHash } from './running-hash.ts';

const headBytes = 64 * 1024;

export interface Digests {
  /** The promise, if any, resolves when the next chunk may come. */
  add(piece: Buffer): Promise<void> | undefined;
  finish(): Promise<ReceivedBlob>;
  /** MUST be called at the end. */
  drop(): void;
}

export function createDigests(after: RunningHash | 'start' | undefined, beginHash: () => PatientHash): Digests {
  const chain = after === undefined ? null : continueHash(after);
  // At the start of a file both hashes are equal. Computed here, because the running hash stays in this thread.
  const isOneHash = after === 'start';
  const own = isOneHash ? null : beginHash();
  const head: Buffer[] = [];
  let headMissingBytes = headBytes;
  let sizeBytes = 0;
  let crc = 0;

  return {
    add(piece) {
      sizeBytes += piece.length;
      chain?.update(piece);
      crc = crc32(piece, crc);
      if (headMissingBytes > 0) {
        const part = Buffer.from(piece.subarray(0, headMissingBytes));
        headMissingBytes -= part.length;
        head.push(part);
      }
      return own?.add(piece);
    },
    async finish() {
      const running = chain && freezeHash(chain);
      const sha256 = own ? await own.finish() : (running?.digest() ?? '');
      return { sizeBytes, sha256, crc32: crc, head: Buffer.concat(head), running };
    },
    drop: () => own?.drop(),
  };
}
