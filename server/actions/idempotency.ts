// Creations that may be sent twice: with an Idempotency-Key the same request gets the same answer for 24 hours, and
// makes nothing new (security D27).
import { createHash } from 'node:crypto';
import { claimKey, findAnswer } from '../db/idempotency.ts';
import type { Tx } from '../db/schema.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface IdempotencyKey {
  key: string;
  /** Everything that makes the request what it is. */
  request: unknown;
}

export const idempotencyLifetimeMs = 24 * 3_600_000;

class AlreadyClaimed extends Error {}

/** Runs the creation in one transaction, once per key. */
export async function createOnce<Result>(
  ctx: Ctx,
  caller: UserCaller,
  once: IdempotencyKey | null,
  create: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (once === null) return ctx.db.write(create);
  const keyHash = ctx.keys.hash('idempotency', `${caller.userId}\0${once.key}`);
  const requestHash = createHash('sha256').update(JSON.stringify(once.request)).digest();
  const place = `${caller.userId}/${keyHash.toString('hex')}`;
  const remembered = async (): Promise<Result | null> => {
    const row = await findAnswer(ctx.db.read, caller.userId, keyHash);
    if (row === undefined || row.created_at + idempotencyLifetimeMs < ctx.clock.now()) return null;
    if (!row.request_hash.equals(requestHash)) {
      throw invalid('idempotency.key_reused', 'This Idempotency-Key was used for another request. Use a new key.');
    }
    return JSON.parse(ctx.keys.openText('answer', row.answer_sealed, place)) as Result;
  };
  const earlier = await remembered();
  if (earlier !== null) return earlier;
  try {
    return await ctx.db.write(async (tx) => {
      const result = await create(tx);
      const answerSealed = ctx.keys.sealText('answer', JSON.stringify(result), place);
      const now = ctx.clock.now();
      const claim = { ownerId: caller.userId, keyHash, requestHash, answerSealed, now };
      const claimed = await claimKey(tx, claim, now - idempotencyLifetimeMs);
      if (!claimed) throw new AlreadyClaimed();
      return result;
    });
  } catch (error) {
    const winner = error instanceof AlreadyClaimed ? await remembered() : null;
    if (winner === null) throw error;
    return winner;
  }
}
