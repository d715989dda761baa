// Granting, counting and finishing downloads (state machine SM4). A grant is committed before the first byte, and nothing
// else leads to file bytes.
import { setTimeout as pause } from 'node:timers/promises';
import { setAttachmentState } from '../../db/attachments/attachments.ts';
import {
  type Counters,
  findDownloadLimit,
  refundDownloads,
  spendDownloads,
} from '../../db/downloads/download-counters.ts';
import {
  type DownloadLines,
  endWaiting,
  insertDownloads,
  joinDelivered,
  logProgress,
  nameHosts,
  type Progress,
  refundLines,
  takeDownloadNumbers,
} from '../../db/downloads/downloads.ts';
import { noteTicketInUse } from '../../db/downloads/ticket-expiry.ts';
import {
  allowServing,
  findStandingOfRunning,
  resetTicket,
  settleServing,
  startTicket,
} from '../../db/downloads/tickets.ts';
import { DatabaseBusy } from '../../db/engine/errors.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { unavailable } from '../../domain/availability.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { maxServedBytes, type TakenBytes, type Visitor } from '../../domain/downloads.ts';
import type { ByteRange } from '../../domain/ports.ts';
import { coveredBy, type Interval } from '../../lib/intervals.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { forgetSumsOf } from './day-sums.ts';
import { type DeliveredFile, type Delivery, filesIn, type TouchedFile } from './deliveries.ts';
import { queueReceipt } from './receipts.ts';
import { untilLogged } from './running-requests.ts';
import { usedUp } from './tickets.ts';

/** A committed grant for one request's bytes. */
export interface Grant {
  delivery: Delivery;
  /** Number of the first file's line; those of an archive's other files follow. */
  number: number;
  range: ByteRange;
  /** When this request began. */
  startedAt: number;
  /** When the download began, which may be under an earlier ticket; its day in the log. */
  grantedAt: number;
  /** The process that serves it. */
  servedBy: string;
  /** Bytes up to this offset of the body are in the log already, since this instant. */
  recorded: { upTo: number; at: number };
}

export interface GrantWanted {
  delivery: Delivery;
  range: ByteRange;
  visitor: Visitor;
  /** The process that serves it. */
  servedBy: string;
}

/** Grants the bytes of one request, in one transaction: the first one writes the log, all files of an archive or none. */
export async function grantBytes(ctx: Ctx, caller: Caller, wanted: GrantWanted): Promise<Grant> {
  const { delivery, range, visitor, servedBy } = wanted;
  const { ticket, files } = delivery;
  await untilLogged(ctx, ticket, delivery.sizeBytes);
  const now = ctx.clock.now();
  const bytes = range.end - range.start;
  const begun = await ctx.db.write(async (tx) => {
    const mostBytes = maxServedBytes(delivery.sizeBytes);
    const allowed = await allowServing(tx, ticket, { bytes, mostBytes, use: delivery.use }, now);
    if (allowed === null) throw usedUp();
    if (allowed.begun !== null) return allowed.begun;
    const firstNumber = await takeDownloadNumbers(tx, ticket.ownerId, files.length);
    await startTicket(tx, ticket.idHash, firstNumber);
    await spend(tx, delivery);
    const attachmentIds = files.map((file) => file.attachmentId);
    const apiKeyId = (caller.kind === 'user' ? caller.apiKeyId : null) ?? '';
    await insertDownloads(tx, { ticket, firstNumber, attachmentIds, visitor, apiKeyId, servedBy, now });
    await recordDownloads(ctx, tx, caller, { delivery, firstNumber });
    return { number: firstNumber, grantedAt: now };
  });
  return { delivery, ...begun, range, startedAt: now, servedBy, recorded: { upTo: range.start, at: now } };
}

async function recordDownloads(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { delivery, firstNumber }: { delivery: Delivery; firstNumber: number },
): Promise<void> {
  const { ticket, files } = delivery;
  for (const [index, file] of files.entries()) {
    await record(ctx, tx, caller, {
      action: 'file.downloaded',
      object: targetOf(delivery),
      ownerId: ticket.ownerId,
      facts: { attachment: file.attachmentId, download: firstNumber + index, recipient: ticket.recipient },
    });
  }
}

function targetOf({ ticket }: Delivery): { kind: 'message' | 'link'; id: string } {
  return ticket.linkId === null ? { kind: 'message', id: ticket.messageId ?? '' } : { kind: 'link', id: ticket.linkId };
}

