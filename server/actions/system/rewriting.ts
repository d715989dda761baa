// Rewrites an SQLite file after people were erased, because free space in its pages holds copies of moved rows. The
// rewrite stays due until it succeeds.

import type { Tx } from '../../db/schema/schema.ts';
import { findRewritingOwed, noteRewritingOwed, settleRewriting } from '../../db/system/rewriting.ts';
import type { Ctx } from '../context.ts';

/** Rewriting blocks writers. */
const mostWhileServing = 256 * 1024 * 1024;

/** No-op on PostgreSQL. */
export async function markRewriteDue({ db, clock }: Ctx, tx: Tx): Promise<void> {
  if (db.rewrite !== undefined) await noteRewritingOwed(tx, clock.now());
}

/** `isNew`: no warning has been logged yet. Readers may prevent it; the next run retries. */
export async function rewriteIfDue(
  ctx: Ctx,
  { isNew, mostBytes = mostWhileServing }: { isNew: boolean; mostBytes?: number },
): Promise<void> {
  try {
    if ((await findRewritingOwed(ctx.db.read)) === null) return;
    if ((await rewriteDatabase(ctx, mostBytes)) || !isNew) return;
    await ctx.db.scrub?.();
    ctx.log.warn(
      {},
      'people were erased, but the database is too large to be rewritten while it serves: run waybill-server maintenance rewrite',
    );
  } catch (error) {
    ctx.log.warn({ err: String(error) }, 'the database could not be rewritten after people were erased; trying again');
  }
}

/** Blocks writers. False when the file is too large, or the engine needs no rewriting. */
export async function rewriteDatabase({ db }: Ctx, mostBytes = Number.POSITIVE_INFINITY): Promise<boolean> {
  const since = await findRewritingOwed(db.read);
  if (db.rewrite === undefined || !(await db.rewrite(mostBytes))) return false;
  await db.write((tx) => settleRewriting(tx, since));
  return true;
}
