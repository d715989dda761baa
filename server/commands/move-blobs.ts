// `waybill-server move-blobs --to s3|disk [--rate SIZE]`: moves files to the other store while servers run.
import { setTimeout as pause } from 'node:timers/promises';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { moveBlobs } from '../installation/move-blobs.ts';
import { readSize } from '../lib/config-values.ts';
import { counted } from '../lib/counted.ts';
import { silentLog } from '../lib/log.ts';
import { readFlags } from './flags.ts';

const places = { s3: 's3', disk: 'file' } as const;
const sayEvery = 1000;

export async function moveBlobsCommand(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--to', '--rate'] });
  const to = places[flags?.values.get('--to') as keyof typeof places];
  const rate = readRate(flags?.values.get('--rate'));
  if (flags === null || to === undefined || rate === null) {
    process.stderr.write('usage: waybill-server move-blobs --to s3|disk [--rate 20MiB]   (bytes a second)\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  return withInstallation(config, silentLog, async (ctx) => {
    const moved = await moveBlobs(ctx, config, {
      to,
      pace: createPace(rate),
      onFile: (count) => void (count % sayEvery === 0 && process.stdout.write(`${counted(count, 'file')} moved\n`)),
    });
    process.stdout.write(
      `✓ ${counted(moved, 'file')} moved and compared. Nothing is left in the store of before: remove WAYBILL_STORAGE_BEFORE, restart ` +
        'every server, and delete the old folder or bucket when you like.\n',
    );
    return 0;
  });
}

/** Bytes per second; null for an invalid size. */
function readRate(text: string | undefined): number | null {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  try {
    return readSize(text, 1);
  } catch {
    return null;
  }
}

export function createPace(
  bytesPerSecond: number,
  wait: (ms: number) => Promise<void> = pause,
): (bytes: number) => Promise<void> | undefined {
  let dueAt = performance.now();
  return (bytes) => {
    if (bytesPerSecond === Number.POSITIVE_INFINITY) return undefined;
    dueAt = Math.max(dueAt, performance.now()) + (bytes / bytesPerSecond) * 1000;
    return wait(Math.max(0, dueAt - performance.now()));
  };
}
