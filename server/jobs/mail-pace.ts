// The pace of mail: one rate for the whole installation. How much of it is used up is kept in the database, so that all
// processes keep to it together, also over restarts.
import type { Ctx } from '../actions/context.ts';
import { findMeta, setMeta } from '../db/system/installation.ts';

const minuteMs = 60_000;
/** Runs may come this late without mails being lost to it; and after a pause this many mails may leave together. */
const lateMs = 2000;

/** Most mails that can leave together at this rate. */
export function burstOf(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * lateMs) / minuteMs));
}

/**
 * Each mail takes up its share of time: at 20 a minute, three seconds. `usedUntil` is how far time is taken, and what lies
 * between it and now is free. After a pause only one burst of it is.
 */
export function grantMails(given: { usedUntil: number; now: number; perMinute: number; wanted: number }): {
  granted: number;
  usedUntil: number;
} {
  const eachMs = minuteMs / given.perMinute;
  const isPaused = given.now - given.usedUntil > eachMs + lateMs;
  const from = isPaused ? given.now - burstOf(given.perMinute) * eachMs : given.usedUntil;
  // A hair more, because thirds of seconds do not add up exactly.
  const free = Math.max(0, Math.floor((given.now - from) / eachMs + 1e-6));
  const granted = Math.min(given.wanted, free);
  return { granted, usedUntil: from + granted * eachMs };
}

const usedUntilKey = 'mail_rate_used_until';

/** How many of these mails may leave now. */
export async function takeMailTurns(ctx: Ctx, perMinute: number, wanted: number): Promise<number> {
  if (perMinute === 0 || wanted === 0) return wanted;
  return ctx.db.write(async (tx) => {
    const before = Number((await findMeta(tx, usedUntilKey)) ?? 0);
    const { granted, usedUntil } = grantMails({ usedUntil: before, now: ctx.clock.now(), perMinute, wanted });
    if (granted > 0) await setMeta(tx, usedUntilKey, String(usedUntil));
    return granted;
  });
}
