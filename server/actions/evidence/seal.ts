// Takes events into the log of evidence, in the order of their numbers. Files come first, then one conditional write, then
// the published checkpoint: whatever is interrupted is done again with the same outcome, and of two processes that seal at
// once one finds that the log has moved on.
import { setImmediate as breathe } from 'node:timers/promises';
import { advanceLog, findSigningKeyId, type LogHead } from '../../db/evidence.ts';
import { hasOldWriters, listSealableAfter, listSealableUpTo, type SealableEvent } from '../../db/sealable-events.ts';
import { entryOf } from '../../domain/evidence.ts';
import type { NamedFile } from '../../domain/ports.ts';
import { checkpointText, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { grow } from '../../lib/tlog/growth.ts';
import { leafHash } from '../../lib/tlog/merkle.ts';
import { NoteProblem, parseNote, signNote, type Verifier, verifyNote } from '../../lib/tlog/notes.ts';
import { decodeBundle, encodeBundle, partialTiles, tilePath, tileWidth } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { checkpointPath, EvidenceFault, listVerifiers, type OpenedLog, openLog } from './log.ts';

/** Events that share files at the edge of the log, a transaction and a checkpoint. */
const batchSize = 8192;
/** Events read at once: what is made of them is let go of before the next, and requests are answered in between. */
const pageSize = 256;
/** A number that is missing for longer than this, with no older transaction running, was rolled back. */
const settleMs = 10_000;

/** Seals what is there; returns how many events. */
export async function sealAll(ctx: Ctx): Promise<number> {
  let log = await openLog(ctx);
  await settlePublished(ctx, log.head);
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
  const isOurs = await ctx.db.write(async (tx) => {
    const isCurrent = (await findSigningKeyId(tx)) === key.id;
    return isCurrent && (await advanceLog(tx, head.size, next));
  });
  if (!isOurs) {
    ctx.log.warn({}, 'another process has sealed events or changed the key meanwhile');
    return 0;
  }
  await publish(ctx, next);
  const stillThere = new Set(partialTiles(size).map(tilePath));
  await ctx.evidence.remove(
    partialTiles(head.size)
      .map(tilePath)
      .filter((path) => !stillThere.has(path)),
  );
  return fresh.length;
}

/** The next events as entries, and the number of the last of them. */
async function readBatch(ctx: Ctx, afterSeq: number): Promise<{ entries: Buffer[]; lastSeq: number }> {
  const entries: Buffer[] = [];
  let lastSeq = afterSeq;
  while (entries.length < batchSize) {
    const events = await listSettled(ctx, lastSeq);
    for (const { event, salts } of events) entries.push(entryOf(event, salts));
    lastSeq = events.at(-1)?.event.seq ?? lastSeq;
    if (events.length < pageSize) break;
    await breathe();
  }
  return { entries, lastSeq };
}

/**
 * The next events up to the first number that is missing and may still come. Numbers are given before transactions
 * commit, so on PostgreSQL a lower one can appear after a higher one; it must not be left out.
 */
async function listSettled(ctx: Ctx, lastSeq: number): Promise<SealableEvent[]> {
  const events = await listSealableAfter(ctx.db.read, lastSeq, pageSize);
  const settledAt = ctx.clock.now() - settleMs;
  let areGapsFinal: boolean | null = null;
  for (const [at, { event }] of events.entries()) {
    const before = at === 0 ? lastSeq : events[at - 1]!.event.seq;
    if (event.seq === before + 1) continue;
    if (event.at > settledAt) return events.slice(0, at);
    areGapsFinal ??= !(await hasOldWriters(ctx.db.read, ctx.db.dialect, settleMs / 1000 - 1));
    if (!areGapsFinal) return events.slice(0, at);
  }
  return events;
}

/** The entries of the bundle at the end of the log, which grows. */
async function openBundle(ctx: Ctx, { size, edge, lastSeq }: LogHead): Promise<Buffer[]> {
  const width = size % tileWidth;
  if (width === 0) return [];
  const fits = (entries: Buffer[]) => Buffer.concat(entries.map(leafHash)).equals(edge[0]!);
  const path = tilePath({ level: 'entries', index: Math.floor(size / tileWidth), width });
  const bytes = await ctx.evidence.get(path);
  const entries = bytes === null ? [] : decodeBundle(bytes);
  if (fits(entries)) return entries;
  const rows = await listSealableUpTo(ctx.db.read, lastSeq, width);
  const made = rows.map(({ event, salts }) => entryOf(event, salts));
  if (!fits(made)) throw new EvidenceFault(`the file ${path} of the log is missing or was changed, and so were events`);
  return made;
}

/** All entries from the beginning of a bundle on, as files. */
function bundlesOf(start: number, entries: readonly Buffer[]): NamedFile[] {
  const files: NamedFile[] = [];
  for (let at = 0; at < entries.length; at += tileWidth) {
    const some = entries.slice(at, at + tileWidth);
    const tile = { level: 'entries', index: (start + at) / tileWidth, width: some.length } as const;
    files.push({ path: tilePath(tile), bytes: encodeBundle(some) });
  }
  return files;
}

function publish(ctx: Ctx, { note }: LogHead): Promise<void> {
  return ctx.evidence.put([{ path: checkpointPath, bytes: Buffer.from(note) }]);
}

/**
 * The published checkpoint is the last one, also after an interruption. One that is ahead of the database, and signed by
 * us, says that an older database was put in place: going on would sign a second history.
 */
async function settlePublished(ctx: Ctx, head: LogHead): Promise<void> {
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

/** How many entries a checkpoint has; null when it is none that we signed. */
function sizeSigned(published: string, verifiers: readonly Verifier[]): number | null {
  try {
    const note = parseNote(published);
    return verifyNote(note, verifiers).length === 0 ? null : parseCheckpoint(note.text).size;
  } catch (error) {
    if (error instanceof NoteProblem) return null;
    throw error;
  }
}
