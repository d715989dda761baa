// Not a test: a process of its own that holds the lease of a job until it is killed.
import { withInstallation } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
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

await withInstallation(readConfig(), silentLog, async (ctx) => {
  await createJobRunner(ctx, [endless], { upkeep: async () => {} }).runOnce('endless');
});
