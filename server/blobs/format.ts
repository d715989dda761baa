// The format of an encrypted blob: a header that commits to the key and the place of the blob, then segments encrypted one
// by one with AES-256-GCM.
//
//   header   magic "WAYB" | version 1 | suite 1 | log2(segment) 16 | 0 | salt (24) | commitment (32)
//   segment  ciphertext of 64 KiB | tag (16); the last one is always shorter than full and may be empty, so the
//            length shows whether the end is missing
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { ByteRange } from '#server/domain/ports.ts';
import { releaseBytes } from './release.ts';

const segmentBits = 16;
export const segmentBytes = 1 << segmentBits;
export const tagBytes = 16;
export const storedSegmentBytes = segmentBytes + tagBytes;
export const saltBytes = 24;
const commitmentBytes = 32;
const keyBytes = 32;
const nonceBytes = 12;
const cipherName = 'aes-256-gcm';
const label = 'waybill blob';
// Magic, version, suite (AES-256-GCM with HKDF-SHA-256), size of a segment, reserved.
const preamble = Buffer.from([0x57, 0x41, 0x59, 0x42, 1, 1, segmentBits, 0]);
export const headerBytes = preamble.length + saltBytes + commitmentBytes;
/** The counter of a nonce has 32 bits: 256 TiB in one blob. */
const maxSegments = 2 ** 32;

/** The keys of the segments of one blob. The key object is created once, because that takes longer than a segment. */
export interface SegmentKeys {
  key: KeyObject;
  baseNonce: Buffer;
}

/** The header of a new blob and the keys of its segments. The salt MUST be fresh and random for every blob. */
export function createHeader(dataKey: Buffer, context: string, salt: Buffer): { header: Buffer; keys: SegmentKeys } {
  if (salt.length !== saltBytes) throw new TypeError(`a salt has ${saltBytes} bytes`);
  const { keys, commitment } = deriveKeys(dataKey, context, salt);
  return { header: Buffer.concat([preamble, salt, commitment]), keys };
}

/** The keys of the segments of a stored blob, or why this header does not belong to this key and place. */
export function openHeader(header: Buffer, dataKey: Buffer, context: string): SegmentKeys | string {
  if (header.length < headerBytes) return 'the header is cut';
  if (!header.subarray(0, preamble.length).equals(preamble)) return 'the header is unknown';
  const salt = header.subarray(preamble.length, preamble.length + saltBytes);
  const { keys, commitment } = deriveKeys(dataKey, context, salt);
  const stored = header.subarray(preamble.length + saltBytes, headerBytes);
  return timingSafeEqual(stored, commitment) ? keys : 'the header fits another key or another place';
}

/** The base with the number of the segment XORed into its last four bytes. */
export function nonceOf(keys: SegmentKeys, index: number): Buffer {
  if (!Number.isInteger(index) || index < 0 || index >= maxSegments)
    throw new RangeError('too many segments in one blob');
  const nonce = Buffer.from(keys.baseNonce);
  const at = nonceBytes - 4;
  nonce.writeUInt32BE((nonce.readUInt32BE(at) ^ index) >>> 0, at);
  return nonce;
}

export interface Sealer {
  /**
   * Encrypts from the front of `plain` at most to the end of the current segment. The target needs space for
   * `storedSegmentBytes`. Returns how many plain bytes it read and how many stored bytes it wrote.
   */
  add(plain: Buffer, target: Buffer, targetStart: number): { taken: number; made: number };
  /** Ends the last segment, which is shorter than full; returns how many bytes it wrote (a tag). */
  finish(target: Buffer, targetStart: number): number;
}

