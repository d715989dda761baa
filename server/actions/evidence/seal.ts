// Appends events to the log: first the files, then one conditional write, then the published checkpoint. An interrupted
// run is repeated with the same result; of two concurrent processes, one detects this and retries.
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { listSealableAfter, listSealableUpTo, type SealableEvent } from '../../db/events/sealable-events.ts';
import { advanceLog, findSigningKeyId, type LogHead } from '../../db/evidence/evidence.ts';
import { entryOf } from '../../domain/evidence.ts';
import type { NamedFile } from '../../domain/ports.ts';
import { checkpointText, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { grow } from '../../lib/tlog/growth.ts';
import { leafHash } from '../../lib/tlog/merkle.ts';
import { NoteProblem, parseNote, signNote, type Verifier, verifyNote } from '../../lib/tlog/notes.ts';
import { decodeBundle, encodeBundle, partialTiles, tilePath, tileWidth } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { findFinalAfter } from '../final-events.ts';
import { checkpointPath, EvidenceFault, listVerifiers, type OpenedLog, openLog } from './log.ts';

/** Events per transaction and checkpoint. */
const batchSize = 8192;
/** Limits memory and lets requests run in between. */
const pageSize = 256;

/** Returns the number of sealed events. */
export async function sealAll(ctx: Ctx): Promise<number> {
  let log = await openLog(ctx);
  await repairPublished(ctx, log.head);
  let sealed = 0;
  for (;;) {
    const count = await sealBatch(ctx, log);
    sealed += count;
    if (count < batchSize) return sealed;
    log = await openLog(ctx);
  }
}

async function sealBatch(ctx: Ctx, { head, key, signer }: OpenedLog): Promise<number> {
  const { entries: fresh, lastSeq } = await readBatch(ctx, head.lastSeq);
  if (fresh.length === 0) return 0;
  const open = await openBundle(ctx, head);
  const growth = grow(head, fresh.map(leafHash));
  await ctx.evidence.put([
    ...bundlesOf(head.size - open.length, [...open, ...fresh]),
    ...growth.tiles.map(({ tile, bytes }) => ({ path: tilePath(tile), bytes })),
  ]);
  const { size, edge, root } = growth;
  const note = signNote(checkpointText({ origin: head.origin, size, root, extensions: [] }), [signer]);
  const next: LogHead = { origin: head.origin, size, lastSeq, edge: [...edge], note, sealedAt: ctx.clock.now() };
  const hasAdvanced = await ctx.db.write(async (tx) => {
    const isCurrent = (await findSigningKeyId(tx)) === key.id;
    return isCurrent && (await advanceLog(tx, head.size, next));
  });
  if (!hasAdvanced) {
    ctx.log.warn({}, 'another process sealed events or changed the key');
    return 0;
  }
  await publish(ctx, next);
  const current = new Set(partialTiles(size).map(tilePath));
  await ctx.evidence.remove(
    partialTiles(head.size)
      .map(tilePath)
      .filter((path) => !current.has(path)),
  );
  return fresh.length;
}

async function readBatch(ctx: Ctx, afterSeq: number): Promise<{ entries: Buffer[]; lastSeq: number }> {
  const entries: Buffer[] = [];
  let lastSeq = afterSeq;
  while (entries.length < batchSize) {
    const events = await listFinal(ctx, lastSeq);
    for (const { event, salts } of events) entries.push(entryOf(event, salts));
    lastSeq = events.at(-1)?.event.seq ?? lastSeq;
    if (events.length < pageSize) break;
    await yieldToRequests();
  }
  return { entries, lastSeq };
}

/** Up to the first gap that an open transaction may fill. */
async function listFinal(ctx: Ctx, lastSeq: number): Promise<SealableEvent[]> {
  const upToSeq = await findFinalAfter(ctx, lastSeq, pageSize);
  const events = await listSealableAfter(ctx.db.read, lastSeq, pageSize);
  return events.filter(({ event }) => event.seq <= upToSeq);
}

/** The partial bundle at the end of the log. */
async function openBundle(ctx: Ctx, { size, edge, lastSeq }: LogHead): Promise<Buffer[]> {
  const width = size % tileWidth;
  if (width === 0) return [];
  const fits = (entries: Buffer[]) => Buffer.concat(entries.map(leafHash)).equals(edge[0]!);
  const path = tilePath({ level: 'entries', index: Math.floor(size / tileWidth), width });
  const bytes = await ctx.evidence.get(path);
  const entries = bytes === null ? [] : decodeBundle(bytes);
  if (fits(entries)) return entries;
  const rows = await listSealableUpTo(ctx.db.read, lastSeq, width);
  const rebuilt = rows.map(({ event, salts }) => entryOf(event, salts));
  if (!fits(rebuilt))
    throw new EvidenceFault(`the file ${path} of the log is missing or was changed, and so were events`);
  return rebuilt;
}

function bundlesOf(start: number, entries: readonly Buffer[]): NamedFile[] {
  const files: NamedFile[] = [];
  for (let at = 0; at < entries.length; at += tileWidth) {
    const slice = entries.slice(at, at + tileWidth);
    const tile = { level: 'entries', index: (start + at) / tileWidth, width: slice.length } as const;
    files.push({ path: tilePath(tile), bytes: encodeBundle(slice) });
  }
  return files;
}

function publish(ctx: Ctx, { note }: LogHead): Promise<void> {
  return ctx.evidence.put([{ path: checkpointPath, bytes: Buffer.from(note) }]);
}

/**
 * Repairs an interrupted publication. A newer checkpoint with our signature means that an older database was restored;
 * continuing would fork the log.
 */
async function repairPublished(ctx: Ctx, head: LogHead): Promise<void> {
  const published = (await ctx.evidence.get(checkpointPath))?.toString() ?? '';
  if (published === head.note) return;
  if (published !== '') await refuseOlderDatabase(ctx, head, published);
  if (head.note !== '') await publish(ctx, head);
}

async function refuseOlderDatabase(ctx: Ctx, head: LogHead, published: string): Promise<void> {
  const size = sizeSigned(published, await listVerifiers(ctx));
  if (size === null) ctx.log.warn({}, 'the file checkpoint of the log of evidence was changed; it is written again');
  else if (size > head.size)
    throw new EvidenceFault(
      `the log has ${size} entries, but the database knows ${head.size} of them: an older database was put in place. Put the newer one back, or accept the loss with waybill-server evidence accept-loss`,
    );
}

/** Null if it has none of our signatures. */
function sizeSigned(published: string, verifiers: readonly Verifier[]): number | null {
  try {
    const note = parseNote(published);
    return verifyNote(note, verifiers).length === 0 ? null : parseCheckpoint(note.text).size;
  } catch (error) {
    if (error instanceof NoteProblem) return null;
    throw error;
  }
}
