// Counts attempts before they are made and refuses those beyond a limit (docs/adr/0108). Only attempts that were let through
// count, and what turned out right is taken back.

import type { Tx } from '../db/schema/schema.ts';
import {
  type Counter,
  countAttempt,
  findWindowEnd,
  forgetAttempts,
  forgetAttemptsAbout,
  uncountAttempts,
} from '../db/sessions/attempts.ts';
import { counterText, type LimitName, limitOf, type Subject, shownOf } from '../domain/attempt-limits.ts';
import { Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface Attempt {
  isAllowed: boolean;
  /** Until the limit opens that refused it. */
  waitMs: number;
  /** By how much the answer is delayed. */
  delayMs: number;
  counted: readonly Counted[];
}

interface Counted {
  limit: LimitName;
  key: string;
  /** With this attempt. */
  failures: number;
}

/** Limits that count together for one attempt, in this order. */
export type LimitNames = readonly [LimitName, ...LimitName[]];

export function takeAttempt(ctx: Ctx, limits: LimitNames, subject: Subject): Promise<Attempt> {
  return ctx.db.write((tx) => takeAttemptIn(ctx, tx, limits, subject));
}

/** Inside a transaction. Attempts at the same moment wait for each other, so that they do not pass a limit. */
export async function takeAttemptIn(ctx: Ctx, tx: Tx, limits: LimitNames, subject: Subject): Promise<Attempt> {
  const now = ctx.clock.now();
  const counted: Counted[] = [];
  let delayMs = 0;
  for (const limit of limits) {
    const counter = counterOf(ctx, limit, subject);
    const failures = await countAttempt(tx, counter, now);
    if (failures !== null) counted.push({ limit, key: counter.key, failures });
    else if (counter.delayMs !== undefined) delayMs = counter.delayMs;
    else {
      await takeBack(tx, counted);
      const waitMs = ((await findWindowEnd(tx, counter.key)) ?? now) - now;
      return { isAllowed: false, waitMs, delayMs, counted: [] };
    }
  }
  return { isAllowed: true, waitMs: 0, delayMs, counted };
}

function counterOf(ctx: Ctx, name: LimitName, subject: Subject): Counter & { delayMs?: number } {
  const key = counterKey(ctx, counterText(name, subject));
  return { key, kind: name, ...shownOf(name, subject), ...limitOf(name) };
}

export function counterKey(ctx: Ctx, text: string): string {
  return ctx.keys.hash('attempt', text).toString('base64url');
}

/** Throws when no attempt is left. */
export async function requireAttempt(ctx: Ctx, limits: LimitNames, subject: Subject): Promise<Attempt> {
  const attempt = await takeAttempt(ctx, limits, subject);
  if (!attempt.isAllowed) throw tooManyAttempts(attempt.waitMs);
  return attempt;
}

/** How many attempts are left after this one; 0 also when it was refused. */
export function attemptsLeft({ counted }: Attempt, limit: LimitName): number {
  const own = counted.find((each) => each.limit === limit);
  return own === undefined ? 0 : limitOf(limit).most - own.failures;
}

/** The attempt was right: its own failures before it no longer count anywhere. */
export async function forgiveAttempt(tx: Tx, { counted }: Attempt): Promise<void> {
  const ended = counted.filter(({ limit }) => limitOf(limit).endsWithSuccess === true);
  const count = Math.max(1, ...ended.map(({ failures }) => failures));
  for (const each of counted)
    if (ended.includes(each)) await forgetAttempts(tx, each.key);
    else await uncountAttempts(tx, { key: each.key, ...limitOf(each.limit) }, count);
}

/** The attempt was not made: it counts nowhere. */
export async function cancelAttempt(ctx: Ctx, { counted }: Attempt): Promise<void> {
  await ctx.db.write((tx) => takeBack(tx, counted));
}

async function takeBack(tx: Tx, counted: readonly Counted[]): Promise<void> {
  for (const { limit, key } of counted) await uncountAttempts(tx, { key, ...limitOf(limit) }, 1);
}

/** Counts an attempt only if it was wrong. One that failed otherwise, such as for a full queue, counts nowhere. */
export async function tryOnce(ctx: Ctx, attempt: Attempt, isRight: () => Promise<boolean>): Promise<boolean> {
  const verdict = await isRight().catch(async (error: unknown) => {
    await cancelAttempt(ctx, attempt);
    throw error;
  });
  if (verdict) await ctx.db.write((tx) => forgiveAttempt(tx, attempt));
  return verdict;
}

const ofSignIn: readonly LimitName[] = ['signIn', 'signInByName', 'secondStep', 'passwordAgain'];

/** Opens the limits that keep a person from signing in. Returns how many counters there were. */
export function openLimitsOf(tx: Tx, userId: string): Promise<number> {
  return forgetAttemptsAbout(tx, userId, ofSignIn);
}

function tooManyAttempts(remainingMs: number): Problem {
  const minutes = Math.max(1, Math.ceil(remainingMs / 60_000));
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Problem('rate_limited', 'tries.too_many', `Too many attempts. Wait ${wait}, then try again.`, {
    retryAfterSeconds: Math.ceil(remainingMs / 1000),
  });
}
