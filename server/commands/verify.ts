// `waybill-server verify [--after ID] | --backup FOLDER [--snapshot ID] [--sample PERCENT]`: reads stored files back
// and compares their checksums. Marks damaged files, removes wrong marks, and can resume.
import { checkFile, type FileVerdict } from '../actions/storage/checking.ts';
import { withInstallation } from '../app.ts';
import { type Config, readConfig, takeSecrets } from '../config.ts';
import { listFileIdsAfter } from '../db/storage/storage.ts';
import { systemCaller } from '../domain/caller.ts';
import { type DrillOptions, drillBackup } from '../installation/drill.ts';
import { actAsOwnerOf } from '../lib/acting-user.ts';
import { counted } from '../lib/counted.ts';
import { createRandom } from '../lib/ids.ts';
import { silentLog } from '../lib/log.ts';
import { readFlags } from './flags.ts';

const batchSize = 100;
const sayEvery = 1000;

export async function verify(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--after', '--backup', '--snapshot', '--sample'] });
  const dir = flags?.values.get('--backup');
  const sample = readSample(flags?.values.get('--sample') ?? '100%');
  const isMixed =
    dir === undefined ? flags?.values.has('--snapshot') || flags?.values.has('--sample') : flags?.values.has('--after');
  if (flags === null || sample === null || isMixed === true) {
    process.stderr.write(
      'usage: waybill-server verify [--after ID] | verify --backup FOLDER [--snapshot ID] [--sample PERCENT]\n',
    );
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  if (dir !== undefined)
    return verifyBackup(config, { dir, snapshotId: flags.values.get('--snapshot') ?? null, sample });
  return verifyStore(config, flags.values.get('--after') ?? '');
}

/** `5%` gives 0.05; null for anything else. */
function readSample(text: string): number | null {
  const match = /^(\d{1,3}(?:\.\d+)?)%?$/.exec(text);
  const part = match === null ? 0 : Number(match[1]) / 100;
  return part > 0 && part <= 1 ? part : null;
}

async function verifyBackup(config: Config, options: DrillOptions): Promise<number> {
  actAsOwnerOf(config.dataDir);
  const clock = { now: () => Date.now(), uptime: () => performance.now(), fault: () => null };
  const found = await drillBackup({ config, log: silentLog, random: createRandom(), clock }, options);
  if (found === null) {
    process.stdout.write('✗ Another backup is being tried out. Wait until that has ended, then try again.\n');
    return 1;
  }
  for (const fault of found.faults) process.stdout.write(`✗ ${fault}\n`);
  const what = `${found.snapshotId}: ${counted(found.rows, 'row')} restored, ${found.filesRead} of ${counted(found.filesTotal, 'file')} read`;
  process.stdout.write(found.faults.length === 0 ? `✓ ${what}; everything is as it was saved.\n` : `${what}\n`);
  return found.faults.length === 0 ? 0 : 1;
}

async function verifyStore(config: Config, from: string): Promise<number> {
  return withInstallation(config, silentLog, async (ctx) => {
    await ctx.blobs.assertOwn();
    const counts: Record<FileVerdict, number> = { whole: 0, mended: 0, damaged: 0, missing: 0, gone: 0 };
    let checked = 0;
    for (let after = from; ; ) {
      const batch = await listFileIdsAfter(ctx.db.read, after, batchSize);
      for (const id of batch) {
        const verdict = await checkFile(ctx, systemCaller, id);
        counts[verdict] += 1;
        if (verdict === 'damaged' || verdict === 'missing') process.stdout.write(`✗ ${id} is ${verdict}\n`);
        if (verdict === 'mended') process.stdout.write(`✓ ${id} was marked as damaged and is whole\n`);
        if (++checked % sayEvery === 0) process.stdout.write(`${counted(checked, 'file')} read, the last is ${id}\n`);
      }
      if (batch.length < batchSize) break;
      after = batch.at(-1)!;
    }
    const { mended, damaged, missing } = counts;
    process.stdout.write(
      `${counted(checked, 'file')} read: ${damaged} damaged, ${missing} missing, ${counted(mended, 'wrong mark')} taken back\n`,
    );
    return damaged + missing === 0 ? 0 : 1;
  });
}
