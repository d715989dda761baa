// Retries transactions that lose a race for a unique name: the retry sees the winner's row and its own rule refuses.
import { isUniqueViolation } from '../db/engine/errors.ts';
import type { Tx } from '../db/schema/schema.ts';
import type { Ctx } from './context.ts';

const maxAttempts = 5;

export async function writeUnique<Result>(ctx: Ctx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.write(work);
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === maxAttempts) throw error;
    }
  }
}
