// A process that holds the lease of a job until it is killed.
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import type { Job } from '#server/jobs/job.ts';
import { createJobRunner } from '#server/jobs/runner.ts';
import { silentLog } from '#server/lib/log.ts';

const endless: Job = {
  name: 'endless',
  everyMs: 1000,
  run() {
    process.stdout.write('holding\n');
    return new Promise(() => setInterval(() => {}, 1000));
  },
};

const { ctx } = await openInside(readConfig(), silentLog);
await createJobRunner(ctx, [endless], { upkeep: async () => {} }).runOnce('endless');
