// A request for bytes is written to the log after its last byte. Whoever asks again in between waits for that, whichever
// process has sent the bytes, so that one count gives one copy (decision 0044).
import { setTimeout as pause } from 'node:timers/promises';
import { countUnsettled } from '../../db/downloads/tickets.ts';
import type { Ticket } from '../../domain/downloads.ts';
import type { Ctx } from '../context.ts';

/** A request of this process that is not in the log yet. */
interface Running {
  /** Whether the network has taken all it was granted. */
  isTaken(): boolean;
  logged: Promise<void>;
}

/** By ticket. */
const running = new Map<string, Set<Running>>();

const runningOf = ({ idHash }: Ticket) => running.get(idHash.toString('hex')) ?? new Set();

/** Returns what ends it. */
export function enterRunning({ idHash }: Ticket, isTaken: Running['isTaken']): () => void {
  const key = idHash.toString('hex');
  const all = running.get(key) ?? new Set();
  running.set(key, all);
  const { promise: logged, resolve } = Promise.withResolvers<void>();
  const request: Running = { isTaken, logged };
  all.add(request);
  return () => {
    resolve();
    all.delete(request);
    if (all.size === 0) running.delete(key);
  };
}

/** The log is written within milliseconds. A download that takes longer is still running, or its process has crashed. */
const pausesMs = [25, 50, 100, 200, 400, 800, 1600];

/**
 * Waits for what this process has sent completely, and a little for what others may have. What they are still sending
 * can't be told from what they have sent; a ticket serves no more than twice its size either way (invariant I11).
 */
export async function untilSettled(ctx: Ctx, ticket: Ticket, sizeBytes: number): Promise<void> {
  for (const request of runningOf(ticket)) if (request.isTaken()) await request.logged;
  if (ticket.servedBytes < sizeBytes || ticket.unsettled <= runningOf(ticket).size) return;
  for (const pauseMs of pausesMs) {
    if ((await countUnsettled(ctx.db.read, ticket.idHash)) <= runningOf(ticket).size) return;
    await pause(pauseMs);
  }
}
