// Verifies signatures, tiles, entries, events and erasures up to the first fault. Memory does not grow with the log.
import {
  findCheckpoint,
  findLogHead,
  type LogHead,
  listCheckpointsAfter,
  type StoredCheckpoint,
} from '../../db/evidence/evidence.ts';
import { type Checkpoint, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { type Growth, grow } from '../../lib/tlog/growth.ts';
import { hashBytes, leafHash } from '../../lib/tlog/merkle.ts';
import { NoteProblem, parseNote, type Verifier, verifyNote } from '../../lib/tlog/notes.ts';
import { decodeBundle, partialTiles, type Tile, tilePath, tileWidth, tileWidthAt } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { type Contradiction, findAnyContradiction } from './compare-downloads.ts';
import { compareRows, createRowCheck } from './compare-rows.ts';
import { createEntryTimes, type EntryTimes } from './entry-times.ts';
import { checkpointPath, EvidenceFault, listVerifiers, readTile } from './log.ts';
import { findSealingFault } from './sealing-delay.ts';

export interface Verification {
  /** Entries verified before the fault. */
  entries: number;
  /** Null if consistent. */
  fault: string | null;
  /** What is unusual and no fault, as sentences. */
  warnings: string[];
}

export async function verifyLog(ctx: Ctx): Promise<Verification> {
  // Read before the head, which may grow; the published checkpoint is never ahead of the database.
  const published = (await ctx.evidence.get(checkpointPath))?.toString();
  const head = await findLogHead(ctx.db.read);
  let entries = 0;
  const warnings: string[] = [];
  const times = createEntryTimes();
  try {
    const rows = createRowCheck(ctx);
    await checkPublished(ctx, published, head);
    if (head === null) return { entries, fault: null, warnings };
    const verifiers = await listVerifiers(ctx);
    const heads = createHeadCheck(ctx, verifiers, head);
    let grown: Grown = grow({ size: 0, edge: [] }, []);
    for (let index = 0; grown.size < head.size; index++) {
      const bundle = await readEntries(ctx, head.size, index);
      await compareRows(rows, bundle, head);
      for (const entry of bundle) noteTime(times, entry, warnings);
      grown = await growAndCompare(ctx, grown, bundle, heads);
      entries = grown.size;
    }
    await compareEdge(ctx, grown);
    await rows.finish(head);
    await heads.finish(grown.root);
    const contradiction = await findAnyContradiction(ctx.db.read);
    if (contradiction !== null) throw new EvidenceFault(sentenceOf(contradiction));
    const delay = await findSealingFault(ctx.db.read, ctx.clock.now());
    if (delay !== null) warnings.push(delay);
    return { entries, fault: null, warnings };
  } catch (error) {
    if (error instanceof EvidenceFault || error instanceof NoteProblem)
      return { entries, fault: error.message, warnings };
    throw error;
  }
}

function sentenceOf({ target, line, field, event }: Contradiction): string {
  const what =
    line === null
      ? `the file ${target.id} and its erasure do not agree`
      : `line ${line} of the download log, of ${target.kind} ${target.id}: ${field} is not what was recorded`;
  return `${what}${event === null ? '; no event says it' : ` (event ${event})`}`;
}

/** More would say nothing new. */
const maxWarnings = 20;

function noteTime(times: EntryTimes, entry: Buffer, warnings: string[]): void {
  const warning = times.check(JSON.parse(entry.toString()) as { seq: number; at: number });
  if (warning !== null && warnings.length < maxWarnings) warnings.push(warning);
}

async function checkPublished(ctx: Ctx, published: string | undefined, head: LogHead | null): Promise<void> {
  if (published === undefined) {
    if (head !== null && head.size > 0) throw new EvidenceFault('the file checkpoint of the log is missing');
    return;
  }
  const { size, root } = readPublished(published);
  if (size > (head?.size ?? 0))
    throw new EvidenceFault(
      `the published checkpoint has ${size} entries and the database knows ${head?.size ?? 0}: an older database was put in place, or the end of the log was cut off`,
    );
  // An older one, if sealing was interrupted before publishing.
  const note = head!.size === size ? head!.note : (await findCheckpoint(ctx.db.read, size))?.note;
  if (note === published) return;
  if (note !== undefined && !parseCheckpoint(parseNote(note).text).root.equals(root))
    throw new EvidenceFault(`there are two different checkpoints of ${size} entries: the log was forked`);
  throw changedCheckpoint();
}

function readPublished(published: string): Checkpoint {
  try {
    return parseCheckpoint(parseNote(published).text);
  } catch {
    throw changedCheckpoint();
  }
}

function changedCheckpoint(): EvidenceFault {
  return new EvidenceFault('the file checkpoint of the log was changed: it is none that was signed here');
}

async function readEntries(ctx: Ctx, size: number, index: number): Promise<Buffer[]> {
  const width = tileWidthAt(size, { level: 0, index });
  const bundle = { level: 'entries', index, width } as const;
  const tile = { level: 0, index, width };
  const [bytes, hashes] = [await readFile(ctx, bundle), await readFile(ctx, tile)];
  let entries: Buffer[];
  try {
    entries = decodeBundle(bytes);
  } catch {
    throw new EvidenceFault(`the file ${tilePath(bundle)} of the log was changed: it is not a bundle of entries`);
  }
  if (entries.length !== width || hashes.length !== width * hashBytes)
    throw new EvidenceFault(`the file ${tilePath(bundle)} or ${tilePath(tile)} of the log was cut or extended`);
  for (const [at, entry] of entries.entries()) {
    if (!leafHash(entry).equals(hashes.subarray(at * hashBytes, (at + 1) * hashBytes)))
      throw new EvidenceFault(
        `entry ${index * tileWidth + at} does not fit its hash: ${tilePath(bundle)} or ${tilePath(tile)} was changed`,
      );
  }
  return entries;
}

async function readFile(ctx: Ctx, tile: Tile): Promise<Buffer> {
  const bytes = (await ctx.evidence.get(tilePath(tile))) ?? (await readWider(ctx, tile));
  if (bytes === null) throw new EvidenceFault(`the file ${tilePath(tile)} of the log is missing`);
  return bytes;
}

/** A narrower file is removed when the log grows. */
async function readWider(ctx: Ctx, tile: Tile): Promise<Buffer | null> {
  const head = await findLogHead(ctx.db.read);
  if (head === null || tileWidthAt(head.size, tile) <= tile.width) return null;
  try {
    return await readTile(ctx, tile);
  } catch (error) {
    if (error instanceof RangeError) throw new EvidenceFault(`the file ${tilePath(tile)} of the log was changed`);
    throw error;
  }
}

type Grown = Pick<Growth, 'size' | 'edge' | 'root'>;

async function growAndCompare(ctx: Ctx, grown: Grown, bundle: readonly Buffer[], heads: HeadCheck): Promise<Grown> {
  const leaves = bundle.map(leafHash);
  const start = grown.size;
  for (const size of await heads.sizesUpTo(start + leaves.length))
    heads.check(size, grow(grown, leaves.slice(0, size - start)).root);
  const next = grow(grown, leaves);
  for (const { tile, bytes } of next.tiles) if (tile.width === tileWidth) await compareTile(ctx, tile, bytes);
  return next;
}

async function compareEdge(ctx: Ctx, { size, edge }: Grown): Promise<void> {
  for (const tile of partialTiles(size)) {
    if (tile.level !== 'entries') await compareTile(ctx, tile, edge[tile.level]!);
  }
}

/** The lowest level was compared with the entries. */
async function compareTile(ctx: Ctx, tile: Tile, bytes: Buffer): Promise<void> {
  if (tile.level === 0 || (await readFile(ctx, tile)).equals(bytes)) return;
  throw new EvidenceFault(`the file ${tilePath(tile)} of the log was changed`);
}

interface HeadCheck {
  /** Sizes of checkpoints since the last call, up to `size`. */
  sizesUpTo(size: number): Promise<number[]>;
  check(size: number, root: Buffer): void;
  finish(root: Buffer): Promise<void>;
}

const checkpointBatchSize = 500;

function createHeadCheck(ctx: Ctx, verifiers: readonly Verifier[], head: LogHead): HeadCheck {
  let waiting: StoredCheckpoint[] = [];
  let readUpTo = 0;
  const signed = new Map<number, string>();

  async function fill(size: number): Promise<void> {
    while (readUpTo < size) {
      const page = await listCheckpointsAfter(ctx.db.read, readUpTo, checkpointBatchSize);
      waiting.push(...page);
      readUpTo = page.length < checkpointBatchSize ? Number.POSITIVE_INFINITY : page.at(-1)!.size;
    }
  }

  return {
    async sizesUpTo(size) {
      await fill(size);
      const due = waiting.filter((each) => each.size <= size);
      waiting = waiting.slice(due.length);
      for (const each of due) signed.set(each.size, each.note);
      return due.map((each) => each.size);
    },
    check(size, root) {
      checkSigned(signed.get(size)!, { size, root, origin: head.origin }, verifiers);
      signed.delete(size);
    },
    async finish(root) {
      await fill(Number.MAX_SAFE_INTEGER);
      // Later checkpoints are left for the next run.
      const { size } = (await findLogHead(ctx.db.read)) ?? head;
      const beyond = waiting.find((each) => each.size > size);
      if (beyond !== undefined)
        throw new EvidenceFault(`a checkpoint of ${beyond.size} entries was signed, but the log ends at ${size}`);
      if (head.size > 0) checkSigned(head.note, { size: head.size, root, origin: head.origin }, verifiers);
    },
  };
}

function checkSigned(
  text: string,
  { size, root, origin }: { size: number; root: Buffer; origin: string },
  verifiers: readonly Verifier[],
): void {
  const note = parseNote(text);
  let signers: Verifier[];
  try {
    signers = verifyNote(note, verifiers);
  } catch {
    signers = [];
  }
  if (signers.length === 0) throw new EvidenceFault(`the signature on the checkpoint of ${size} entries is wrong`);
  const claimed = parseCheckpoint(note.text);
  if (claimed.size !== size || claimed.origin !== origin)
    throw new EvidenceFault(
      `the checkpoint of ${size} entries says that it is one of ${claimed.size} entries of ${claimed.origin}`,
    );
  if (!claimed.root.equals(root))
    throw new EvidenceFault(`the checkpoint of ${size} entries was signed over other entries: the log was rewritten`);
}