/** How much of one file has left by now, so that the log of events proves bytes and not only that a download began. */
async function recordEnd(
  ctx: Ctx,
  tx: Tx,
  delivery: Delivery,
  ended: { attachmentId: string; number: number; bytes: number },
): Promise<void> {
  const { ownerId, recipient } = delivery.ticket;
  const { attachmentId: attachment, number: download, bytes } = ended;
  const facts = { attachment, download, recipient, bytes };
  await record(ctx, tx, systemCaller, { action: 'download.ended', object: targetOf(delivery), ownerId, facts });
}

/** A visitor's download of a message counts against its limit, exactly (invariants I8, I9). The owner's does not. */
async function spend(tx: Tx, delivery: Delivery): Promise<void> {
  const counters = countersOf(delivery);
  if (counters === null) return;
  const limit = await findDownloadLimit(tx, counters.messageId, counters.identity);
  if ((await spendDownloads(tx, counters, limit)).length === counters.attachmentIds.length) return;
  throw unavailable('limit_reached', 'message', delivery.files.length);
}

/** What a download of this uses up; null for links and for the owner, whose downloads are not counted. */
function countersOf({ ticket, files }: Delivery): Counters | null {
  if (ticket.messageId === null || ticket.kind === 'owner') return null;
  const attachmentIds = files.map((file) => file.attachmentId);
  return { messageId: ticket.messageId, attachmentIds, identity: ticket.identity };
}

/** Files of an archive that are finished in one transaction. */
const finishedAtOnce = 50;

interface Finished {
  takenBytes: number;
  outcome: Progress['outcome'];
  now: number;
}

/**
 * After the last byte, or after the connection broke: what the network has really taken is logged, for each file. A grant
 * of which not one byte left us is taken back, once.
 */
export async function finishDownload(
  ctx: Ctx,
  grant: Grant,
  taken: TakenBytes,
  outcome: 'partial' | 'cut',
): Promise<void> {
  const { delivery, range } = grant;
  const { ticket, files } = delivery;
  const lines = { ownerId: ticket.ownerId, first: grant.number, count: files.length };
  const unsentBytes = range.end - range.start - taken.possible;
  const isUnsent = taken.possible === 0 && unsentBytes > 0;
  const gone = unrecorded(grant, taken);
  const finished: Finished = { takenBytes: gone.end - gone.start, outcome, now: ctx.clock.now() };
  const touched = isUnsent ? [] : filesIn(delivery, gone);
  const first = touched.slice(0, finishedAtOnce);
  // The line of the only file says so itself, in the same statement as the rest, and nothing more comes under its ticket.
  const isWhole = !isUnsent && files.length === 1 && gone.start === 0 && gone.end === delivery.sizeBytes;
  const delivered = await writePatiently(ctx, async (tx) => {
    await forgetSumsOf(ctx, tx, grant);
    if (!isWhole) await settleServing(tx, ticket.idHash, unsentBytes);
    if (isUnsent) {
      await takeBack(ctx, tx, delivery, lines);
      return [];
    }
    const all = isWhole ? [gone] : await joinDelivered(tx, lines, gone, delivery.sizeBytes);
    if (files.length > 1 || first.length === 0) await endWaiting(tx, lines, outcome, finished.now);
    for (const file of first) await logDelivered(ctx, tx, grant, { ...finished, ...file, delivered: all, isWhole });
    return all;
  });
  for (let start = finishedAtOnce; start < touched.length; start += finishedAtOnce) {
    const batch = touched.slice(start, start + finishedAtOnce);
    await writePatiently(ctx, async (tx) => {
      await forgetSumsOf(ctx, tx, grant);
      const shared = { ...finished, delivered, isWhole: false };
      for (const file of batch) await logDelivered(ctx, tx, grant, { ...shared, ...file });
    });
  }
}

/** What the log does not say yet; at least the last byte, so that the line that it belongs to ends. */
function unrecorded({ range, recorded }: Grant, taken: TakenBytes): ByteRange {
  const end = range.start + taken.certain;
  return { start: Math.max(range.start, Math.min(recorded.upTo, end - 1)), end };
}

