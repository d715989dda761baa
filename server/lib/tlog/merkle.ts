// Merkle trees with SHA-256 (RFC 6962, 2.1). Sizes are exact to 2^53.
import { hash } from 'node:crypto';

export const hashBytes = 32;

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

export function leafHash(entry: Buffer): Buffer {
  return sha256(Buffer.concat([leafPrefix, entry]));
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

export function emptyRoot(): Buffer {
  return sha256(Buffer.alloc(0));
}

/** The hash of a complete subtree: entries `index * 2^level` to `(index + 1) * 2^level - 1`. */
export type ReadSubtree = (level: number, index: number) => Promise<Buffer>;

export async function treeRoot(read: ReadSubtree, size: number): Promise<Buffer> {
  return size === 0 ? emptyRoot() : rangeHash(read, 0, size);
}

/** Hashes from the sibling of the leaf up to the child of the root. */
export async function proveInclusion(read: ReadSubtree, index: number, size: number): Promise<Buffer[]> {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError('there is no such entry');
  return readRanges(read, inclusionRanges(index, 0, size));
}

/** Proves that the old tree is a prefix of the new one. */
export async function proveConsistency(read: ReadSubtree, oldSize: number, newSize: number): Promise<Buffer[]> {
  if (oldSize < 0 || oldSize > newSize) throw new RangeError('a log cannot have shrunk');
  if (oldSize === 0) return [];
  return readRanges(read, consistencyRanges(oldSize, { start: 0, end: newSize }, true));
}

export interface InclusionClaim {
  index: number;
  size: number;
  leaf: Buffer;
  root: Buffer;
}

export function isIncluded({ index, size, leaf, root }: InclusionClaim, proof: readonly Buffer[]): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  const rest = [...proof];
  const computed = climb(leaf, { index, size }, rest);
  return computed !== null && rest.length === 0 && computed.equals(root);
}

export interface ConsistencyClaim {
  oldSize: number;
  oldRoot: Buffer;
  newSize: number;
  newRoot: Buffer;
}

export function isConsistent(claim: ConsistencyClaim, proof: readonly Buffer[]): boolean {
  const { oldSize, oldRoot, newSize, newRoot } = claim;
  if (!Number.isSafeInteger(oldSize) || oldSize < 0 || oldSize > newSize) return false;
  if (oldSize === 0) return proof.length === 0 && oldRoot.equals(emptyRoot());
  const rest = [...proof];
  const computed = climbBoth(oldRoot, { oldSize, newSize, isWhole: true }, rest);
  return computed !== null && rest.length === 0 && computed.old.equals(oldRoot) && computed.new.equals(newRoot);
}

/** Half-open. */
interface Range {
  start: number;
  end: number;
}

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

/** PATH(m, D[n]) of the RFC, as ranges. */
function inclusionRanges(index: number, start: number, end: number): Range[] {
  if (end - start === 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...inclusionRanges(index, start, middle), { start: middle, end }]
    : [...inclusionRanges(index, middle, end), { start, end: middle }];
}

/** SUBPROOF(m, D[n], b) of the RFC, as ranges. */
function consistencyRanges(oldEnd: number, { start, end }: Range, isWhole: boolean): Range[] {
  if (oldEnd === end) return isWhole ? [] : [{ start, end }];
  const middle = start + splitOf(end - start);
  return oldEnd <= middle
    ? [...consistencyRanges(oldEnd, { start, end: middle }, isWhole), { start: middle, end }]
    : [...consistencyRanges(oldEnd, { start: middle, end }, false), { start, end: middle }];
}

async function readRanges(read: ReadSubtree, ranges: Range[]): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  for (const { start, end } of ranges) hashes.push(await rangeHash(read, start, end));
  return hashes;
}

/** MTH over a range that begins where a subtree of its size does. */
async function rangeHash(read: ReadSubtree, start: number, end: number): Promise<Buffer> {
  const level = Math.log2(end - start);
  if (Number.isInteger(level)) return read(level, start / (end - start));
  const middle = start + splitOf(end - start);
  return nodeHash(await rangeHash(read, start, middle), await rangeHash(read, middle, end));
}

/** Consumes the proof from its end. Null if it has too few hashes. */
function climb(leaf: Buffer, at: { index: number; size: number }, rest: Buffer[]): Buffer | null {
  if (at.size === 1) return leaf;
  const sibling = rest.pop();
  if (sibling === undefined) return null;
  const split = splitOf(at.size);
  const isLeft = at.index < split;
  const below = isLeft ? { index: at.index, size: split } : { index: at.index - split, size: at.size - split };
  const inner = climb(leaf, below, rest);
  if (inner === null) return null;
  return isLeft ? nodeHash(inner, sibling) : nodeHash(sibling, inner);
}

function climbBoth(
  oldRoot: Buffer,
  at: { oldSize: number; newSize: number; isWhole: boolean },
  rest: Buffer[],
): { old: Buffer; new: Buffer } | null {
  if (at.oldSize === at.newSize) {
    const both = at.isWhole ? oldRoot : rest.pop();
    return both === undefined ? null : { old: both, new: both };
  }
  const sibling = rest.pop();
  if (sibling === undefined) return null;
  const split = splitOf(at.newSize);
  if (at.oldSize <= split) {
    const inner = climbBoth(oldRoot, { ...at, newSize: split }, rest);
    return inner && { old: inner.old, new: nodeHash(inner.new, sibling) };
  }
  const below = { oldSize: at.oldSize - split, newSize: at.newSize - split, isWhole: false };
  const inner = climbBoth(oldRoot, below, rest);
  return inner && { old: nodeHash(sibling, inner.old), new: nodeHash(sibling, inner.new) };
}

function sha256(bytes: Buffer): Buffer {
  // Requesting a Buffer would take longer than the hash.
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1');
}
