// Rewriting the file of an SQLite database after people were erased: rows that moved have left copies behind in the free
// space of pages. It is owed until it has succeeded; a file that is too large for it waits for the operator.

import type { Tx } from '../../db/schema/schema.ts';
import { findRewritingOwed, noteRewritingOwed, settleRewriting } from '../../db/system/rewriting.ts';
import type { Ctx } from '../context.ts';

/** Rewriting more would keep everybody from writing for too long. */
const mostWhileServing = 256 * 1024 * 1024;

/** PostgreSQL needs none. */
export async function oweRewriting({ db, clock }: Ctx, tx: Tx): Promise<void> {
  if (db.rewrite !== undefined) await noteRewritingOwed(tx, clock.now());
}

/** `isNew`: nobody was told yet that it is owed. What fails, because somebody is reading, is repeated by the next run. */
export async function rewriteIfOwed(
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

/** Writing waits meanwhile, in every process. False when the file is larger, or the engine needs no rewriting. */
export async function rewriteDatabase({ db }: Ctx, mostBytes = Number.POSITIVE_INFINITY): Promise<boolean> {
  const since = await findRewritingOwed(db.read);
  if (db.rewrite === undefined || !(await db.rewrite(mostBytes))) return false;
  await db.write((tx) => settleRewriting(tx, since));
  return true;
}
