// `waybill-server verify [--after ID]`: reads every stored file back, decrypts it and compares it with its checksum. Marks
// what is damaged, takes wrong marks back, and goes on where an earlier run was stopped.
import { checkFile, type FileVerdict } from '../actions/storage/checking.ts';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { listFileIdsAfter } from '../db/storage.ts';
import { systemCaller } from '../domain/caller.ts';
import { silentLog } from '../lib/log.ts';

const batchSize = 100;
const sayEvery = 1000;

export async function verify(args: string[]): Promise<number> {
  const [flag, from = ''] = args;
  if (flag !== undefined && (flag !== '--after' || from === '' || args.length > 2)) {
    process.stderr.write('usage: waybill-server verify [--after ID]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
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
        if (++checked % sayEvery === 0) process.stdout.write(`${checked} files read, the last is ${id}\n`);
      }
      if (batch.length < batchSize) break;
      after = batch.at(-1)!;
    }
    const { mended, damaged, missing } = counts;
    process.stdout.write(
      `${checked} files read: ${damaged} damaged, ${missing} missing, ${mended} wrong marks taken back\n`,
    );
    return damaged + missing === 0 ? 0 : 1;
  });
}
