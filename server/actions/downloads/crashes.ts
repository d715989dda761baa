// Closes downloads whose process has died, so that no line of the log and no statement says for ever that they run.
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

const lookEveryMs = 10_000;
/** Looks with the same number until a process is dead. Time would not do: a suspended machine has seen nobody stand still. */
const deadAfterLooks = 3;
/** Lines closed in one transaction. */
const batchSize = 50;
/** Versions that did not store the process cut every download after two days. */
const unknownProcessMs = 3 * ticketLifetimeMs;

export interface ProcessWatch {
  /** Begins to raise the number of this process and to watch those of the others. */
  start(): void;
  /** One look; returns how many lines were closed. */
  look(): Promise<number>;
  /** This process has ended its downloads. */
  stop(): Promise<void>;
}

export function createProcessWatch(ctx: Ctx, process: string): ProcessWatch {
  const standing = new Map<string, { beats: number; looks: number }>();
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<number> {
    const heartbeats = await ctx.db.write(async (tx) => {
      await raiseHeartbeat(tx, process);
      return listHeartbeats(tx);
    });
    // Instants that are wrong are not written into the log.
    if (ctx.clock.fault() !== null) return 0;
    const serving = await listServingProcesses(ctx.db.read);
    let ended = 0;
    for (const dead of noteStanding(standing, heartbeats, serving)) {
      if (dead !== process) ended += await endDownloadsOf(ctx, dead);
    }
    if (serving.includes('')) ended += await endLines(ctx, '', ctx.clock.now() - unknownProcessMs);
    return ended;
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) =>
        ctx.log.warn({ err: String(error) }, 'dead processes could not be looked for'),
      );
      await pause(lookEveryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  return {
    start() {
      running = keepLooking();
    },
    look,
    async stop() {
      stopping.abort();
      await running;
      await ctx.db.write((tx) => deleteProcess(tx, process)).catch(() => {});
    },
  };
}

/** Notes which numbers have moved; returns the processes whose numbers have stood still for long enough. */
function noteStanding(
  standing: Map<string, { beats: number; looks: number }>,
  heartbeats: readonly Heartbeat[],
  serving: readonly string[],
): string[] {
  const current = new Map(heartbeats.map(({ id, beats }) => [id, beats]));
  for (const id of serving) if (id !== '' && !current.has(id)) current.set(id, 0);
  for (const id of standing.keys()) if (!current.has(id)) standing.delete(id);
  for (const [id, beats] of current) {
    const before = standing.get(id);
    standing.set(id, { beats, looks: before?.beats === beats ? before.looks + 1 : 0 });
  }
  return [...standing].filter(([, { looks }]) => looks >= deadAfterLooks).map(([id]) => id);
}

/** For a process that is known to be dead. */
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
