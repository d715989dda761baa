// Ends downloads of dead processes, which would otherwise appear as running forever.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CrashedLine,
  deleteProcess,
  endCrashed,
  type Heartbeat,
  listHeartbeats,
  listRunningOf,
  listServingProcesses,
  raiseHeartbeat,
} from '../../db/system/processes.ts';
import { systemCaller } from '../../domain/caller.ts';
import { ticketLifetimeMs } from '../../domain/downloads.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

const checkIntervalMs = 10_000;
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

export function createProcessWatch(ctx: Ctx, process: string): ProcessWatch {
  const stalled = new Map<string, { beats: number; checks: number }>();
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function check(): Promise<number> {
    const heartbeats = await ctx.db.write(async (tx) => {
      await raiseHeartbeat(tx, process);
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
  const ended = await endLines(ctx, process, Number.MAX_SAFE_INTEGER);
  await ctx.db.write((tx) => deleteProcess(tx, process));
  return ended;
}

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

function targetOf({ messageId, linkId }: CrashedLine): { kind: 'message' | 'link'; id: string } {
  return linkId === null ? { kind: 'message', id: messageId ?? '' } : { kind: 'link', id: linkId };
}
