// Appends to a log with only the rightmost tile of each level, so memory does not depend on the log's length.
import { emptyRoot, hashBytes, nodeHash } from './merkle.ts';
import { subtreeIn, type Tile, tileWidth } from './tiles.ts';

/** Fewer than 256 hashes per level, lowest level first. */
export type Edge = readonly Buffer[];

export interface Growth {
  size: number;
  edge: Edge;
  root: Buffer;
  /** New, or wider than before. */
  tiles: { tile: Tile; bytes: Buffer }[];
}

export function grow({ size, edge }: { size: number; edge: Edge }, leaves: readonly Buffer[]): Growth {
  const levels = edge.map((hashes) => [hashes]);
  const tiles: Growth['tiles'] = [];
  const counts = levels.map(([hashes]) => hashes!.length / hashBytes);
  let grown = size;

  function push(level: number, hash: Buffer): void {
    levels[level] ??= [];
    counts[level] ??= 0;
    levels[level].push(hash);
    counts[level] += 1;
    if (counts[level] < tileWidth) return;
    const bytes = Buffer.concat(levels[level]);
    const index = grown / tileWidth ** (level + 1) - 1;
    tiles.push({ tile: { level, index, width: tileWidth }, bytes });
    levels[level] = [];
    counts[level] = 0;
    push(level + 1, subtreeIn(bytes, 0, tileWidth));
  }

  for (const leaf of leaves) {
    grown += 1;
    push(0, leaf);
  }
  const newEdge = levels.map((hashes) => Buffer.concat(hashes));
  for (const [level, bytes] of newEdge.entries()) {
    if (bytes.length === 0 || (edge[level]?.length === bytes.length && isSameTile(level, size, grown))) continue;
    const index = Math.floor(grown / tileWidth ** (level + 1));
    tiles.push({ tile: { level, index, width: bytes.length / hashBytes }, bytes });
  }
  return { size: grown, edge: newEdge, root: rootOfEdge(newEdge), tiles };
}

function isSameTile(level: number, size: number, grown: number): boolean {
  const span = tileWidth ** (level + 1);
  return Math.floor(size / span) === Math.floor(grown / span);
}

/** From the right: the complete subtrees of each tile join what is to the right of them. */
function rootOfEdge(edge: Edge): Buffer {
  let root: Buffer | null = null;
  for (const hashes of edge) {
    const width = hashes.length / hashBytes;
    let end = width;
    for (let count = 1; count < tileWidth; count *= 2) {
      if (Math.floor(width / count) % 2 === 0) continue;
      const left = subtreeIn(hashes, end - count, count);
      root = root === null ? left : nodeHash(left, root);
      end -= count;
    }
  }
  return root ?? emptyRoot();
}
