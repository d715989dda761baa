// Checks that a scanner finds malware and passes clean files, before its verdicts count.
import { crc32 } from 'node:zlib';
import { FileRefused, type Scanner, ScannerSilent, type ScanResult } from './scanner.ts';

/** The EICAR test file, in two parts so that scanners do not report this source. */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/** A ZIP with one encrypted file of 12 bytes, after 12 bytes of encryption header. */
export const encryptedZip = zipOf('secret.txt', Buffer.alloc(24, 0x5a), { isEncrypted: true });

export interface SelfTest {
  version: string;
  /** False: it passes encrypted archives as clean, as clamd does without AlertEncrypted. */
  reportsEncrypted: boolean;
}

/** Rejects with `ScannerSilent` if its verdicts cannot be trusted. */
export async function testScanner(scanner: Scanner): Promise<SelfTest> {
  const version = await scanner.version();
  const onClean = await scanBytes(scanner, 'clean.txt', Buffer.from('This file is clean.\n'));
  if (onClean.verdict !== 'clean')
    throw new ScannerSilent(
      `${scanner.place} reports a clean file as ${[onClean.verdict, onClean.reason].join(' ').trim()}`,
      'clean file',
    );
  const onEicar = await scanBytes(scanner, 'eicar.com', eicar);
  if (onEicar.verdict !== 'infected')
    throw new ScannerSilent(
      `${scanner.place} reports the EICAR test file as ${onEicar.verdict}; are its signatures loaded?`,
      'EICAR',
    );
  return { version, reportsEncrypted: await reports(scanner, 'encrypted.zip', encryptedZip) };
}

/** More than clamd can be set to unpack. */
const mostNested = 150;

/** False: it passes as clean what exceeds its limits, as clamd does without AlertExceedsMax. */
export function reportsExceededLimits(scanner: Scanner): Promise<boolean> {
  let nested: Buffer = Buffer.from('text');
  for (let depth = 0; depth < mostNested; depth += 1) nested = zipOf('a.zip', nested);
  return reports(scanner, 'nested.zip', nested);
}

/** Some refuse such a file with an error. */
async function reports(scanner: Scanner, fileName: string, bytes: Buffer): Promise<boolean> {
  try {
    return (await scanBytes(scanner, fileName, bytes)).verdict !== 'clean';
  } catch (error) {
    if (error instanceof FileRefused) return true;
    throw error;
  }
}

function scanBytes(scanner: Scanner, fileName: string, bytes: Buffer): Promise<ScanResult> {
  return scanner.scan({
    fileName,
    sizeBytes: bytes.length,
    async *read() {
      yield bytes;
    },
  });
}

function zipOf(fileName: string, data: Buffer, { isEncrypted = false } = {}): Buffer {
  const name = Buffer.from(fileName);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(isEncrypted ? 1 : 0, 6);
  local.writeUInt32LE(isEncrypted ? 0x12345678 : crc32(data), 14);
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(isEncrypted ? data.length - 12 : data.length, 22);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  central.writeUInt16LE(20, 6);
  local.copy(central, 8, 6, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + data.length, 16);
  return Buffer.concat([local, name, data, central, name, end]);
}