/** Records how far a running download has come, so that little is lost when its process dies. */
export async function recordProgress(ctx: Ctx, grant: Grant, taken: TakenBytes): Promise<Grant> {
  const { delivery, recorded } = grant;
  const { ticket, files } = delivery;
  const now = ctx.clock.now();
  const gone = { start: recorded.upTo, end: grant.range.start + taken.certain };
  const isStill = gone.end <= gone.start;
  const touched = isStill ? [] : filesIn(delivery, gone);
  const lines = { ownerId: ticket.ownerId, first: grant.number, count: files.length };
  await ctx.db.write(async (tx) => {
    await noteTicketInUse(tx, ticket.idHash, now);
    if (isStill) return;
    await forgetSumsOf(ctx, tx, grant);
    const sent = { takenBytes: gone.end - gone.start, outcome: { running: grant.servedBy }, now, isWhole: false };
    const delivered = await joinDelivered(tx, lines, gone, delivery.sizeBytes);
    for (const file of touched) await logDelivered(ctx, tx, grant, { ...sent, ...file, delivered });
  });
  return isStill ? grant : { ...grant, recorded: { upTo: gone.end, at: now } };
}

/** How often a busy database is asked, each time for as long as a request would wait. */
const busyAttempts = 12;
const busyPauseMs = 250;

/** Nobody waits for the log any more, and a line that is never finished would look as if it ran for ever. */
export async function writePatiently<Result>(
  ctx: { db: Pick<Ctx['db'], 'write'> },
  work: (tx: Tx) => Promise<Result>,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.write(work);
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || attempt === busyAttempts) throw error;
    }
    await wait(busyPauseMs);
  }
}

/**
 * `delivered`: everything of the body that has been, over all requests of this download. `isWhole`: the line is the only
 * one and has yet to say that the whole body was delivered.
 */
async function logDelivered(
  ctx: Ctx,
  tx: Tx,
  grant: Grant,
  sent: Finished & TouchedFile & { delivered: Interval[]; isWhole: boolean },
): Promise<void> {
  const { ticket, files } = grant.delivery;
  const file = files[sent.index]!;
  // Each file of an archive has its share of the time, so that the speed of a line is the true one.
  const share = files.length === 1 || sent.takenBytes === 0 ? 1 : sent.bytes / sent.takenBytes;
  const line = { ownerId: ticket.ownerId, number: grant.number + sent.index };
  const deliveredBytes = coveredBy(sent.delivered, sent.place);
  const { isComplete } = await logProgress(tx, line, {
    deliveredBytes,
    durationMs: Math.round((sent.now - grant.recorded.at) * share),
    sizeBytes: file.sizeBytes,
    outcome: sent.outcome,
    now: sent.now,
    isWhole: sent.isWhole,
  });
  const { attachmentId } = file;
  if (!isComplete && typeof sent.outcome !== 'string') return;
  await recordEnd(ctx, tx, grant.delivery, { attachmentId, number: line.number, bytes: deliveredBytes });
  if (isComplete) await queueReceipt(ctx, tx, ticket, { attachmentId: file.attachmentId, downloadNumber: line.number });
}

/** The name of the visitor's machine was found; later than everything else, because looking it up takes time. */
export async function nameVisitor(ctx: Ctx, { delivery, number }: Grant, host: string): Promise<void> {
  const lines = { ownerId: delivery.ticket.ownerId, first: number, count: delivery.files.length };
  await ctx.db.write((tx) => nameHosts(tx, lines, host));
}

async function takeBack(ctx: Ctx, tx: Tx, delivery: Delivery, lines: DownloadLines): Promise<void> {
  if (!(await resetTicket(tx, delivery.ticket.idHash, lines.first))) return;
  await refundLines(tx, lines);
  for (const [index, { attachmentId }] of delivery.files.entries())
    await recordEnd(ctx, tx, delivery, { attachmentId, number: lines.first + index, bytes: 0 });
  const counters = countersOf(delivery);
  if (counters !== null) await refundDownloads(tx, counters);
}

/** Checked every few seconds while bytes flow: deletion, revocation and a disabled owner cut a download; expiry does not. */
export async function isStillAllowed(ctx: Ctx, { delivery, startedAt }: Grant): Promise<boolean> {
  return (await findStandingOfRunning(ctx.db.read, delivery.ticket, startedAt)) === 'allowed';
}

/** A stored file whose bytes were changed on disk: no further download starts. */
export async function reportDamage(ctx: Ctx, delivery: Delivery, file: DeliveredFile): Promise<void> {
  const id = file.attachmentId;
  await ctx.db.write(async (tx) => {
    await setAttachmentState(tx, id, 'damaged');
    await record(ctx, tx, systemCaller, {
      action: 'attachment.damaged',
      object: { kind: 'attachment', id },
      ownerId: delivery.ticket.ownerId,
    });
  });
}
