// Tiles of a log (c2sp.org/tlog-tiles): up to 256 hashes each, bundles up to 256 entries.
import { hashBytes, nodeHash, type ReadSubtree } from './merkle.ts';

export const tileWidth = 256;
const tileHeight = 8;
export const entryBytesMax = 65_535;
const levelMax = 63;

export interface Tile {
  /** `entries`: a bundle instead of hashes. */
  level: number | 'entries';
  index: number;
  /** 256 if full. */
  width: number;
}

/** Relative to the prefix of the log: `tile/0/x001/234`, `tile/entries/000.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return `tile/${level}/${groups.join('/')}${width === tileWidth ? '' : `.p/${width}`}`;
}

const tilePattern = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

export function parseTilePath(path: string): Tile | null {
  const [, levelText, number, widthText] = tilePattern.exec(path) ?? [];
  if (levelText === undefined || number === undefined) return null;
  const level = levelText === 'entries' ? levelText : Number(levelText);
  const index = Number(number.replaceAll(/[x/]/g, ''));
  const width = widthText === undefined ? tileWidth : Number(widthText);
  if ((level !== 'entries' && level > levelMax) || !Number.isSafeInteger(index)) return null;
  if (widthText !== undefined && width >= tileWidth) return null;
  const tile: Tile = { level, index, width };
  return tilePath(tile) === path ? tile : null;
}

/** 0 if a log of this size has no such tile. */
export function tileWidthAt(size: number, { level, index }: Pick<Tile, 'level' | 'index'>): number {
  const hashes = Math.floor(size / tileWidth ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth));
}

/** The rightmost tiles that are not full, and the bundle. */
export function partialTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth)) {
    const tile = { index: Math.floor(hashes / tileWidth), width: hashes % tileWidth };
    if (tile.width === 0) continue;
    if (level === 0) tiles.push({ level: 'entries', ...tile });
    tiles.push({ level, ...tile });
  }
  return tiles;
}

export function* listTiles(size: number): Generator<Tile> {
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth)) {
    for (let index = 0; index * tileWidth < hashes; index++) {
      const width = Math.min(tileWidth, hashes - index * tileWidth);
      if (level === 0) yield { level: 'entries', index, width };
      yield { level, index, width };
    }
  }
}

export function subtreesInTiles(size: number, readTile: (tile: Tile) => Promise<Buffer>): ReadSubtree {
  return async (level, index) => {
    const height = level % tileHeight;
    const first = index * 2 ** height;
    const place = { level: (level - height) / tileHeight, index: Math.floor(first / tileWidth) };
    const hashes = await readTile({ ...place, width: tileWidthAt(size, place) });
    return subtreeIn(hashes, first % tileWidth, 2 ** height);
  };
}

/** `count` is a power of two. */
export function subtreeIn(hashes: Buffer, first: number, count: number): Buffer {
  if (count > 1) {
    const half = count / 2;
    return nodeHash(subtreeIn(hashes, first, half), subtreeIn(hashes, first + half, half));
  }
  const found = hashes.subarray(first * hashBytes, (first + 1) * hashBytes);
  if (found.length !== hashBytes) throw new RangeError('a tile is shorter than its name says');
  return found;
}

/** Each entry follows its length in two bytes. */
export function encodeBundle(entries: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries) {
    if (entry.length > entryBytesMax) throw new RangeError('an entry is too long for a log');
    const length = Buffer.allocUnsafe(2);
    length.writeUInt16BE(entry.length);
    parts.push(length, entry);
  }
  return Buffer.concat(parts);
}

/** Throws a RangeError for an invalid bundle. */
export function decodeBundle(bytes: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 2 > bytes.length) throw new RangeError('a bundle ends inside a length');
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) throw new RangeError('a bundle ends inside an entry');
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
