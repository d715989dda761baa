// Transactions that take a name nobody else may have. Two at once can both find it free; the loser looks again and then
// sees the winner's row, so that its own rule says what is wrong.
import { isUniqueViolation } from '../db/engine/errors.ts';
import type { Tx } from '../db/schema/schema.ts';
import type { Ctx } from './context.ts';

const mostLooks = 5;

export async function writeUnique<Result>(ctx: Ctx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let look = 1; ; look++) {
    try {
      return await ctx.db.write(work);
    } catch (error) {
      if (!isUniqueViolation(error) || look === mostLooks) throw error;
    }
  }
}
