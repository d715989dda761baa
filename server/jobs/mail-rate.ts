// The mail rate of the installation, stored in the database for all processes.
import type { Ctx } from '../actions/context.ts';
import { findMeta, setMeta } from '../db/system/installation.ts';

const minuteMs = 60_000;
/** Runs may be this late without reducing the rate. */
const lateMs = 2000;

export function burstOf(perMinute: number): number {
  return Math.max(1, Math.ceil((perMinute * lateMs) / minuteMs));
}

/**
 * Each mail uses its share of time, three seconds at 20 a minute, up to `usedUntil`. After a pause only one burst is
 * free.
 */
export function grantMails(given: { usedUntil: number; now: number; perMinute: number; wanted: number }): {
  granted: number;
  usedUntil: number;
} {
  const eachMs = minuteMs / given.perMinute;
  const isPaused = given.now - given.usedUntil > eachMs + lateMs;
  const from = isPaused ? given.now - burstOf(given.perMinute) * eachMs : given.usedUntil;
  // Compensates rounding.
  const free = Math.max(0, Math.floor((given.now - from) / eachMs + 1e-6));
  const granted = Math.min(given.wanted, free);
  return { granted, usedUntil: from + granted * eachMs };
}

const usedUntilKey = 'mail_rate_used_until';

export async function claimMails(ctx: Ctx, perMinute: number, wanted: number): Promise<number> {
  if (perMinute === 0 || wanted === 0) return wanted;
  return ctx.db.write(async (tx) => {
    const before = Number((await findMeta(tx, usedUntilKey)) ?? 0);
    const { granted, usedUntil } = grantMails({ usedUntil: before, now: ctx.clock.now(), perMinute, wanted });
    if (granted > 0) await setMeta(tx, usedUntilKey, String(usedUntil));
    return granted;
  });
}
