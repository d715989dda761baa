// Seals events into a hash chain, so that a changed or removed line is found (security D18). The order is the order of
// their numbers; what is sealed cannot be changed any more, not even by us.
import type { Ctx } from '../actions/context.ts';
import { type ChainLine, findLastSealedEvent, listChainAfter, listUnsealedEvents, sealEvent } from '../db/events.ts';
import type { Job } from './job.ts';

const batchSize = 500;
/** Concurrent transactions may commit numbers out of order; sealing waits until they surely have. */
const settleMs = 10_000;

export const sealEvents: Job = {
  name: 'seal-events',
  everyMs: 15_000,
  isHarmless: true,
  async run(ctx) {
    const until = ctx.clock.now() - settleMs;
    let sealed = 0;
    for (;;) {
      const count = await sealBatch(ctx, until);
      sealed += count;
      if (count < batchSize) return `${sealed} events sealed`;
    }
  },
};

async function sealBatch(ctx: Ctx, until: number): Promise<number> {
  return ctx.db.write(async (tx) => {
    let previous = (await findLastSealedEvent(tx))?.hash ?? Buffer.alloc(32);
    const events = await listUnsealedEvents(tx, batchSize);
    let count = 0;
    for (const event of events) {
      if (event.at > until) break;
      previous = link(ctx, previous, event);
      await sealEvent(tx, event.seq, previous);
      count++;
    }
    return count;
  });
}

/**
 * Goes through the whole chain; returns the number of the first line that does not fit, or null. Lines that are not
 * sealed yet are fine at the end only.
 */
export async function verifyEvents(ctx: Ctx): Promise<{ checked: number; brokenAt: number | null }> {
  const end = (await findLastSealedEvent(ctx.db.read))?.seq ?? 0;
  let previous: Buffer = Buffer.alloc(32);
  let checked = 0;
  let after = 0;
  for (;;) {
    const events = await listChainAfter(ctx.db.read, after, batchSize);
    for (const event of events) {
      if (event.seq > end) return { checked, brokenAt: null };
      if (event.hash === null) return { checked, brokenAt: event.seq };
      previous = link(ctx, previous, event);
      if (!previous.equals(event.hash)) return { checked, brokenAt: event.seq };
      checked++;
    }
    if (events.length < batchSize) return { checked, brokenAt: null };
    after = events.at(-1)!.seq;
  }
}

function link(ctx: Ctx, previous: Buffer, { content }: ChainLine): Buffer {
  return ctx.keys.hash('events', `${previous.toString('hex')}\n${JSON.stringify(content)}`);
}
