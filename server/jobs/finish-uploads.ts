// Takes up uploads that a crash or a long checksum left between "all pieces here" and "ready", and ends those nobody
// continues.
import { finishSealing } from '../actions/sealing.ts';
import { abandonUpload } from '../actions/upload-sessions.ts';
import { listIdleUploads, listSealingUploads } from '../db/uploads.ts';
import type { Job } from './runner.ts';

/** A request that is just sealing its own upload is left alone. */
const sealingPatienceMs = 60_000;
const batchSize = 200;

export const finishUploads: Job = {
  name: 'finish-uploads',
  everyMs: 30_000,
  async run(ctx) {
    const stuck = await listSealingUploads(ctx.db.read, ctx.clock.now() - sealingPatienceMs, batchSize);
    for (const upload of stuck) await finishSealing(ctx, upload);
    const idle = await listIdleUploads(
      ctx.db.read,
      ctx.clock.now() - ctx.settings.surroundings.unfinishedTtlMs,
      batchSize,
    );
    for (const upload of idle) await ctx.db.write((tx) => abandonUpload(ctx, tx, upload));
    return `${stuck.length} uploads finished, ${idle.length} abandoned`;
  },
};
