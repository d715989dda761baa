// Records what a request has handed to the network, while it runs and when it ends. Every ended request has an event for
// each file that it touched.
import { setTimeout as pause } from 'node:timers/promises';
import { refundDownloads } from '../../db/downloads/download-counters.ts';
import { noteRequest, noteTaken, type RequestKey } from '../../db/downloads/download-requests.ts';
import {
  type DownloadLines,
  endWaiting,
  joinDelivered,
  logProgress,
  type Progress,
  refundLines,
} from '../../db/downloads/downloads.ts';
import { noteTicketInUse } from '../../db/downloads/ticket-expiry.ts';
import { finishServing, resetTicket } from '../../db/downloads/tickets.ts';
import { DatabaseBusy } from '../../db/engine/errors.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller } from '../../domain/caller.ts';
import type { DownloadRequest, RequestOutcome, TakenBytes, Ticket } from '../../domain/downloads.ts';
import type { ByteRange } from '../../domain/ports.ts';
import { coveredBy, type Interval, joinInterval } from '../../lib/intervals.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { forgetSumsOf } from './day-sums.ts';
import { filesIn, type TouchedFile } from './deliveries.ts';
import { countersOf, type Grant, targetOf } from './downloads.ts';
import { queueReceipt } from './receipts.ts';

/** An ended request, and its bytes. */
export interface EndedRequest {
  download: Pick<Ticket, 'ownerId' | 'linkId' | 'messageId' | 'recipient'>;
  request: Pick<DownloadRequest, 'request' | 'rangeStart' | 'rangeEnd' | 'apiKeyId' | 'proofKind' | 'proofId'>;
  takenBytes: number;
  /** Over all requests of the download. */
  totalBytes: number;
  isCrashed: boolean;
}

/** Distinct bytes of one file over all requests of its download. */
export interface SentFile {
  attachmentId: string;
  number: number;
  bytes: number;
  /** What may have been handed to the network; the same as `bytes` if that is certain. */
  atMost: number;
}

export async function recordRequestEnd(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { file, ...ended }: EndedRequest & { file: SentFile },
): Promise<void> {
  const { download, request, takenBytes, totalBytes } = ended;
  await record(ctx, tx, caller, {
    action: 'download.ended',
    object: targetOf(download),
    ownerId: download.ownerId,
    facts: {
      attachment: file.attachmentId,
      download: file.number,
      recipient: download.recipient,
      request: request.request,
      from: request.rangeStart,
      to: request.rangeEnd,
      taken: takenBytes,
      bytes: file.bytes,
      total: totalBytes,
      ...(request.apiKeyId === '' ? {} : { api_key: request.apiKeyId }),
      ...(request.proofKind === '' ? {} : { proof_kind: request.proofKind }),
      ...(request.proofId === '' ? {} : { proof_id: request.proofId }),
      ...(ended.isCrashed ? { crashed: true } : {}),
      ...(file.atMost > file.bytes || ended.isCrashed ? { at_most: file.atMost } : {}),
    },
  });
}

/** Files per transaction. */
const batchSize = 50;

const keyOf = ({ delivery, number, request }: Grant): RequestKey => ({
  ownerId: delivery.ticket.ownerId,
  number,
  request,
});

const linesOf = ({ delivery, number }: Grant): DownloadLines => ({
  ownerId: delivery.ticket.ownerId,
  first: number,
  count: delivery.files.length,
});

function endedRequest({ delivery, request, range }: Grant): Pick<EndedRequest, 'download' | 'request' | 'isCrashed'> {
  const { kind: proofKind, id: proofId, apiKeyId } = delivery.proof;
  return {
    download: delivery.ticket,
    request: { request, rangeStart: range.start, rangeEnd: range.end, apiKeyId, proofKind, proofId },
    isCrashed: false,
  };
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
  const unsentBytes = range.end - range.start - taken.possible;
  if (taken.possible === 0 && unsentBytes > 0) return finishUnsent(ctx, grant, outcome, unsentBytes);
  const sent = { start: range.start, end: range.start + taken.certain };
  const possible = { start: range.start, end: range.start + taken.possible };
  const touched = filesIn(delivery, possible);
  // For a single complete file, its row completes in the same statement, and the ticket serves no more.
  const isWhole = files.length === 1 && sent.start === 0 && sent.end === delivery.sizeBytes;
  const now = ctx.clock.now();
  const ended: RequestOutcome = sent.end === range.end ? 'complete' : outcome;
  const noted = { takenBytes: taken.certain, atMostBytes: taken.possible > taken.certain ? taken.possible : null, now };
  let delivered: Interval[] = [sent];
  for (let start = 0; start === 0 || start < touched.length; start += batchSize) {
    const isLast = start + batchSize >= touched.length;
    await writeWithRetries(ctx, async (tx) => {
      await forgetSumsOf(ctx, tx, grant);
      if (start === 0 && !isWhole) await finishServing(tx, ticket.idHash, unsentBytes);
      const { totalBytes } = await noteRequest(tx, keyOf(grant), { ...noted, outcome: isLast ? ended : 'running' });
      if (start === 0 && !isWhole) delivered = await joinDelivered(tx, linesOf(grant), sent, delivery.sizeBytes);
      if (start === 0 && (files.length > 1 || touched.length === 0)) await endWaiting(tx, linesOf(grant), outcome, now);
      const end = { takenBytes: taken.certain, totalBytes, possible };
      for (const file of touched.slice(start, start + batchSize)) {
        await logDelivered(ctx, tx, grant, { sent, delivered, outcome, now, isWhole, file });
        await recordEnd(ctx, tx, grant, { ...end, delivered, file });
      }
      if (touched.length === 0) await recordEnd(ctx, tx, grant, { ...end, delivered, file: firstFileOf(grant) });
    });
  }
}

