// Compares what two witnesses saw. A log that shows each of them another history is found here only.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpoint } from '../lib/tlog/checkpoints.ts';
import { hashBytes, type ReadSubtree, treeRoot } from '../lib/tlog/merkle.ts';
import { parseNote, parseVerifierKey, verifyNote } from '../lib/tlog/notes.ts';
import { subtreeIn, tileWidth } from '../lib/tlog/tiles.ts';
import type { Finding } from './witness.ts';
import { type WitnessMemory, WitnessProblem } from './witness-memory.ts';

/** A path is the folder of a witness or a copy of its `memory.json`. */
export async function compareWitnesses(paths: readonly [string, string]): Promise<Finding> {
  const [one, other] = await Promise.all(paths.map(readSeen));
  if (one!.origin !== other!.origin)
    throw new WitnessProblem(`these witnesses watch different logs, ${one!.origin} and ${other!.origin}`);
  const [shorter, longer] = one!.size <= other!.size ? [one!, other!] : [other!, one!];
  const [few, many] = [shorter.size, longer.size];
  const place = findDifference(shorter, longer);
  if (place !== null)
    return {
      isGood: false,
      sentence: `The log was forked: ${place} differs between the checkpoints of ${few} and ${many} entries. Both are signed by the log; keep both folders as proof.`,
    };
  const compared = comparableSize(shorter, longer);
  const rest = few - compared;
  const left =
    rest === 0
      ? ''
      : ` Its last ${rest} cannot be compared: let both witnesses visit within a minute, then compare again.`;
  return { isGood: true, sentence: `Both saw the same log up to entry ${compared} of ${few} and ${many}.${left}` };
}

interface Seen {
  origin: string;
  size: number;
  /** One hash per 256 entries. */
  blocks: Buffer;
  /** One hash per remaining entry. */
  tail: Buffer;
}

async function readSeen(path: string): Promise<Seen> {
  const file = (await isFolder(path)) ? join(path, 'memory.json') : path;
  let memory: WitnessMemory;
  try {
    memory = JSON.parse(await readFile(file, 'utf8')) as WitnessMemory;
  } catch (error) {
    throw new WitnessProblem(`${file} can’t be read as the memory of a witness (${(error as Error).message})`);
  }
  const blocks = Buffer.from(memory.blocks, 'base64');
  const tail = Buffer.from(memory.tail, 'base64');
  if (!(await isSigned(memory, blocks, tail)))
    throw new WitnessProblem(`${file} was changed: its hashes are not those that the log signed`);
  return { origin: memory.origin, size: memory.size, blocks, tail };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isSigned(memory: WitnessMemory, blocks: Buffer, tail: Buffer): Promise<boolean> {
  try {
    const note = parseNote(memory.note);
    const { origin, size, root } = parseCheckpoint(note.text);
    const isBySomeKey = verifyNote(note, memory.keys.map(parseVerifierKey)).length > 0;
    const own = await treeRoot(subtreesOf(blocks, tail), size);
    return isBySomeKey && origin === memory.origin && size === memory.size && own.equals(root);
  } catch {
    return false;
  }
}

const blockLevel = Math.log2(tileWidth);

function subtreesOf(blocks: Buffer, tail: Buffer): ReadSubtree {
  const tailStart = (blocks.length / hashBytes) * tileWidth;
  return async (level, index) =>
    level >= blockLevel
      ? subtreeIn(blocks, index * 2 ** (level - blockLevel), 2 ** (level - blockLevel))
      : subtreeIn(tail, index * 2 ** level - tailStart, 2 ** level);
}

/** Entries of the shorter log that the longer one has in the same form. */
function comparableSize(shorter: Seen, longer: Seen): number {
  const blocks = shorter.blocks.length / hashBytes;
  return longer.blocks.length === shorter.blocks.length ? shorter.size : blocks * tileWidth;
}

function findDifference(shorter: Seen, longer: Seen): string | null {
  const block = firstDifference(shorter.blocks, longer.blocks);
  if (block !== null) return `one of the entries ${block * tileWidth} to ${(block + 1) * tileWidth - 1}`;
  if (longer.blocks.length !== shorter.blocks.length) return null;
  const entry = firstDifference(shorter.tail, longer.tail);
  return entry === null ? null : `entry ${(shorter.blocks.length / hashBytes) * tileWidth + entry}`;
}

/** Index of the first hash that differs, as far as the shorter list goes. */
function firstDifference(shorter: Buffer, longer: Buffer): number | null {
  for (let at = 0; at < shorter.length; at += hashBytes)
    if (!shorter.subarray(at, at + hashBytes).equals(longer.subarray(at, at + hashBytes))) return at / hashBytes;
  return null;
}