export function createSealer(keys: SegmentKeys): Sealer {
  let index = 0;
  let filledBytes = 0;
  let cipher = newCipher(keys, index);

  function closeSegment(target: Buffer, at: number): number {
    const rest = cipher.final();
    if (rest.length !== 0) throw new Error('the cipher kept bytes back');
    return cipher.getAuthTag().copy(target, at);
  }

  return {
    add(plain, target, targetStart) {
      const taken = Math.min(plain.length, segmentBytes - filledBytes);
      const sealed = cipher.update(taken === plain.length ? plain : plain.subarray(0, taken));
      let at = targetStart + sealed.copy(target, targetStart);
      releaseBytes(sealed);
      filledBytes += taken;
      if (filledBytes === segmentBytes) {
        at += closeSegment(target, at);
        index += 1;
        filledBytes = 0;
        cipher = newCipher(keys, index);
      }
      return { taken, made: at - targetStart };
    },
    finish: closeSegment,
  };
}

/** The plain bytes of a whole stored segment, or null if its tag does not verify. */
export function openSegment(keys: SegmentKeys, index: number, stored: Buffer): Buffer | null {
  const plainBytes = stored.length - tagBytes;
  if (plainBytes < 0 || plainBytes > segmentBytes) return null;
  const decipher = createDecipheriv(cipherName, keys.key, nonceOf(keys, index), { authTagLength: tagBytes });
  decipher.setAuthTag(stored.subarray(plainBytes));
  const plain = decipher.update(stored.subarray(0, plainBytes));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return plain;
}

export function storedSize(plainBytes: number): number {
  return headerBytes + plainBytes + (Math.floor(plainBytes / segmentBytes) + 1) * tagBytes;
}

/** Null when no whole blob has this length. */
export function plainSize(storedBytes: number): number | null {
  const sealedBytes = storedBytes - headerBytes;
  const lastBytes = sealedBytes % storedSegmentBytes;
  if (sealedBytes < 0 || lastBytes < tagBytes) return null;
  return Math.floor(sealedBytes / storedSegmentBytes) * segmentBytes + lastBytes - tagBytes;
}

/** The segments of a plain range, and their place in the store. */
export interface SegmentRange {
  firstIndex: number;
  lastIndex: number;
  stored: ByteRange;
}

/**
 * The last segment has the byte after the range, or the end of the blob: if a range ends at a border, the next segment
 * must verify as well. So the end of a blob is never returned without proof, and nothing can be appended unnoticed.
 */
export function segmentsOf(range: ByteRange): SegmentRange {
  const firstIndex = Math.floor(range.start / segmentBytes);
  const lastIndex = Math.floor(range.end / segmentBytes);
  return {
    firstIndex,
    lastIndex,
    stored: {
      start: headerBytes + firstIndex * storedSegmentBytes,
      end: headerBytes + (lastIndex + 1) * storedSegmentBytes,
    },
  };
}

function newCipher(keys: SegmentKeys, index: number) {
  return createCipheriv(cipherName, keys.key, nonceOf(keys, index), { authTagLength: tagBytes });
}

/** HKDF-Expand(dataKey, label | preamble | salt | context): only the last part, the context, varies in length. */
function deriveKeys(dataKey: Buffer, context: string, salt: Buffer): { keys: SegmentKeys; commitment: Buffer } {
  if (dataKey.length !== keyBytes) throw new TypeError(`a data key has ${keyBytes} bytes`);
  const info = Buffer.concat([Buffer.from(label), preamble, salt, Buffer.from(context)]);
  const material = hkdfExpand(createSecretKey(dataKey), info, keyBytes + nonceBytes + commitmentBytes);
  return {
    keys: {
      key: createSecretKey(material.subarray(0, keyBytes)),
      baseNonce: Buffer.from(material.subarray(keyBytes, keyBytes + nonceBytes)),
    },
    commitment: material.subarray(keyBytes + nonceBytes),
  };
}

/** RFC 5869, second step. The data key is uniformly random, so extracting is not needed. */
function hkdfExpand(key: KeyObject, info: Buffer, lengthBytes: number): Buffer {
  const blocks: Buffer[] = [];
  let block: Buffer = Buffer.alloc(0);
  for (let made = 0, n = 1; made < lengthBytes; made += block.length, n += 1) {
    block = createHmac('sha256', key)
      .update(block)
      .update(info)
      .update(Buffer.from([n]))
      .digest();
    blocks.push(block);
  }
  return Buffer.concat(blocks).subarray(0, lengthBytes);
}
