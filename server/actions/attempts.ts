// Counting failed tries and closing doors for a while, in the database, so that a restart forgets nothing (security D12).
import { countFailure, extendWindow, findAttempts, forgetAttempts } from '../db/attempts.ts';
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

/** Throws when too many tries have failed already. */
export async function demandTriesLeft(ctx: Ctx, limit: TryLimit): Promise<void> {
  const row = await findAttempts(ctx.db.read, limit.key);
  const now = ctx.clock.now();
  if (row !== undefined && row.failures >= limit.most && row.window_ends_at > now)
    throw tooManyTries(row.window_ends_at - now);
}

/** Counts a failure; answers how many tries are left. */
export async function failTry(ctx: Ctx, limit: TryLimit): Promise<number> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    const failures = await countFailure(tx, limit.key, now, limit.windowMs);
    if (failures >= limit.most) await extendWindow(tx, limit.key, now + limit.closedMs);
    return Math.max(0, limit.most - failures);
  });
}

/** A success clears the count. */
export async function clearTries(ctx: Ctx, key: string): Promise<void> {
  if ((await findAttempts(ctx.db.read, key)) !== undefined) await ctx.db.write((tx) => forgetAttempts(tx, key));
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
