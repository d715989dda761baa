// Destroys the keys of unused files after their grace time.
import { eraseFile, eraseRetainedFile } from '../actions/attachments/attachments.ts';
import { eraseEverythingOf } from '../actions/users/erasure.ts';
import {
  countAttachments,
  countErasableAttachments,
  countReleasedFromHold,
  listErasableAttachments,
  listOwnersToPurge,
  listReleasedFromHold,
} from '../db/attachments/attachments.ts';
import { systemCaller } from '../domain/caller.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';
import { applySafetyLimit, watchClock } from './safety-limit.ts';

const batchSize = 100;

export const eraseFiles: Job = {
  name: 'erase-files',
  everyMs: 60_000,
  async run(ctx, options) {
    watchClock(ctx, 'erase-files', options);
    const uptime = ctx.clock.uptime();
    applySafetyLimit(
      options,
      'files',
      (await countErasableAttachments(ctx.db.read, uptime)) + (await countReleasedFromHold(ctx.db.read)),
      await countAttachments(ctx.db.read),
    );
    let erased = 0;
    for (;;) {
      const batch = await listErasableAttachments(ctx.db.read, uptime, batchSize);
      if (batch.length === 0) break;
      const count = await ctx.db.write(async (tx) => {
        let done = 0;
        // It may be in use again.
        for (const id of batch) if (await eraseFile(ctx, tx, systemCaller, id)) done++;
        return done;
      });
      if (count === 0) break;
      erased += count;
    }
    for (;;) {
      const released = await listReleasedFromHold(ctx.db.read, batchSize);
      const count = await ctx.db.write(async (tx) => {
        let done = 0;
        for (const id of released) if (await eraseRetainedFile(ctx, tx, systemCaller, id)) done++;
        return done;
      });
      if (count === 0) break;
      erased += count;
    }
    for (const ownerId of await listOwnersToPurge(ctx.db.read, 10)) await eraseEverythingOf(ctx, systemCaller, ownerId);
    return `${counted(erased, 'file')} erased`;
  },
};
