// Configured backups and restore tests, for jobs and commands.
import type { Config } from '../config.ts';
import type { BackupTools, RunReport } from '../jobs/back-up.ts';
import { counted } from '../lib/counted.ts';
import { type BackupOptions, type BackupOutcome, makeBackup } from './backup.ts';
import { type DrillOutcome, drillBackup } from './drill.ts';
import { databaseUrl, type Inside } from './open.ts';

/** Without a backup folder, nothing is scheduled. */
export function createBackupTools(config: Config, inside: Pick<Inside, 'master' | 'store'>): BackupTools {
  const { backupDir: dir } = config;
  const needDir = () => {
    if (dir === null) throw new Error('WAYBILL_BACKUP_DIR is not set');
    return dir;
  };
  return {
    schedule:
      dir === null
        ? null
        : {
            minuteOfDay: config.backupMinute,
            keepDays: config.backupKeepDays,
            keepWeeks: config.backupKeepWeeks,
            restoreTestEveryMs: config.backupDrillMs,
          },
    backUp: async (ctx) =>
      reportOf(await makeBackup(backupSource(config, { ...inside, ctx }), backupOptions(config, needDir(), true))),
    async drill(ctx) {
      const outcome = await drillBackup({ config, ...ctx }, { dir: needDir(), snapshotId: null, sample: 1 });
      return outcome === null ? null : drillReport(outcome);
    },
  };
}

export function backupSource(config: Config, { ctx, master, store }: Pick<Inside, 'ctx' | 'master' | 'store'>) {
  return { ctx, master, store, databaseUrl: databaseUrl(config) };
}

export function backupOptions(config: Config, dir: string, hasFiles: boolean): BackupOptions {
  const keep = { keepDays: config.backupKeepDays, keepWeeks: config.backupKeepWeeks };
  return { dir, hasFiles, minFreeBytes: config.minFreeBytes, keep };
}

/** A backup with missing files counts as failed. */
export function reportOf({ id, files, fileBytes, missingFiles, warnings }: BackupOutcome): RunReport {
  const faults = [
    ...(missingFiles === 0
      ? []
      : [`${counted(missingFiles, 'file')} ${missingFiles === 1 ? 'is' : 'are'} not in the store.`]),
    ...warnings,
  ];
  return { snapshotId: id, files, bytes: fileBytes, failure: faults.length === 0 ? null : faults.join(' ') };
}

function drillReport({ snapshotId, filesRead, faults }: DrillOutcome): RunReport {
  return { snapshotId, files: filesRead, bytes: 0, failure: faults.length === 0 ? null : faults.join(' ') };
}
