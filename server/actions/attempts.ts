// Counting failed tries and closing doors for a while, in the database, so that a restart forgets nothing (security D12).
import { countFailure, extendWindow, forgetAttempts, uncountFailure } from '../db/attempts.ts';
import { Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface TryLimit {
  /** What is tried, and by whom: `login:<account>:<network>`. */
  key: string;
  most: number;
  windowMs: number;
  /** How long the door stays closed once `most` failures are reached. */
  closedMs: number;
}

export type Try = { isAllowed: true; left: number } | { isAllowed: false; waitMs: number };

/**
 * Counts a try before it is made, in one statement, so that tries at the same moment do not slip past the limit
 * (promise 3). A try that succeeds is taken back by `clearTries` or `giveTryBack`.
 */
export async function takeTry(ctx: Ctx, limit: TryLimit): Promise<Try> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    const { failures, window_ends_at } = await countFailure(tx, limit.key, now, limit.windowMs, limit.most + 1);
    if (failures > limit.most) return { isAllowed: false, waitMs: window_ends_at - now };
    if (failures === limit.most) await extendWindow(tx, limit.key, now + limit.closedMs);
    return { isAllowed: true, left: limit.most - failures };
  });
}

/** The same, but throws when no try is left; answers how many are left after this one. */
export async function demandTry(ctx: Ctx, limit: TryLimit): Promise<number> {
  const taken = await takeTry(ctx, limit);
  if (!taken.isAllowed) throw tooManyTries(taken.waitMs);
  return taken.left;
}

/** A success clears the count. */
export async function clearTries(ctx: Ctx, key: string): Promise<void> {
  await ctx.db.write((tx) => forgetAttempts(tx, key));
}

/** A success that does not speak for the tries of others. */
export async function giveTryBack(ctx: Ctx, key: string): Promise<void> {
  await ctx.db.write((tx) => uncountFailure(tx, key));
}

function tooManyTries(remainingMs: number): Problem {
  const minutes = Math.max(1, Math.ceil(remainingMs / 60_000));
  return new Problem(
    'rate_limited',
    'tries.too_many',
    `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`,
    {
      retryAfterSeconds: Math.ceil(remainingMs / 1000),
    },
  );
}
