// What a file contains, for the content rules of a group: from bounded reads, so an archive that unpacks to terabytes
// costs no more than any other file.
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { extensionOf } from '../file-name.ts';
import { hasCompoundMacros } from './compound-file.ts';
import { isEncrypted } from './encryption.ts';
import { type ReadRange, readZipDirectory, type ZipEntry } from './zip-directory.ts';

export interface Content {
  isEncrypted: boolean;
  hasMacros: boolean;
  /** 0 for no archive, 1 for an archive of files, 2 for one with an archive in it. */
  archiveDepth: number;
  /** It unpacks to far more than it should. */
  isBomb: boolean;
  /** It has archives that are too large to be examined. */
  isPartial: boolean;
}

const nothing: Content = { isEncrypted: false, hasMacros: false, archiveDepth: 0, isBomb: false, isPartial: false };

/** For all inner files of one file together. */
const unpackedBytes = 8 * 1024 * 1024;
const mostInnerFiles = 64;
const deepest = 32;
const bombBytes = 1024 ** 3;
const bombRatio = 200;

const archiveNames = /^(zip|7z|rar|tar|gz|tgz|bz2|tbz2|xz|txz|zst|jar|war|apk|cab|arj|lzh|iso|z)$/;
const officeNames = /^(doc|dot|xls|xlt|xla|ppt|pot|pps)[xmb]?$|^xlsb$|^od[tspg]$|^vs[dst]m?$/;
const packed = [
  Buffer.from('377abcaf271c', 'hex'), // 7-Zip
  Buffer.from('526172211a07', 'hex'), // RAR
  Buffer.from('1f8b', 'hex'), // gzip
  Buffer.from('425a68', 'hex'), // bzip2
  Buffer.from('fd377a585a00', 'hex'), // xz
  Buffer.from('28b52ffd', 'hex'), // Zstandard
];
const zipStarts = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const compoundStart = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const tarAt = 257;

interface Budget {
  bytes: number;
  files: number;
}

export async function inspectContent(fileName: string, sizeBytes: number, read: ReadRange): Promise<Content> {
  return inspect({ fileName, sizeBytes, read }, 1, { bytes: unpackedBytes, files: mostInnerFiles });
}

interface Examined {
  fileName: string;
  sizeBytes: number;
  read: ReadRange;
}

async function inspect(file: Examined, level: number, budget: Budget): Promise<Content> {
  const { sizeBytes, read } = file;
  const head = await read(0, Math.min(sizeBytes, 512));
  const begins = (start: Buffer) => head.subarray(0, start.length).equals(start);
  if (begins(compoundStart))
    return {
      ...nothing,
      isEncrypted: await isEncrypted(sizeBytes, read),
      hasMacros: await hasCompoundMacros(sizeBytes, read),
    };
  const isZip =
    zipStarts.some(begins) || (head.subarray(0, 2).toString('latin1') === 'MZ' && (await hasDirectory(file)));
  if (isZip) return inspectZip(file, level, budget);
  const isPacked = packed.some(begins) || head.subarray(tarAt, tarAt + 5).toString('latin1') === 'ustar';
  return isPacked ? { ...nothing, archiveDepth: 1, isEncrypted: await isEncrypted(sizeBytes, read) } : nothing;
}

async function hasDirectory({ sizeBytes, read }: Examined): Promise<boolean> {
  return ((await readZipDirectory(sizeBytes, read))?.entries.length ?? 0) > 0;
}

async function inspectZip(file: Examined, level: number, budget: Budget): Promise<Content> {
  const directory = await readZipDirectory(file.sizeBytes, file.read);
  if (directory === null) return { ...nothing, archiveDepth: 1, isPartial: true };
  const { entries } = directory;
  const isDocument = entries.some(({ name }) => name === '[Content_Types].xml' || name === 'META-INF/manifest.xml');
  const found: Content = {
    isEncrypted: entries.some((entry) => entry.isEncrypted),
    hasMacros: isDocument && entries.some(({ name }) => isMacro(name)),
    archiveDepth: isDocument ? 0 : 1,
    isBomb: isBomb(entries),
    isPartial: !directory.isComplete,
  };
  if (isDocument || found.isBomb) return found;
  for (const entry of entries) await addInner(found, { file, entry, level, budget });
  return found;
}

function isMacro(name: string): boolean {
  return /(^|\/)vbaProject\.bin$|^xl\/macrosheets\/|^Basic\/.|^Scripts\/./i.test(name);
}

/** Entries that share their bytes unpack to more than the file could hold. */
function isBomb(entries: ZipEntry[]): boolean {
  const unpacked = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const compressed = entries.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
  const isShared = new Set(entries.map(({ headerAt }) => headerAt)).size < entries.length;
  return isShared || (unpacked > bombBytes && unpacked > compressed * bombRatio);
}

interface Inner {
  file: Examined;
  entry: ZipEntry;
  level: number;
  budget: Budget;
}

async function addInner(found: Content, { file, entry, level, budget }: Inner): Promise<void> {
  const extension = extensionOf(entry.name);
  const isArchive = archiveNames.test(extension);
  if (!isArchive && !officeNames.test(extension)) return;
  if (isArchive) found.archiveDepth = Math.max(found.archiveDepth, 2);
  if (entry.isEncrypted || entry.sizeBytes === 0) return;
  const read = level < deepest ? await unpack(file, entry, budget) : null;
  if (read === null) {
    found.isPartial = true;
    return;
  }
  const inner = await inspect({ fileName: entry.name, sizeBytes: read.sizeBytes, read: read.read }, level + 1, budget);
  found.isEncrypted ||= inner.isEncrypted;
  found.hasMacros ||= inner.hasMacros;
  found.isBomb ||= inner.isBomb;
  found.isPartial ||= inner.isPartial;
  if (isArchive) found.archiveDepth = Math.max(found.archiveDepth, inner.archiveDepth + 1);
}

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Null if it is too large to be examined, or damaged. */
async function unpack(file: Examined, entry: ZipEntry, budget: Budget) {
  const { headerAt, compressedBytes, method } = entry;
  budget.files -= 1;
  if (budget.files < 0 || headerAt + 30 > file.sizeBytes) return null;
  const header = await file.read(headerAt, headerAt + 30);
  const start = headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = start + compressedBytes;
  if (end > file.sizeBytes) return null;
  if (method === 0)
    return { sizeBytes: compressedBytes, read: (from: number, to: number) => file.read(start + from, start + to) };
  if (method !== 8 || compressedBytes > budget.bytes || budget.bytes <= 0) return null;
  try {
    const bytes = await inflate(await file.read(start, end), { maxOutputLength: budget.bytes });
    budget.bytes -= bytes.length;
    return { sizeBytes: bytes.length, read: async (from: number, to: number) => bytes.subarray(from, to) };
  } catch {
    budget.bytes = 0;
    return null;
  }
}
