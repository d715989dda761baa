// A request is logged after its last byte. Another request with the same ticket waits for the log, so that one count
// gives one copy (docs/adr/0044).
import { setTimeout as pause } from 'node:timers/promises';
import { countUnsettled } from '../../db/downloads/tickets.ts';
import type { Ticket } from '../../domain/downloads.ts';
import type { Ctx } from '../context.ts';

/** Of this process, not logged yet. */
interface Running {
  /** The network has taken all granted bytes. */
  isTaken(): boolean;
  logged: Promise<void>;
}

/** By ticket. */
const running = new Map<string, Set<Running>>();

const runningOf = ({ idHash }: Ticket) => running.get(idHash.toString('hex')) ?? new Set();

/** Returns the function that ends it. */
export function registerRequest({ idHash }: Ticket, isTaken: Running['isTaken']): () => void {
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

/** Logging takes milliseconds; later, the download is running or its process has crashed. */
const pausesMs = [25, 50, 100, 200, 400, 800, 1600];

/** Waits briefly for other processes, whose progress is unknown. A ticket serves at most twice its size in any case. */
export async function untilLogged(ctx: Ctx, ticket: Ticket, sizeBytes: number): Promise<void> {
  for (const request of runningOf(ticket)) if (request.isTaken()) await request.logged;
  if (ticket.servedBytes < sizeBytes || ticket.unsettled <= runningOf(ticket).size) return;
  for (const pauseMs of pausesMs) {
    if ((await countUnsettled(ctx.db.read, ticket.idHash)) <= runningOf(ticket).size) return;
    await pause(pauseMs);
  }
}
