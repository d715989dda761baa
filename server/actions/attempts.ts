// Counts attempts before they run and refuses those above a limit (docs/adr/0108).

import type { Tx } from '../db/schema/schema.ts';
import {
  type Counter,
  countAttempt,
  findWindowEnd,
  forgetAttempts,
  forgetAttemptsAbout,
  uncountAttempts,
} from '../db/sessions/attempts.ts';
import { listCodesOf } from '../db/sessions/codes.ts';
import {
  codeCounterText,
  codeLimits,
  counterText,
  type LimitName,
  limitOf,
  type Subject,
  shownOf,
} from '../domain/attempt-limits.ts';
import { Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface Attempt {
  isAllowed: boolean;
  /** Until another attempt is allowed. */
  waitMs: number;
  /** How long the response is delayed. */
  delayMs: number;
  counted: readonly Counted[];
}

interface Counted {
  limit: LimitName;
  key: string;
  /** Including this attempt. */
  failures: number;
}

/** Limits checked in this order for one attempt. */
export type LimitNames = readonly [LimitName, ...LimitName[]];

export function takeAttempt(ctx: Ctx, limits: LimitNames, subject: Subject): Promise<Attempt> {
  return ctx.db.write((tx) => takeAttemptIn(ctx, tx, limits, subject));
}

/** The counter's row lock serializes concurrent attempts. */
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

export async function requireAttempt(ctx: Ctx, limits: LimitNames, subject: Subject): Promise<Attempt> {
  const attempt = await takeAttempt(ctx, limits, subject);
  if (!attempt.isAllowed) throw tooManyAttempts(attempt.waitMs);
  return attempt;
}

/** 0 also if the attempt was refused. */
export function attemptsLeft({ counted }: Attempt, limit: LimitName): number {
  const own = counted.find((each) => each.limit === limit);
  return own === undefined ? 0 : limitOf(limit).most - own.failures;
}

/** After success: earlier failures no longer count. */
export async function forgiveAttempt(tx: Tx, { counted }: Attempt): Promise<void> {
  const ended = counted.filter(({ limit }) => limitOf(limit).endsWithSuccess === true);
  const count = Math.max(1, ...ended.map(({ failures }) => failures));
  for (const each of counted)
    if (ended.includes(each)) await forgetAttempts(tx, each.key);
    else await uncountAttempts(tx, { key: each.key, ...limitOf(each.limit) }, count);
}

/** For an attempt that did not run. */
export async function cancelAttempt(ctx: Ctx, { counted }: Attempt): Promise<void> {
  await ctx.db.write((tx) => takeBack(tx, counted));
}

async function takeBack(tx: Tx, counted: readonly Counted[]): Promise<void> {
  for (const { limit, key } of counted) await uncountAttempts(tx, { key, ...limitOf(limit) }, 1);
}

/** An attempt that throws, such as for a full queue, is not counted. */
export async function tryOnce(ctx: Ctx, attempt: Attempt, isRight: () => Promise<boolean>): Promise<boolean> {
  const verdict = await isRight().catch(async (error: unknown) => {
    await cancelAttempt(ctx, attempt);
    throw error;
  });
  if (verdict) await ctx.db.write((tx) => forgiveAttempt(tx, attempt));
  return verdict;
}

const signInLimits: readonly LimitName[] = ['signIn', 'signInByName', 'secondStep', 'passwordAgain'];

/**
 * Counters of these names and addresses. They have no account if it was unknown, and a counter by network as well ends
 * within minutes.
 */
export async function forgetAttemptsOf(
  ctx: Ctx,
  tx: Tx,
  addresses: readonly string[],
  nameOf: (address: string) => string,
): Promise<void> {
  const texts = addresses.flatMap((address) => [
    ...byName.map((limit) => counterText(limit, { name: nameOf(address) })),
    ...codeLimits
      .filter(({ by }) => by.length === 1 && by[0] === 'address')
      .map(({ by }) => codeCounterText(by, [address])),
  ]);
  const codes = await listCodesOf(tx, addresses);
  for (const { by } of codeLimits)
    if (by.includes('address'))
      texts.push(
        ...codes.map((code) =>
          codeCounterText(
            by,
            by.map((column) => code[column]),
          ),
        ),
      );
  for (const key of new Set(texts.map((text) => counterKey(ctx, text)))) await forgetAttempts(tx, key);
}

const byName: readonly LimitName[] = ['signInByName', 'reset'];

/** Returns the number of counters. */
export function resetSignInLimits(tx: Tx, userId: string): Promise<number> {
  return forgetAttemptsAbout(tx, userId, signInLimits);
}

function tooManyAttempts(remainingMs: number): Problem {
  const minutes = Math.max(1, Math.ceil(remainingMs / 60_000));
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Problem('rate_limited', 'tries.too_many', `Too many attempts. Wait ${wait}, then try again.`, {
    retryAfterSeconds: Math.ceil(remainingMs / 1000),
  });
}
