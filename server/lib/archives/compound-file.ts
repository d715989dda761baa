// Finds macros in Office documents of the old form (compound files), from bounded reads of their directory.
import type { ReadRange } from './zip-directory.ts';

const mostSectors = 256;
const entryBytes = 128;
const macroNames = new Set(['vba', '_vba_project', '_vba_project_cur', 'macros']);

export async function hasCompoundMacros(sizeBytes: number, read: ReadRange): Promise<boolean> {
  if (sizeBytes < 512) return false;
  const header = await read(0, 512);
  const shift = header.readUInt16LE(30);
  if (shift < 7 || shift > 12) return false;
  const sectorBytes = 2 ** shift;
  const sectorAt = (sector: number) => (sector + 1) * sectorBytes;
  const readSector = async (sector: number) => {
    const start = sectorAt(sector);
    return start < sizeBytes ? read(start, Math.min(sizeBytes, start + sectorBytes)) : Buffer.alloc(0);
  };
  const perTable = sectorBytes / 4;
  /** The header names the first 109 sectors of the table; without a table entry, sectors follow each other. */
  const nextOf = async (sector: number) => {
    const index = Math.floor(sector / perTable);
    if (index >= 109) return sector + 1;
    const table = await readSector(header.readUInt32LE(76 + index * 4));
    const at = (sector % perTable) * 4;
    return at + 4 <= table.length ? table.readUInt32LE(at) : sector + 1;
  };
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < mostSectors && sectorAt(sector) < sizeBytes; count += 1) {
    if (namesIn(await readSector(sector)).some((name) => macroNames.has(name))) return true;
    sector = await nextOf(sector);
  }
  return false;
}

function namesIn(directory: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const length = directory.readUInt16LE(at + 64);
    if (length >= 2 && length <= 64) names.push(directory.toString('utf16le', at, at + length - 2).toLowerCase());
  }
  return names;
}
