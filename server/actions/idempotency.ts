// Creations with an Idempotency-Key: the same request gets the same answer for 24 hours.

import type { Tx } from '../db/schema/schema.ts';
import { claimKey, findAnswer } from '../db/system/idempotency.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid, Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface IdempotencyKey {
  key: string;
  /** Identifies the request; the same key with another request is refused. */
  request: unknown;
}

export const idempotencyLifetimeMs = 24 * 3_600_000;

class AlreadyClaimed extends Error {}

/**
 * Runs a creation once per key. `prepare` does checks and slow work before the transaction; a stored answer skips it,
 * so that it never changes.
 */
export async function createOnce<Result>(
  ctx: Ctx,
  caller: UserCaller,
  once: IdempotencyKey | null,
  prepare: () => Promise<(tx: Tx) => Promise<Result>>,
): Promise<Result> {
  if (once === null) return ctx.db.write(await prepare());
  const keyRow = { ownerId: caller.userId, keyHash: ctx.keys.hash('idempotency', `${caller.userId}\0${once.key}`) };
  const requestHash = ctx.keys.hash('idempotency-request', JSON.stringify(once.request));
  const findStored = async (): Promise<Result | null> => {
    const found = await findAnswer(ctx.db.read, keyRow);
    if (found === undefined || found.createdAt + idempotencyLifetimeMs < ctx.clock.now()) return null;
    if (!found.requestHash.equals(requestHash)) {
      throw invalid('idempotency.key_reused', 'This Idempotency-Key was used for another request. Use a new key.');
    }
    return found.answer as Result;
  };
  const stored = await findStored();
  if (stored !== null) return stored;
  try {
    const create = await prepare();
    return await ctx.db.write(async (tx) => {
      const answer = await create(tx);
      const createdAt = ctx.clock.now();
      const isFirst = await claimKey(tx, keyRow, { requestHash, answer, createdAt }, createdAt - idempotencyLifetimeMs);
      if (!isFirst) throw new AlreadyClaimed();
      return answer;
    });
  } catch (error) {
    // A concurrent identical request may have used up the limit.
    const mayHaveLostRace = error instanceof AlreadyClaimed || error instanceof Problem;
    const winner = mayHaveLostRace ? await findStored() : null;
    if (winner === null) throw error;
    return winner;
  }
}
