// Random ids and bytes. An id has 131 bits.
import { createHash, randomBytes, randomFillSync } from 'node:crypto';

/** Fits the `Random` port. */
export interface RandomSource {
  bytes(length: number): Buffer;
  id(length?: number): string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 22;
/** The largest multiple of 62 below 256: larger bytes would favour the first letters. */
const FIRST_BIASED_BYTE = 248;

/** For ids and nonces; keys come from the system individually. */
const MAX_POOLED_BYTES = 24;
const POOL_BYTES = 4096;

/** A pool makes ids ten times faster. Returned bytes are erased from it. */
export function createRandom(): RandomSource {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  let at = pool.length;
  return withIds((length) => {
    if (length > MAX_POOLED_BYTES) return randomBytes(length);
    if (at + length > pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const taken = Buffer.from(pool.subarray(at, at + length));
    pool.fill(0, at, at + length);
    at += length;
    return taken;
  });
}

/** Tests only: the seed reveals every id. */
export function seededRandom(seed: string | number): RandomSource {
  let pool = Buffer.alloc(0);
  let block = 0;
  return withIds((length) => {
    while (pool.length < length) {
      pool = Buffer.concat([pool, createHash('sha256').update(`${seed}/${block}`).digest()]);
      block += 1;
    }
    const taken = Buffer.from(pool.subarray(0, length));
    pool = pool.subarray(length);
    return taken;
  });
}

/** Old clients demand this exact shape of ids and API keys. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9]{22}$/.test(text);
}

function withIds(bytes: (length: number) => Buffer): RandomSource {
  return {
    bytes,
    id(length = ID_LENGTH) {
      let id = '';
      while (id.length < length) {
        for (const byte of bytes(length - id.length)) {
          if (byte < FIRST_BIASED_BYTE) id += ALPHABET[byte % ALPHABET.length];
        }
      }
      return id;
    },
  };
}
