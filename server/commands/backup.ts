// `waybill-server backup [--to FOLDER] [--no-files] [--keep]`: makes a backup, also while servers run.
import { withInside } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { type BackupOutcome, makeBackup } from '../installation/backup.ts';
import { backupOptions, backupSource, reportOf } from '../installation/backup-tools.ts';
import { createBackUp } from '../jobs/back-up.ts';
import { createJobRunner } from '../jobs/runner.ts';
import { counted } from '../lib/counted.ts';
import { silentLog } from '../lib/log.ts';
import { readFlags } from './flags.ts';

const usage = 'usage: waybill-server backup [--to FOLDER] [--no-files] [--keep]\n';

export async function backup(args: string[]): Promise<number> {
  const flags = readFlags(args, { values: ['--to'], switches: ['--no-files', '--keep'] });
  if (flags === null) {
    process.stderr.write(usage);
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const dir = flags.values.get('--to') ?? config.backupDir;
  if (dir === null) {
    process.stderr.write(`waybill-server: say where with --to, or set WAYBILL_BACKUP_DIR\n${usage}`);
    return 2;
  }
  const isKept = flags.switches.has('--keep');
  const options = { ...backupOptions(config, dir, !flags.switches.has('--no-files')), isKept };
  const begunAt = performance.now();
  return withInside(config, silentLog, async (inside) => {
    let outcome: BackupOutcome | null = null;
    const job = createBackUp(
      {
        schedule: null,
        async backUp(ctx) {
          outcome = await makeBackup(backupSource(config, { ...inside, ctx }), options);
          return reportOf(outcome);
        },
        drill: () => Promise.reject(new Error('not here')),
      },
      { isForced: true },
    );
    // The job's lease keeps servers from backing up at the same time.
    const runner = createJobRunner(inside.ctx, [job], { upkeep: async () => {} });
    const note = await runner.runOnce(job.name).catch((error: unknown) => {
      if (outcome === null) throw error;
      return 'incomplete';
    });
    if (note === null || outcome === null) {
      process.stdout.write('✗ Another backup is running. Wait for it, or try again in a minute.\n');
      return 1;
    }
    return show(outcome, { dir, key: keyPlace(config), seconds: (performance.now() - begunAt) / 1000 });
  });
}

function keyPlace({ masterKey, masterKeyFile }: { masterKey: unknown; masterKeyFile: string }): string {
  return masterKey === null ? masterKeyFile : 'in WAYBILL_MASTER_KEY';
}

function show(outcome: BackupOutcome, { dir, key, seconds }: { dir: string; key: string; seconds: number }): number {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const { id, files, fileBytes, newFiles, tableBytes, missingFiles, removedSnapshots, warnings } = outcome;
  process.stdout.write(
    `✓ ${id} is in ${dir}: database ${megabytes(tableBytes)}, ${counted(files, 'file')} of ${megabytes(fileBytes)}, ` +
      `${newFiles} of them new; ${seconds.toFixed(1)} s\n` +
      `  It opens with the master key alone, which is not in it: ${key}. Keep a copy of the key elsewhere.\n`,
  );
  const [old, replaced] = [true, false].map((isOld) => removedSnapshots.filter((one) => one.isOld === isOld));
  for (const [because, removed] of [
    ['Removed as too old', old!],
    ['Removed, because a newer one of the same day or week replaces it (--keep prevents that)', replaced!],
  ] as const)
    if (removed.length > 0) process.stdout.write(`  ${because}: ${removed.map(({ id }) => id).join(', ')}\n`);
  if (missingFiles > 0)
    process.stdout.write(
      `✗ ${counted(missingFiles, 'file')} ${missingFiles === 1 ? 'is' : 'are'} not in the store, see waybill-server verify\n`,
    );
  for (const warning of warnings) process.stdout.write(`✗ ${warning}\n`);
  return missingFiles + warnings.length === 0 ? 0 : 1;
}
