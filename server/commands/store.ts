// `waybill-server store [--adopt]`: shows whether the store belongs to this installation; `--adopt` makes it so.
import { withInside } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { silentLog } from '../lib/log.ts';

export async function store(args: string[]): Promise<number> {
  if (args.length > 1 || (args.length === 1 && args[0] !== '--adopt')) {
    process.stderr.write('usage: waybill-server store [--adopt]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  return withInside(config, silentLog, async ({ ctx, owner }) => {
    if (args.includes('--adopt')) await owner.adopt();
    const fault = await owner.check();
    const state = await ctx.blobs.state();
    if (fault !== null) process.stdout.write(`✗ ${fault}\n`);
    else if (state !== 'healthy')
      process.stdout.write(`✗ The store does not work (${state}): ${ctx.blobs.trouble()}\n`);
    else process.stdout.write('✓ The store belongs to this installation and works.\n');
    return fault === null && state === 'healthy' ? 0 : 1;
  });
}
