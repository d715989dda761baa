// Removes stored bytes whose rows are gone, and leftovers of uploads that never finished. Never touches a blob that a
// row needs, or that is still arriving (invariant I19).
import type { Ctx } from '../actions/context.ts';
import { claimOrphans, findUsedBlobKeys, isLeased } from '../db/storage/blob-leases.ts';
import { backUpJob, isRunning } from '../db/system/jobs.ts';
import { forgetErasures, listDueErasures } from '../db/uploads/parts.ts';
import { watchClock } from './brake.ts';
import type { Job } from './job.ts';

const batchSize = 200;
/** Bytes that are still arriving have a lease long before this (actions/uploads/leases.ts). */
const orphanAgeMs = 3_600_000;
const unfinishedAgeMs = 24 * 3_600_000;

/** Bytes of erased files: their keys are gone already, so the order and the moment do not matter. */
export const removeErased: Job = {
  name: 'remove-erased',
  everyMs: 20_000,
  async run(ctx) {
    let removed = 0;
    for (;;) {
      // A snapshot of the database knows files whose rows have gone since; it gets them first.
      if (await isRunning(ctx.db.read, backUpJob, ctx.clock.now()))
        return `${removed} blobs removed, waits for a backup`;
      const due = await listDueErasures(ctx.db.read, ctx.clock.now(), batchSize);
      if (due.length === 0) break;
      for (const key of due) await ctx.blobs.erase(key);
      await ctx.db.write((tx) => forgetErasures(tx, due));
      removed += due.length;
    }
    // Readers of another process may be in the way; the next run does it.
    await ctx.db.scrub?.().catch(() => {});
    return `${removed} blobs removed`;
  },
};

/** Looks through the whole store for bytes no row knows: what a crash between store and database left. */
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
    return `${removed} orphans and ${unfinished} unfinished blobs removed`;
  },
};

async function removeUnused(ctx: Ctx, keys: string[]): Promise<number> {
  // Nearly all of them are in use, and reading costs the writers nothing.
  const used = await findUsedBlobKeys(ctx.db.read, keys);
  const suspects = keys.filter((key) => !used.has(key));
  if (suspects.length === 0) return 0;
  const unused = await ctx.db.write((tx) => claimOrphans(tx, suspects, ctx.clock.now()));
  for (const key of unused) await ctx.blobs.erase(key);
  return unused.length;
}
