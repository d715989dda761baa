// Detects encrypted archives and Office documents from bounded reads, because scanners may pass them as clean.

import { type ReadRange, readZipDirectory } from './zip-directory.ts';

const headBytes = 64 * 1024;
const sevenZipHeaderBytes = 64 * 1024;

const signatures = {
  zip: Buffer.from('PK\x03\x04', 'latin1'),
  sevenZip: Buffer.from('377abcaf271c', 'hex'),
  rar4: Buffer.from('526172211a0700', 'hex'),
  rar5: Buffer.from('526172211a070100', 'hex'),
  office: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
};
/** The id of the AES coder of 7-Zip. */
const sevenZipAes = Buffer.from('06f10701', 'hex');
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le');

export async function isEncrypted(sizeBytes: number, read: ReadRange): Promise<boolean> {
  const head = await read(0, Math.min(sizeBytes, headBytes));
  const begins = (signature: Buffer) => head.subarray(0, signature.length).equals(signature);
  if (begins(signatures.zip)) return isZipEncrypted(head, sizeBytes, read);
  if (begins(signatures.sevenZip)) return isSevenZipEncrypted(head, sizeBytes, read);
  if (begins(signatures.rar5)) return isRar5Encrypted(head);
  if (begins(signatures.rar4)) return isRar4Encrypted(head);
  return begins(signatures.office) && head.includes(encryptedPackage);
}

async function isZipEncrypted(head: Buffer, sizeBytes: number, read: ReadRange): Promise<boolean> {
  if (head.length >= 8 && (head.readUInt16LE(6) & 1) === 1) return true;
  return (await readZipDirectory(sizeBytes, read))?.entries.some((entry) => entry.isEncrypted) ?? false;
}

async function isSevenZipEncrypted(head: Buffer, sizeBytes: number, read: ReadRange): Promise<boolean> {
  if (head.length < 32) return false;
  const start = 32 + Number(head.readBigUInt64LE(12));
  if (start >= sizeBytes) return false;
  const header = await read(start, Math.min(sizeBytes, start + sevenZipHeaderBytes));
  return header.includes(sevenZipAes);
}

/** The first block is the encryption header if names are encrypted; otherwise a file has an encryption record. */
function isRar5Encrypted(head: Buffer): boolean {
  let at = 8;
  for (let block = 0; block < 16 && at + 7 < head.length; block += 1) {
    at += 4; // its checksum
    const [size, afterSize] = readVint(head, at);
    const [type, afterType] = readVint(head, afterSize);
    if (type === 4) return true;
    if (type === 2) return isRar5FileEncrypted(head.subarray(afterType, afterSize + size));
    const [flags, afterFlags] = readVint(head, afterType);
    const [extra, afterExtra] = (flags & 1) === 0 ? [0, afterFlags] : readVint(head, afterFlags);
    const [data] = (flags & 2) === 0 ? [0] : readVint(head, extra === 0 ? afterFlags : afterExtra);
    at = afterSize + size + data;
  }
  return false;
}

function isRar5FileEncrypted(header: Buffer): boolean {
  const [flags, afterFlags] = readVint(header, 0);
  if ((flags & 1) === 0) return false;
  const [extraSize] = readVint(header, afterFlags);
  const extra = header.subarray(Math.max(0, header.length - extraSize));
  const [, afterSize] = readVint(extra, 0);
  return readVint(extra, afterSize)[0] === 1;
}

function isRar4Encrypted(head: Buffer): boolean {
  if (head.length < 27) return false;
  if ((head.readUInt16LE(10) & 0x80) !== 0) return true;
  const file = 7 + head.readUInt16LE(12);
  return file + 5 <= head.length && head[file + 2] === 0x74 && (head.readUInt16LE(file + 3) & 4) !== 0;
}

function readVint(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 6; index += 1) {
    const byte = bytes[start + index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return [value, start + index + 1];
  }
  return [value, start + 6];
}
