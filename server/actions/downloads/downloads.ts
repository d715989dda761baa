// Grants, counts and finishes downloads. No byte of a file leaves before its grant is committed.
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

/** Committed, for one request. */
export interface Grant {
  delivery: Delivery;
  /** Of the first file; other files of an archive follow. */
  number: number;
  range: ByteRange;
  /** Start of this request. */
  startedAt: number;
  /** Start of the download, possibly with an earlier ticket. */
  grantedAt: number;
  servedBy: string;
  /** The log covers the body up to this offset, since this time. */
  recorded: { upTo: number; at: number };
}

export interface GrantInput {
  delivery: Delivery;
  range: ByteRange;
  visitor: Visitor;
  servedBy: string;
}

/** The first request inserts the log rows, for all files of an archive or none. */
export async function grantBytes(ctx: Ctx, caller: Caller, input: GrantInput): Promise<Grant> {
  const { delivery, range, visitor, servedBy } = input;
  const { ticket, files } = delivery;
  await untilLogged(ctx, ticket, delivery.sizeBytes);
  const now = ctx.clock.now();
  const bytes = range.end - range.start;
  const started = await ctx.db.write(async (tx) => {
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
  return { delivery, ...started, range, startedAt: now, servedBy, recorded: { upTo: range.start, at: now } };
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

/** Records the bytes sent, so that the event log proves more than the start. */
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

/** Exact. Owners' downloads do not count. */
async function spend(tx: Tx, delivery: Delivery): Promise<void> {
  const counters = countersOf(delivery);
  if (counters === null) return;
  const limit = await findDownloadLimit(tx, counters.messageId, counters.identity);
  if ((await spendDownloads(tx, counters, limit)).length === counters.attachmentIds.length) return;
  throw unavailable('limit_reached', 'message', delivery.files.length);
}

/** Null if the download does not count. */
function countersOf({ ticket, files }: Delivery): Counters | null {
  if (ticket.messageId === null || ticket.kind === 'owner') return null;
  const attachmentIds = files.map((file) => file.attachmentId);
  return { messageId: ticket.messageId, attachmentIds, identity: ticket.identity };
}

const batchSize = 50;

interface Finished {
  takenBytes: number;
  outcome: Progress['outcome'];
  now: number;
}

/** Logs per file what the network has accepted. If no byte left, the grant is reverted, once. */
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
  const sentRange = unrecorded(grant, taken);
  const finished: Finished = { takenBytes: sentRange.end - sentRange.start, outcome, now: ctx.clock.now() };
  const touched = isUnsent ? [] : filesIn(delivery, sentRange);
  const first = touched.slice(0, batchSize);
  // Then one statement completes the row, and the ticket serves no more.
  const isWhole = !isUnsent && files.length === 1 && sentRange.start === 0 && sentRange.end === delivery.sizeBytes;
  const delivered = await writeWithRetries(ctx, async (tx) => {
    await forgetSumsOf(ctx, tx, grant);
    if (!isWhole) await settleServing(tx, ticket.idHash, unsentBytes);
    if (isUnsent) {
      await takeBack(ctx, tx, delivery, lines);
      return [];
    }
    const all = isWhole ? [sentRange] : await joinDelivered(tx, lines, sentRange, delivery.sizeBytes);
    if (files.length > 1 || first.length === 0) await endWaiting(tx, lines, outcome, finished.now);
    for (const file of first) await logDelivered(ctx, tx, grant, { ...finished, ...file, delivered: all, isWhole });
    return all;
  });
  for (let start = batchSize; start < touched.length; start += batchSize) {
    const batch = touched.slice(start, start + batchSize);
    await writeWithRetries(ctx, async (tx) => {
      await forgetSumsOf(ctx, tx, grant);
      const shared = { ...finished, delivered, isWhole: false };
      for (const file of batch) await logDelivered(ctx, tx, grant, { ...shared, ...file });
    });
  }
}

/** The unlogged range; at least the last byte, so that its row ends. */
function unrecorded({ range, recorded }: Grant, taken: TakenBytes): ByteRange {
  const end = range.start + taken.certain;
  return { start: Math.max(range.start, Math.min(recorded.upTo, end - 1)), end };
}

/** Limits the loss if the process crashes. */
export async function recordProgress(ctx: Ctx, grant: Grant, taken: TakenBytes): Promise<Grant> {
  const { delivery, recorded } = grant;
  const { ticket, files } = delivery;
  const now = ctx.clock.now();
  const sentRange = { start: recorded.upTo, end: grant.range.start + taken.certain };
  const isUnchanged = sentRange.end <= sentRange.start;
  const touched = isUnchanged ? [] : filesIn(delivery, sentRange);
  const lines = { ownerId: ticket.ownerId, first: grant.number, count: files.length };
  await ctx.db.write(async (tx) => {
    await noteTicketInUse(tx, ticket.idHash, now);
    if (isUnchanged) return;
    await forgetSumsOf(ctx, tx, grant);
    const sent = {
      takenBytes: sentRange.end - sentRange.start,
      outcome: { running: grant.servedBy },
      now,
      isWhole: false,
    };
    const delivered = await joinDelivered(tx, lines, sentRange, delivery.sizeBytes);
    for (const file of touched) await logDelivered(ctx, tx, grant, { ...sent, ...file, delivered });
  });
  return isUnchanged ? grant : { ...grant, recorded: { upTo: sentRange.end, at: now } };
}

const busyAttempts = 12;
const busyPauseMs = 250;

/** Retries, because an unfinished row would appear as running forever. */
export async function writeWithRetries<Result>(
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

/** `delivered`: by all requests of the download. `isWhole`: the single row is now complete. */
async function logDelivered(
  ctx: Ctx,
  tx: Tx,
  grant: Grant,
  sent: Finished & TouchedFile & { delivered: Interval[]; isWhole: boolean },
): Promise<void> {
  const { ticket, files } = grant.delivery;
  const file = files[sent.index]!;
  // Each file of an archive gets its share of the time, so that the speed is right.
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

/** The name lookup takes time, so it is saved separately. */
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

/** Deletion, revocation and a disabled owner end a running download; expiry does not. */
export async function isStillAllowed(ctx: Ctx, { delivery, startedAt }: Grant): Promise<boolean> {
  return (await findStandingOfRunning(ctx.db.read, delivery.ticket, startedAt)) === 'allowed';
}

/** Stops further downloads of a stored file whose bytes are damaged. */
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
