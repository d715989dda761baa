// Removes stored bytes without rows, and leftovers of unfinished uploads.
import type { Ctx } from '../actions/context.ts';
import { claimOrphans, findUsedBlobKeys, isLeased } from '../db/storage/blob-leases.ts';
import { backUpJob, isRunning } from '../db/system/jobs.ts';
import { forgetErasures, listDueErasures } from '../db/uploads/parts.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';
import { watchClock } from './safety-limit.ts';

const batchSize = 200;
/** Bytes that are still arriving have a lease by then (actions/uploads/leases.ts). */
const orphanAgeMs = 3_600_000;
const unfinishedAgeMs = 24 * 3_600_000;

/** Bytes of erased files, whose keys are destroyed. */
export const removeErased: Job = {
  name: 'remove-erased',
  everyMs: 20_000,
  async run(ctx) {
    let removed = 0;
    for (;;) {
      // A running backup may still copy files whose rows are gone.
      if (await isRunning(ctx.db.read, backUpJob, ctx.clock.now()))
        return `${counted(removed, 'blob')} removed, waits for a backup`;
      const due = await listDueErasures(ctx.db.read, ctx.clock.now(), batchSize);
      if (due.length === 0) break;
      for (const key of due) await ctx.blobs.erase(key);
      await ctx.db.write((tx) => forgetErasures(tx, due));
      removed += due.length;
    }
    // Readers may prevent it; the next run retries.
    await ctx.db.scrub?.().catch(() => {});
    return `${counted(removed, 'blob')} removed`;
  },
};

/** Bytes without rows, left by a crash. */
export const sweepOrphans: Job = {
  name: 'sweep-orphans',
  everyMs: 3_600_000,
  async run(ctx, options) {
    watchClock(ctx, 'sweep-orphans', options);
    const oldEnough = ctx.clock.now() - orphanAgeMs;
    let removed = 0;
    let batch: string[] = [];
    for await (const blob of ctx.blobs.list()) {
      if (blob.modifiedAt > oldEnough) continue;
      batch.push(blob.key);
      if (batch.length < batchSize) continue;
      removed += await removeUnused(ctx, batch);
      batch = [];
    }
    removed += await removeUnused(ctx, batch);
    const unfinished = await ctx.blobs.removeUnfinished(ctx.clock.now() - unfinishedAgeMs, (key) =>
      isLeased(ctx.db.read, key, ctx.clock.now()),
    );
    return `${counted(removed, 'orphan')} and ${counted(unfinished, 'unfinished blob')} removed`;
  },
};

async function removeUnused(ctx: Ctx, keys: string[]): Promise<number> {
  // Outside the transaction, because nearly all keys are in use.
  const used = await findUsedBlobKeys(ctx.db.read, keys);
  const suspects = keys.filter((key) => !used.has(key));
  if (suspects.length === 0) return 0;
  const unused = await ctx.db.write((tx) => claimOrphans(tx, suspects, ctx.clock.now()));
  for (const key of unused) await ctx.blobs.erase(key);
  return unused.length;
}
