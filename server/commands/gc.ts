// `waybill-server gc [--dry-run]`: erases what is due now, including deletions that the safety limit paused.
import { withInside } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { countAttachments, countErasableAttachments } from '../db/attachments/attachments.ts';
import { listHeldJobs } from '../db/system/jobs.ts';
import { allJobs } from '../jobs/all.ts';
import { createJobRunner } from '../jobs/runner.ts';
import { counted } from '../lib/counted.ts';
import { silentLog } from '../lib/log.ts';

const cleaning = [
  'expire',
  'finish-uploads',
  'abandon-uploads',
  'erase-files',
  'remove-erased',
  'sweep-orphans',
  'purge-inactive-users',
  'tidy',
];

export async function gc(args: string[]): Promise<number> {
  if (args.length > 1 || (args.length === 1 && args[0] !== '--dry-run')) {
    process.stderr.write('usage: waybill-server gc [--dry-run]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  return withInside(config, silentLog, async ({ ctx, quarantine }) => {
    const due = await countErasableAttachments(ctx.db.read, ctx.clock.uptime());
    process.stdout.write(
      `${due} of ${counted(await countAttachments(ctx.db.read), 'file')} ${due === 1 ? 'is' : 'are'} due to be erased\n`,
    );
    for (const { name, because } of await listHeldJobs(ctx.db.read))
      process.stdout.write(`${name} is held back: ${because}\n`);
    if (args.includes('--dry-run')) return 0;
    const waits = quarantine.fault();
    if (waits !== null) {
      process.stdout.write(`${waits}\n`);
      return 1;
    }
    const runner = createJobRunner(ctx, allJobs, { upkeep: async () => {} });
    for (const name of cleaning) {
      const note = await runner.runOnce(name, { isConfirmed: true });
      process.stdout.write(`${name}: ${note ?? 'another process is at it'}\n`);
    }
    return 0;
  });
}
