// The evidence log of this installation: name, keys, files.
import {
  addEvidenceKey,
  createLog,
  type EvidenceKey,
  findLogHead,
  type LogHead,
  listEvidenceKeys,
} from '../../db/evidence/evidence.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { hashBytes } from '../../lib/tlog/merkle.ts';
import {
  parseVerifierKey,
  type Signer,
  seedBytes,
  signatureTypes,
  signerFromSeed,
  type Verifier,
  verifierKey,
} from '../../lib/tlog/notes.ts';
import { decodeBundle, encodeBundle, type Tile, tilePath, tileWidth, tileWidthAt } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';

export const checkpointPath = 'checkpoint';

/** An inconsistency of the log; the message is for operators. */
export class EvidenceFault extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'EvidenceFault';
  }
}

export interface OpenedLog {
  head: LogHead;
  /** The current one. */
  key: EvidenceKey;
  signer: Signer;
}

/** Creates the log and its first key on first use. */
export async function openLog(ctx: Ctx): Promise<OpenedLog> {
  const head = await findLogHead(ctx.db.read);
  const key = head === null ? undefined : (await listEvidenceKeys(ctx.db.read)).at(-1);
  if (head !== null && key !== undefined) return { head, key, signer: signerOf(head.origin, key) };
  await ctx.db.write(async (tx) => {
    await createLog(tx, originOf(ctx), ctx.clock.now());
    const { origin } = (await findLogHead(tx))!;
    if ((await listEvidenceKeys(tx)).length === 0) await createKey(ctx, tx, { id: 1, origin, endorsement: () => '' });
  });
  return openLog(ctx);
}

/** `endorsement` is the predecessor's signature on the new key. */
export async function createKey(
  ctx: Ctx,
  tx: Tx,
  { id, origin, endorsement }: { id: number; origin: string; endorsement: (verifierKey: string) => string },
): Promise<string> {
  const seed = ctx.random.bytes(seedBytes);
  const text = verifierKey(signerFromSeed(origin, signatureTypes.log, seed));
  await addEvidenceKey(tx, {
    id,
    verifierKey: text,
    seed,
    endorsement: endorsement(text),
    createdAt: ctx.clock.now(),
  });
  return text;
}

export function signerOf(origin: string, key: EvidenceKey): Signer {
  if (key.seed === null) throw new EvidenceFault('the key that signs checkpoints is gone from the database');
  return signerFromSeed(origin, signatureTypes.log, key.seed);
}

/** All keys that ever signed, oldest first. */
export async function listVerifiers(ctx: Ctx): Promise<Verifier[]> {
  return (await listEvidenceKeys(ctx.db.read)).map(({ verifierKey: text }) => parseVerifierKey(text));
}

/** The log's URL without scheme, as the specification recommends. */
function originOf(ctx: Ctx): string {
  return `${ctx.settings.surroundings.baseUrl.replace(/^\w+:\/\//, '')}/evidence`;
}

/** `tile` may have any width the log has had; only the widest is a file. Null if the log is shorter. */
export async function readTile(ctx: Ctx, tile: Tile): Promise<Buffer | null> {
  const head = await findLogHead(ctx.db.read);
  const width = head === null ? 0 : tileWidthAt(head.size, tile);
  if (width === 0 || width < tile.width) return null;
  const bytes = await ctx.evidence.get(tilePath({ ...tile, width }));
  if (bytes !== null) return beginningOf(bytes, tile);
  // The file is renamed when the log grows.
  const grown = await findLogHead(ctx.db.read);
  const again = grown!.size === head!.size ? null : await readTile(ctx, tile);
  if (again === null) throw new EvidenceFault(`the file ${tilePath({ ...tile, width })} of the log is missing`);
  return again;
}

function beginningOf(bytes: Buffer, { level, width }: Tile): Buffer {
  if (width === tileWidth) return bytes;
  return level === 'entries' ? encodeBundle(decodeBundle(bytes).slice(0, width)) : bytes.subarray(0, width * hashBytes);
}
