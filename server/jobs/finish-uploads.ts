// Takes up uploads that a crash or a long checksum left between "all pieces here" and "ready", and ends those nobody
// continues.
import { finishSealing } from '../actions/uploads/sealing.ts';
import { abandonUpload } from '../actions/uploads/sessions.ts';
import { listIdleUploads, listSealingUploads } from '../db/uploads.ts';
import { watchClock } from './brake.ts';
import type { Job } from './job.ts';

/** A request that is just sealing its own upload is left alone. */
const sealingPatienceMs = 60_000;
const batchSize = 200;

export const finishUploads: Job = {
  name: 'finish-uploads',
  everyMs: 30_000,
  async run(ctx) {
    const stuck = await listSealingUploads(ctx.db.read, ctx.clock.now() - sealingPatienceMs, batchSize);
    for (const upload of stuck) await finishSealing(ctx, upload);
    return `${stuck.length} uploads finished`;
  },
};

/** A job of its own, so that a clock that was set stops this and nothing else. */
export const abandonUploads: Job = {
  name: 'abandon-uploads',
  everyMs: 60_000,
  async run(ctx, options) {
    watchClock(ctx, 'abandon-uploads', options);
    const activeBefore = ctx.clock.now() - ctx.settings.surroundings.unfinishedTtlMs;
    const idle = await listIdleUploads(ctx.db.read, activeBefore, batchSize);
    for (const upload of idle) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
    return `${idle.length} uploads abandoned`;
  },
};
