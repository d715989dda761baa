// Numbers of events that no open transaction can come before. PostgreSQL assigns numbers before commit, so a number that is
// missing now may appear later.
import { setTimeout as pause } from 'node:timers/promises';
import { listEventNumbersAfter } from '../db/events/events.ts';
import { listEventWriters } from '../db/events/sealable-events.ts';
import { findLogHead } from '../db/evidence/evidence.ts';
import type { Ctx } from './context.ts';

/** How long a read waits for transactions that may fill a gap. A later read continues. */
const writerChecks = 20;
const writerCheckMs = 100;

/**
 * The last number up to which a reader who has read `afterSeq` misses nothing; at least `afterSeq`. Events up to it are
 * visible to later reads.
 */
export async function findFinalSeq(ctx: Ctx, afterSeq: number, limit: number): Promise<number> {
  const head = await findLogHead(ctx.db.read);
  // Sealed events are final.
  return head !== null && head.lastSeq > afterSeq ? head.lastSeq : findFinalAfter(ctx, afterSeq, limit);
}

/** The same from numbers alone, of at most `limit` events. */
export async function findFinalAfter(ctx: Ctx, afterSeq: number, limit: number): Promise<number> {
  const numbers = await listEventNumbersAfter(ctx.db.read, afterSeq, limit);
  const last = numbers.at(-1) ?? afterSeq;
  if (last - afterSeq === numbers.length) return last;
  // Lower numbers were assigned earlier, and are visible if committed. Process clocks differ, so only open transactions
  // decide.
  if (await haveWritersEnded(ctx)) return last;
  const gap = numbers.findIndex((seq, at) => seq !== afterSeq + at + 1);
  return numbers[gap - 1] ?? afterSeq;
}

/** Waits briefly; false if one remains. */
async function haveWritersEnded({ db }: Ctx): Promise<boolean> {
  let open = await listEventWriters(db.read, db.dialect);
  for (let check = 0; open.length > 0 && check < writerChecks; check++) {
    await pause(writerCheckMs);
    const current = new Set(await listEventWriters(db.read, db.dialect));
    open = open.filter((writer) => current.has(writer));
  }
  return open.length === 0;
}
