// Creations that may be sent twice: with an Idempotency-Key the same request gets the same answer for 24 hours, and
// makes nothing new (security D27).

import type { Tx } from '../db/schema/schema.ts';
import { claimKey, findAnswer } from '../db/system/idempotency.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid, Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface IdempotencyKey {
  key: string;
  /** Everything that makes the request what it is. */
  request: unknown;
}

export const idempotencyLifetimeMs = 24 * 3_600_000;

class AlreadyClaimed extends Error {}

/**
 * Runs a creation in one transaction, once per key. `prepare` checks the request and does what a transaction must not
 * wait for; a remembered answer is given without it, so that it stays the same when the rules or the day change.
 */
export async function createOnce<Result>(
  ctx: Ctx,
  caller: UserCaller,
  once: IdempotencyKey | null,
  prepare: () => Promise<(tx: Tx) => Promise<Result>>,
): Promise<Result> {
  if (once === null) return ctx.db.write(await prepare());
  const place = { ownerId: caller.userId, keyHash: ctx.keys.hash('idempotency', `${caller.userId}\0${once.key}`) };
  const requestHash = ctx.keys.hash('idempotency-request', JSON.stringify(once.request));
  const remembered = async (): Promise<Result | null> => {
    const found = await findAnswer(ctx.db.read, place);
    if (found === undefined || found.createdAt + idempotencyLifetimeMs < ctx.clock.now()) return null;
    if (!found.requestHash.equals(requestHash)) {
      throw invalid('idempotency.key_reused', 'This Idempotency-Key was used for another request. Use a new key.');
    }
    return found.answer as Result;
  };
  const earlier = await remembered();
  if (earlier !== null) return earlier;
  try {
    const create = await prepare();
    return await ctx.db.write(async (tx) => {
      const answer = await create(tx);
      const createdAt = ctx.clock.now();
      const isFirst = await claimKey(tx, place, { requestHash, answer, createdAt }, createdAt - idempotencyLifetimeMs);
      if (!isFirst) throw new AlreadyClaimed();
      return answer;
    });
  } catch (error) {
    // Refused, perhaps, because the same request has succeeded meanwhile and left no room for a second one.
    const mayHaveWon = error instanceof AlreadyClaimed || error instanceof Problem;
    const winner = mayHaveWon ? await remembered() : null;
    if (winner === null) throw error;
    return winner;
  }
}
