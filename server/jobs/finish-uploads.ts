// Resumes uploads that a crash or a long checksum left between "all chunks received" and "ready", and ends those no client
// continues.
import { eraseFile } from '../actions/attachments/attachments.ts';
import type { Ctx } from '../actions/context.ts';
import { finishSealing } from '../actions/uploads/sealing.ts';
import { abandonUpload } from '../actions/uploads/sessions.ts';
import { listSilentDropFiles, listSilentDropUploads } from '../db/filedrops/filedrops.ts';
import { listIdleUploads, listSealingUploads } from '../db/uploads/uploads.ts';
import { systemCaller } from '../domain/caller.ts';
import { watchClock } from './brake.ts';
import type { Job } from './job.ts';
import { LeaseLost } from './lease.ts';

/** A process that is putting an upload together gives a sign of life each second or two; without it, it has died. */
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
        // One that cannot be read now holds up no other; it is tried again with the next run.
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
    return `${stuck.length} uploads finished`;
  },
};

/** Whether there is work for the job above. Checked often, so that a crash delays no upload; reads one index entry. */
export async function areUploadsStuck(ctx: Ctx): Promise<boolean> {
  return (await listSealingUploads(ctx.db.read, ctx.clock.now() - silenceMs, 1)).length > 0;
}

/** A job of its own, so that a clock that was set stops this and nothing else. */
export const abandonUploads: Job = {
  name: 'abandon-uploads',
  everyMs: 60_000,
  async run(ctx, options) {
    watchClock(ctx, 'abandon-uploads', options);
    const activeBefore = ctx.clock.now() - ctx.settings.surroundings.unfinishedTtlMs;
    const idle = await listIdleUploads(ctx.db.read, activeBefore, batchSize);
    for (const upload of idle) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
    const undelivered = await clearSilentDrops(ctx);
    return `${idle.length} uploads abandoned${undelivered === 0 ? '' : `, ${undelivered} undelivered files erased`}`;
  },
};

/** How long files wait at a drop page after the last upload under their key. */
const dropSilenceMs = 3_600_000;
/** As many as may wait at one page. */
const dropBatchSize = 1000;

/** Files uploaded at a drop page and not delivered. */
async function clearSilentDrops(ctx: Ctx): Promise<number> {
  const activeBefore = ctx.clock.now() - dropSilenceMs;
  const uploads = await listSilentDropUploads(ctx.db.read, activeBefore, dropBatchSize);
  for (const upload of uploads) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
  const files = await listSilentDropFiles(ctx.db.read, activeBefore, dropBatchSize);
  for (const id of files) await ctx.db.write((tx) => eraseFile(ctx, tx, systemCaller, id));
  return uploads.length + files.length;
}