/** For a request that touched no file, such as one for the directory of an archive. */
function firstFileOf({ delivery }: Grant): TouchedFile {
  return filesIn(delivery, { start: 0, end: delivery.sizeBytes })[0]!;
}

function recordEnd(
  ctx: Ctx,
  tx: Tx,
  grant: Grant,
  ended: {
    takenBytes: number;
    totalBytes: number;
    delivered: Interval[];
    possible: ByteRange;
    file: Pick<TouchedFile, 'index' | 'place'>;
  },
): Promise<void> {
  const { takenBytes, totalBytes, delivered, possible, file } = ended;
  const sentFile: SentFile = {
    attachmentId: grant.delivery.files[file.index]!.attachmentId,
    number: grant.number + file.index,
    bytes: coveredBy(delivered, file.place),
    atMost: coveredBy(joinInterval(delivered, possible), file.place),
  };
  return recordRequestEnd(ctx, tx, grant.caller, { ...endedRequest(grant), takenBytes, totalBytes, file: sentFile });
}

async function finishUnsent(ctx: Ctx, grant: Grant, outcome: 'partial' | 'cut', unsentBytes: number): Promise<void> {
  const { delivery, number, range } = grant;
  const lines = linesOf(grant);
  const none = { start: range.start, end: range.start };
  await writeWithRetries(ctx, async (tx) => {
    await forgetSumsOf(ctx, tx, grant);
    await finishServing(tx, delivery.ticket.idHash, unsentBytes);
    const isRefunded = await resetTicket(tx, delivery.ticket.idHash, number);
    const noted = {
      takenBytes: 0,
      atMostBytes: null,
      outcome: isRefunded ? 'refunded' : outcome,
      now: ctx.clock.now(),
    } as const;
    const { totalBytes } = await noteRequest(tx, keyOf(grant), noted);
    const delivered = isRefunded ? [] : await joinDelivered(tx, lines, none, delivery.sizeBytes);
    const end = { takenBytes: 0, totalBytes, delivered, possible: none };
    if (!isRefunded) return recordEnd(ctx, tx, grant, { ...end, file: firstFileOf(grant) });
    await refundLines(tx, lines);
    for (const file of filesIn(delivery, { start: 0, end: delivery.sizeBytes }))
      await recordEnd(ctx, tx, grant, { ...end, file });
    const counters = countersOf(delivery);
    if (counters !== null) await refundDownloads(tx, counters);
  });
}

/** Of a running request, in its row only: cheap enough for every few megabytes. */
export async function recordTaken(ctx: Ctx, grant: Grant, { certain }: TakenBytes): Promise<void> {
  await ctx.db.write((tx) => noteTaken(tx, keyOf(grant), certain, ctx.clock.now()));
}

/** Of a running request, in the log too, and keeps its ticket. */
export async function recordProgress(ctx: Ctx, grant: Grant, taken: TakenBytes): Promise<Grant> {
  const { delivery, recorded, range, servedBy } = grant;
  const now = ctx.clock.now();
  const sent = { start: range.start, end: range.start + taken.certain };
  const isStill = sent.end <= recorded.upTo;
  await ctx.db.write(async (tx) => {
    await noteTicketInUse(tx, delivery.ticket.idHash, now);
    if (isStill) return;
    await forgetSumsOf(ctx, tx, grant);
    await noteRequest(tx, keyOf(grant), { takenBytes: taken.certain, atMostBytes: null, outcome: 'running', now });
    const delivered = await joinDelivered(tx, linesOf(grant), sent, delivery.sizeBytes);
    const shared = { sent, delivered, outcome: { running: servedBy }, now, isWhole: false };
    for (const file of filesIn(delivery, { start: recorded.upTo, end: sent.end }))
      await logDelivered(ctx, tx, grant, { ...shared, file });
  });
  return isStill ? grant : { ...grant, recorded: { upTo: sent.end, at: now } };
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

interface DeliveredFile {
  /** By this request. */
  sent: ByteRange;
  /** All bytes of the body sent by this download. */
  delivered: Interval[];
  outcome: Progress['outcome'];
  now: number;
  /** The single row must still record that the whole body was delivered. */
  isWhole: boolean;
  file: TouchedFile;
}

async function logDelivered(ctx: Ctx, tx: Tx, grant: Grant, logged: DeliveredFile): Promise<void> {
  const { delivery, number, recorded } = grant;
  const { sent, delivered, outcome, now, isWhole, file } = logged;
  const { attachmentId, sizeBytes } = delivery.files[file.index]!;
  // Each file of an archive gets its share of the time, so that the speed is right.
  const fresh = { start: Math.min(recorded.upTo, sent.end), end: sent.end };
  const freshBytes = fresh.end - fresh.start;
  const share = delivery.files.length === 1 || freshBytes === 0 ? 1 : coveredBy([fresh], file.place) / freshBytes;
  const { isComplete } = await logProgress(
    tx,
    { ownerId: delivery.ticket.ownerId, number: number + file.index },
    {
      deliveredBytes: coveredBy(delivered, file.place),
      durationMs: Math.round((now - recorded.at) * share),
      sizeBytes,
      outcome,
      now,
      isWhole,
    },
  );
  if (!isComplete) return;
  await queueReceipt(ctx, tx, delivery.ticket, { attachmentId, downloadNumber: number + file.index });
}
