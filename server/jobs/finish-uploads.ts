// Seals uploads that a crash left complete, and ends uploads that no client continues.
import { eraseFile } from '../actions/attachments/attachments.ts';
import type { Ctx } from '../actions/context.ts';
import { finishSealing } from '../actions/uploads/sealing.ts';
import { abandonUpload } from '../actions/uploads/sessions.ts';
import { listSilentDropFiles, listSilentDropUploads } from '../db/filedrops/filedrops.ts';
import { listIdleUploads, listSealingUploads } from '../db/uploads/uploads.ts';
import { systemCaller } from '../domain/caller.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';
import { LeaseLost } from './lease.ts';
import { watchClock } from './safety-limit.ts';

/** A sealing process marks its uploads every two seconds. */
const silenceMs = 3000;
const batchSize = 200;

export const finishUploads: Job = {
  name: 'finish-uploads',
  everyMs: 30_000,
  isHarmless: true,
  async run(ctx) {
    const stuck = await listSealingUploads(ctx.db.read, ctx.clock.now() - silenceMs, batchSize);
    let failure: unknown = null;
    for (const upload of stuck) {
      try {
        await finishSealing(ctx, upload);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        // The next run retries it.
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
    return `${counted(stuck.length, 'upload')} finished`;
  },
};

/** Reads one index entry, so it can run often. */
export async function areUploadsStuck(ctx: Ctx): Promise<boolean> {
  return (await listSealingUploads(ctx.db.read, ctx.clock.now() - silenceMs, 1)).length > 0;
}

/** A separate job, so that a clock change holds only this one. */
export const abandonUploads: Job = {
  name: 'abandon-uploads',
  everyMs: 60_000,
  async run(ctx, options) {
    watchClock(ctx, 'abandon-uploads', options);
    const activeBefore = ctx.clock.now() - ctx.settings.surroundings.unfinishedTtlMs;
    const idle = await listIdleUploads(ctx.db.read, activeBefore, batchSize);
    for (const upload of idle) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
    const undelivered = await clearSilentDrops(ctx);
    return `${counted(idle.length, 'upload')} abandoned${undelivered === 0 ? '' : `, ${counted(undelivered, 'undelivered file')} erased`}`;
  },
};

const dropSilenceMs = 3_600_000;
const dropBatchSize = 1000;

/** Files uploaded to a drop page and never delivered. */
async function clearSilentDrops(ctx: Ctx): Promise<number> {
  const activeBefore = ctx.clock.now() - dropSilenceMs;
  const uploads = await listSilentDropUploads(ctx.db.read, activeBefore, dropBatchSize);
  for (const upload of uploads) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
  const files = await listSilentDropFiles(ctx.db.read, activeBefore, dropBatchSize);
  for (const id of files) await ctx.db.write((tx) => eraseFile(ctx, tx, systemCaller, id));
  return uploads.length + files.length;
}
