// Content for uploads, and its checksums, computed independently of the service.
import { createCipheriv, createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Deterministic bytes; each seed gives others. */
export function someBytes(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  // A cipher makes a gigabyte per second; a loop takes longer than the upload.
  const key = Buffer.alloc(16);
  key.writeUInt32BE(seed);
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return new Uint8Array(stream.update(Buffer.alloc(size)));
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function crc32Of(bytes: Uint8Array | string): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}

/** The bytes cut into this many chunks of different sizes. */
export function cutInto(bytes: Uint8Array<ArrayBuffer>, count: number): Uint8Array<ArrayBuffer>[] {
  const border = (index: number) => Math.floor((bytes.length * index * (index + 1)) / (count * (count + 1)));
  return Array.from({ length: count }, (_, index) => bytes.slice(border(index), border(index + 1)));
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

/** Minimal valid files of well-known types. */
export const samples = {
  png: bytesOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\0IEND\xaeB`\x82'),
  pdf: bytesOf('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n'),
  txt: bytesOf('A letter with only words in it.\nAnd a second line.\n'),
  zip: bytesOf(`PK\x03\x04\x14\0\0\0\0\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.txtPK\x05\x06${'\0'.repeat(18)}`),
};
