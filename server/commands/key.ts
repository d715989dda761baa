// `waybill-server key rotate [--prepare]`: changes the master key while servers run.
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig, takeSecrets } from '../config.ts';
import { assertCorrectClock, referenceOf } from '../installation/clock.ts';
import { withDatabase } from '../installation/open.ts';
import { rotateMasterKey } from '../installation/rotate-key.ts';
import { systemClock } from '../lib/clock.ts';
import { createRandom } from '../lib/ids.ts';

export async function key(args: string[]): Promise<number> {
  const isPreparing = args[1] === '--prepare';
  if (args[0] !== 'rotate' || args.length > (isPreparing ? 2 : 1)) {
    process.stderr.write('usage: waybill-server key rotate [--prepare]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  await withDatabase(config, async (db) => {
    const clock = systemClock();
    await assertCorrectClock(clock, referenceOf(db));
    await rotateMasterKey(
      { config, db, random: createRandom(), now: clock.now, settle: (ms) => pause(ms) },
      isPreparing ? 'both keys in the file' : 'new key alone',
    );
  });
  const path = config.masterKeyFile;
  process.stdout.write(
    isPreparing
      ? `✓ ${path} has the old and the new key. Copy it to every machine, then run waybill-server key rotate.\n`
      : `✓ ${path} has the new key. Keep a copy of it elsewhere.\n` +
          `  The old key is in ${path}.before: backups made until now open with it alone. Move it to where you keep the copy.\n`,
  );
  return 0;
}
