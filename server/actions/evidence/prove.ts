// Proofs of single events, for receipts and statements.

import { countEventsBetween, findSealable } from '../../db/events/sealable-events.ts';
import { findCheckpoint, findLogHead, findStepOf, findWitnessedCheckpoint } from '../../db/evidence/evidence.ts';
import { entryOf, type OpenedField, openFields } from '../../domain/evidence.ts';
import { formatProof, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { isIncluded, leafHash, proveInclusion } from '../../lib/tlog/merkle.ts';
import { parseNote } from '../../lib/tlog/notes.ts';
import { subtreesInTiles, type Tile } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { EvidenceFault, readTile } from './log.ts';

export interface ProvenEvent {
  seq: number;
  /** Index in the log, from 0. */
  index: number;
  /** Byte for byte. */
  entry: Buffer;
  /** Without erased fields. Disclose only what the reader may see. */
  fields: OpenedField[];
  /** c2sp.org/tlog-proof@v1, including the checkpoint. */
  proof: string;
  /** The signed note with cosignatures. */
  checkpoint: string;
}

/** Null until sealed, which takes less than a minute. */
export async function proveEvent(ctx: Ctx, seq: number): Promise<ProvenEvent | null> {
  const db = ctx.db.read;
  const [found, step] = await Promise.all([findSealable(db, seq), findStepOf(db, seq)]);
  if (found === null || step === null) return null;
  const index = step.size + (await countEventsBetween(db, step.lastSeq, seq));
  const { event, salts } = found;
  const entry = entryOf(event, salts);
  const checkpoint = await checkpointFor(ctx, index);
  const { size, root } = parseCheckpoint(parseNote(checkpoint).text);
  const read = subtreesInTiles(size, (tile) => tileOf(ctx, tile));
  const hashes = await proveInclusion(read, index, size);
  if (!isIncluded({ index, size, leaf: leafHash(entry), root }, hashes))
    throw new EvidenceFault(`event ${seq} is not the one that is in the log; run "waybill-server evidence verify"`);
  return {
    seq,
    index,
    entry,
    fields: openFields(event, salts),
    proof: formatProof({ index, hashes, extra: null, checkpoint }),
    checkpoint,
  };
}

/** Prefers the newest cosigned checkpoint, if it covers the entry. */
async function checkpointFor(ctx: Ctx, index: number): Promise<string> {
  const witnessed = await findWitnessedCheckpoint(ctx.db.read);
  if (witnessed !== null && witnessed.size > index) return witnessed.note + witnessed.cosignatures;
  return (await findCurrentCheckpoint(ctx))!;
}

/** Includes cosignatures; null if there is none. */
export async function findCurrentCheckpoint(ctx: Ctx): Promise<string | null> {
  const head = await findLogHead(ctx.db.read);
  if (head === null || head.size === 0) return null;
  const stored = await findCheckpoint(ctx.db.read, head.size);
  return head.note + (stored?.cosignatures ?? '');
}

async function tileOf(ctx: Ctx, tile: Tile): Promise<Buffer> {
  const bytes = await readTile(ctx, tile);
  if (bytes === null) throw new EvidenceFault('a checkpoint is ahead of the log');
  return bytes;
}
