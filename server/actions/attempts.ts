// Counting failed attempts and closing doors for a while, in the database, so that a restart forgets nothing
// (security D12).
import { countFailure, extendWindow, forgetAttempts, uncountFailure } from '../db/sessions/attempts.ts';
import type { Limit } from '../domain/attempt-limits.ts';
import { Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface AttemptLimit extends Limit {
  /** What is attempted, and by whom: `login:<account>:<network>`. */
  key: string;
}

export type Attempt = { isAllowed: true; left: number } | { isAllowed: false; waitMs: number };

/**
 * Counts an attempt before it is made, in one statement, so that attempts at the same moment do not slip past the limit
 * (promise 3). One that succeeds is taken back by `clearAttempts` or `giveAttemptBack`.
 */
export async function takeAttempt(ctx: Ctx, { key, most, windowMs, closedMs }: AttemptLimit): Promise<Attempt> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    const { failures, windowEndsAt } = await countFailure(tx, { key, now, windowMs, most: most + 1 });
    if (failures > most) return { isAllowed: false, waitMs: windowEndsAt - now };
    if (failures === most) await extendWindow(tx, key, now + closedMs);
    return { isAllowed: true, left: most - failures };
  });
}

/** The same, but throws when no attempt is left; returns how many are left after this one. */
export async function demandAttempt(ctx: Ctx, limit: AttemptLimit): Promise<number> {
  const taken = await takeAttempt(ctx, limit);
  if (!taken.isAllowed) throw tooManyAttempts(taken.waitMs);
  return taken.left;
}

/** A success clears the count. */
export async function clearAttempts(ctx: Ctx, key: string): Promise<void> {
  await ctx.db.write((tx) => forgetAttempts(tx, key));
}

/** A success that does not speak for the attempts of others. */
export async function giveAttemptBack(ctx: Ctx, key: string): Promise<void> {
  await ctx.db.write((tx) => uncountFailure(tx, key));
}

function tooManyAttempts(remainingMs: number): Problem {
  const minutes = Math.max(1, Math.ceil(remainingMs / 60_000));
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Problem('rate_limited', 'tries.too_many', `Too many attempts. Wait ${wait}, then try again.`, {
    retryAfterSeconds: Math.ceil(remainingMs / 1000),
  });
}
