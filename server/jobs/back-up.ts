// Makes scheduled backups and restore tests. Each run is recorded, and alerts report failures.
import type { Ctx } from '../actions/context.ts';
import { deleteBackupRunsBefore, findLastBackupRun, insertBackupRun } from '../db/system/backup-runs.ts';
import { backUpJob } from '../db/system/jobs.ts';
import {
  type BackupRun,
  type BackupRunKind,
  type BackupSchedule,
  isBackupDue,
  isRestoreTestDue,
} from '../domain/backups.ts';
import { counted } from '../lib/counted.ts';
import { dateOf, startOfDay } from '../lib/dates.ts';
import type { Job } from './job.ts';

export type RunReport = Pick<BackupRun, 'snapshotId' | 'files' | 'bytes'> & {
  /** Null on success. */
  failure: string | null;
};

export interface BackupTools {
  schedule: BackupSchedule | null;
  backUp(ctx: Ctx): Promise<RunReport>;
  /** Null while an operator runs one on this machine. */
  drill(ctx: Ctx): Promise<RunReport | null>;
}

const rememberedMs = 400 * 86_400_000;
const checkEveryMs = 60_000;

export function createBackUp(tools: BackupTools, { isForced = false } = {}): Job {
  return {
    name: backUpJob,
    everyMs: checkEveryMs,
    async run(ctx) {
      if (!isForced && !(await isTimeFor(ctx, tools.schedule))) return 'not due';
      return runAndRecord(ctx, 'backup', tools.backUp);
    },
  };
}

export function createDrill(tools: BackupTools): Job {
  return {
    name: 'restore-drill',
    everyMs: checkEveryMs,
    async run(ctx) {
      const everyMs = tools.schedule?.restoreTestEveryMs ?? 0;
      const [last, good] = [
        await findLastBackupRun(ctx.db.read, 'drill'),
        await findLastBackupRun(ctx.db.read, 'backup', { isGood: true }),
      ];
      if (good === null || !isRestoreTestDue(last?.startedAt ?? null, ctx.clock.now(), everyMs)) return 'not due';
      return runAndRecord(ctx, 'drill', tools.drill);
    },
  };
}

async function isTimeFor(ctx: Ctx, schedule: BackupSchedule | null): Promise<boolean> {
  if (schedule === null) return false;
  const last = await findLastBackupRun(ctx.db.read, 'backup');
  const now = ctx.clock.now();
  const { timeZone } = ctx.settings.surroundings;
  const start = startOfDay(dateOf(now, timeZone), timeZone);
  return isBackupDue(last?.startedAt ?? null, now, { start, minuteOfDay: schedule.minuteOfDay });
}

async function runAndRecord(
  ctx: Ctx,
  kind: BackupRunKind,
  work: (ctx: Ctx) => Promise<RunReport | null>,
): Promise<string> {
  const startedAt = ctx.clock.now();
  let thrown: unknown = null;
  const report = await work(ctx).catch((error: unknown): RunReport => {
    thrown = error;
    const failure = error instanceof Error ? error.message : String(error);
    return { snapshotId: '', files: 0, bytes: 0, failure };
  });
  if (report === null) return 'waits for another run';
  const finishedAt = ctx.clock.now();
  await ctx.db.write(async (tx) => {
    await insertBackupRun(tx, { kind, startedAt, finishedAt, ...report });
    await deleteBackupRunsBefore(tx, finishedAt - rememberedMs);
  });
  // Errors for operators already have a sentence.
  if (report.failure !== null) throw thrown ?? new Error(report.failure);
  return `${report.snapshotId}: ${counted(report.files, 'file')}`;
}
