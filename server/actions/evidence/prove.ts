// Proofs of single events, for receipts and statements.

import { countEventsBetween, findSealable } from '../../db/events/sealable-events.ts';
import {
  findCheckpoint,
  findLogHead,
  findStepOf,
  listWitnessedCheckpoints,
  type StoredCheckpoint,
} from '../../db/evidence/evidence.ts';
import { entryOf, type OpenedField, openFields } from '../../domain/evidence.ts';
import { formatProof, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { isIncluded, leafHash, proveInclusion } from '../../lib/tlog/merkle.ts';
import { parseNote } from '../../lib/tlog/notes.ts';
import { isQuorum, type WitnessPolicy } from '../../lib/tlog/policy.ts';
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

/** Prefers the newest checkpoint that covers the entry and meets the policy, then the newest with a cosignature. */
async function checkpointFor(ctx: Ctx, index: number): Promise<string> {
  const witnessed = (await listWitnessedCheckpoints(ctx.db.read)).filter(({ size }) => size > index);
  const { witnessPolicy } = ctx.settings.surroundings;
  const meetsPolicy = ({ note, cosignatures }: StoredCheckpoint) =>
    witnessPolicy !== null && isQuorum(witnessPolicy, signersOf(witnessPolicy, note + cosignatures));
  const found = witnessed.find(meetsPolicy) ?? witnessed[0];
  return found === undefined ? (await findCurrentCheckpoint(ctx))! : found.note + found.cosignatures;
}

/** Keys of the policy whose lines are in the note; cosignatures are checked before they are stored. */
function signersOf({ witnesses }: WitnessPolicy, note: string): Set<string> {
  const { signatures } = parseNote(note);
  const signed = witnesses.filter(({ verifier }) =>
    signatures.some(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId),
  );
  return new Set(signed.map(({ key }) => key));
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
