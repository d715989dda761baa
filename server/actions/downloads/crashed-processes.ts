// Ends downloads of dead processes, which would otherwise appear as running forever.
import { setTimeout as pause } from 'node:timers/promises';
import {
  endCrashedRequest,
  findServingProcess,
  listLinesOf,
  listRunningRequests,
} from '../../db/downloads/download-requests.ts';
import { endCrashedLines, joinDelivered, logProgress } from '../../db/downloads/downloads.ts';
import {
  deleteProcess,
  endCrashed,
  type Heartbeat,
  listHeartbeats,
  listRunningOf,
  listServingProcesses,
  raiseHeartbeat,
} from '../../db/system/processes.ts';
import { systemCaller } from '../../domain/caller.ts';
import { type DownloadRequest, ticketLifetimeMs } from '../../domain/downloads.ts';
import { coveredBy, joinInterval } from '../../lib/intervals.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { forgetSumsOf } from './day-sums.ts';
import { targetOf } from './downloads.ts';
import { queueReceipt } from './receipts.ts';
import { recordRequestEnd } from './request-ends.ts';

export const checkIntervalMs = 10_000;
/** Checks without a new heartbeat until a process is dead. Elapsed time would mislead after a suspended machine. */
const deadAfterChecks = 3;
const batchSize = 50;
/** Rows of versions that did not store the process, and that limited downloads to two days. */
const unknownProcessMs = 3 * ticketLifetimeMs;

export interface ProcessWatch {
  start(): void;
  /** Returns the number of ended rows. */
  check(): Promise<number>;
  stop(): Promise<void>;
}

/** `stores`: those that the process reads. */
export function createProcessWatch(ctx: Ctx, process: string, stores: string): ProcessWatch {
  const stalled = new Map<string, { beats: number; checks: number }>();
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function check(): Promise<number> {
    const heartbeats = await ctx.db.write(async (tx) => {
      await raiseHeartbeat(tx, { id: process, stores });
      return listHeartbeats(tx);
    });
    // Write no times from a wrong clock.
    if (ctx.clock.fault() !== null) return 0;
    const serving = await listServingProcesses(ctx.db.read);
    let ended = 0;
    for (const dead of updateStalled(stalled, heartbeats, serving)) {
      if (dead !== process) ended += await endDownloadsOf(ctx, dead);
    }
    if (serving.includes('')) ended += await endLines(ctx, '', ctx.clock.now() - unknownProcessMs);
    return ended;
  }

  async function checkRepeatedly(): Promise<void> {
    while (!stopping.signal.aborted) {
      await check().catch((error: unknown) =>
        ctx.log.warn({ err: String(error) }, 'dead processes could not be found'),
      );
      await pause(checkIntervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  return {
    start() {
      running = checkRepeatedly();
    },
    check,
    async stop() {
      stopping.abort();
      await running;
      await ctx.db.write((tx) => deleteProcess(tx, process)).catch(() => {});
    },
  };
}

/** Returns processes whose heartbeat has stopped. */
function updateStalled(
  stalled: Map<string, { beats: number; checks: number }>,
  heartbeats: readonly Heartbeat[],
  serving: readonly string[],
): string[] {
  const current = new Map(heartbeats.map(({ id, beats }) => [id, beats]));
  for (const id of serving) if (id !== '' && !current.has(id)) current.set(id, 0);
  for (const id of stalled.keys()) if (!current.has(id)) stalled.delete(id);
  for (const [id, beats] of current) {
    const before = stalled.get(id);
    stalled.set(id, { beats, checks: before?.beats === beats ? before.checks + 1 : 0 });
  }
  return [...stalled].filter(([, { checks }]) => checks >= deadAfterChecks).map(([id]) => id);
}

export async function endDownloadsOf(ctx: Ctx, process: string): Promise<number> {
  const ended = (await endRequests(ctx, process)) + (await endLines(ctx, process, Number.MAX_SAFE_INTEGER));
  await ctx.db.write((tx) => deleteProcess(tx, process));
  return ended;
}

async function endRequests(ctx: Ctx, process: string): Promise<number> {
  for (let ended = 0; ; ) {
    const requests = await listRunningRequests(ctx.db.read, process, batchSize);
    for (const request of requests) ended += (await endRequest(ctx, request)) ? 1 : 0;
    if (requests.length < batchSize) return ended;
  }
}

/** False if it has ended meanwhile. */
function endRequest(ctx: Ctx, request: DownloadRequest): Promise<boolean> {
  const { ownerId, number, files, rangeStart, rangeEnd } = request;
  const now = ctx.clock.now();
  return ctx.db.write(async (tx) => {
    const ended = await endCrashedRequest(tx, request, now);
    if (ended === null) return false;
    const lines = await listLinesOf(tx, request);
    const [first] = lines;
    if (first === undefined) return true;
    await forgetSumsOf(ctx, tx, first);
    const download = { ownerId, first: number, count: files };
    // The size of an archive is not stored.
    const bodyBytes = files === 1 ? first.sizeBytes : Number.MAX_SAFE_INTEGER;
    const sent = { start: rangeStart, end: rangeStart + ended.takenBytes };
    const delivered = await joinDelivered(tx, download, sent, bodyBytes);
    const possible = joinInterval(delivered, { start: rangeStart, end: rangeEnd });
    const servedBy = await findServingProcess(tx, request);
    const running = { running: servedBy ?? request.servedBy };
    const touched = lines.filter(
      ({ bodyStart, sizeBytes }) => bodyStart < rangeEnd && bodyStart + sizeBytes > rangeStart,
    );
    for (const line of touched.length > 0 ? touched : [first]) {
      const place = { start: line.bodyStart, end: line.bodyStart + line.sizeBytes };
      const bytes = coveredBy(delivered, place);
      const { isComplete } = await logProgress(
        tx,
        { ownerId, number: line.number },
        { deliveredBytes: bytes, durationMs: 0, sizeBytes: line.sizeBytes, outcome: running, now, isWhole: false },
      );
      const { attachmentId } = line;
      if (isComplete) await queueReceipt(ctx, tx, { ...line, ownerId }, { attachmentId, downloadNumber: line.number });
      const file = { attachmentId, number: line.number, bytes, atMost: coveredBy(possible, place) };
      const from = { ...systemCaller.from, address: request.ip };
      const end = { download: { ...line, ownerId }, request, ...ended, isCrashed: true, file };
      await recordRequestEnd(ctx, tx, { kind: 'system', from }, end);
    }
    await endCrashedLines(tx, download, now, servedBy);
    return true;
  });
}

/** Rows of versions that did not store requests. */
async function endLines(ctx: Ctx, process: string, grantedBefore: number): Promise<number> {
  for (let ended = 0; ; ) {
    const lines = await listRunningOf(ctx.db.read, { process, grantedBefore }, batchSize);
    const count = await ctx.db.write(async (tx) => {
      let closed = 0;
      for (const line of lines) {
        const end = await endCrashed(tx, line, { process, now: ctx.clock.now() });
        if (end === null) continue;
        closed += 1;
        const { attachmentId: attachment, number: download, recipient, ownerId } = line;
        const facts = { attachment, download, recipient, bytes: end.sentBytes, crashed: true };
        await record(ctx, tx, systemCaller, { action: 'download.ended', object: targetOf(line), ownerId, facts });
      }
      return closed;
    });
    ended += count;
    if (lines.length < batchSize) return ended;
  }
}
