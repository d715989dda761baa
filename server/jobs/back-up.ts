// Makes backups at their time of day and tries them out. Each run is remembered; of one that failed, the watch over the
// health of the installation tells administrators (actions/alerts/checks.ts).
import type { Ctx } from '../actions/context.ts';
import { deleteBackupRunsBefore, findLastBackupRun, insertBackupRun } from '../db/system/backup-runs.ts';
import { backUpJob } from '../db/system/jobs.ts';
import { type BackupRun, type BackupRunKind, type BackupSchedule, isBackupDue, isDrillDue } from '../domain/backups.ts';
import { dateOf, startOfDay } from '../lib/dates.ts';
import type { Job } from './job.ts';

/** What a run has to tell. */
export type RunReport = Pick<BackupRun, 'snapshotId' | 'files' | 'bytes'> & {
  /** Null when it went well. */
  failure: string | null;
};

/** How it is done, which only the composition root knows. */
export interface BackupTools {
  schedule: BackupSchedule | null;
  backUp(ctx: Ctx): Promise<RunReport>;
  /** Null while an operator has a backup tried out on this machine. */
  drill(ctx: Ctx): Promise<RunReport | null>;
}

const rememberedMs = 400 * 86_400_000;
const lookEveryMs = 60_000;

/** `isForced`: now, regardless of the schedule. */
export function createBackUp(tools: BackupTools, { isForced = false } = {}): Job {
  return {
    name: backUpJob,
    everyMs: lookEveryMs,
    async run(ctx) {
      if (!isForced && !(await isTimeFor(ctx, tools.schedule))) return 'not due';
      return runAndRemember(ctx, 'backup', tools.backUp);
    },
  };
}

export function createDrill(tools: BackupTools): Job {
  return {
    name: 'restore-drill',
    everyMs: lookEveryMs,
    async run(ctx) {
      const everyMs = tools.schedule?.drillEveryMs ?? 0;
      const [last, good] = [
        await findLastBackupRun(ctx.db.read, 'drill'),
        await findLastBackupRun(ctx.db.read, 'backup', { isGood: true }),
      ];
      if (good === null || !isDrillDue(last?.startedAt ?? null, ctx.clock.now(), everyMs)) return 'not due';
      return runAndRemember(ctx, 'drill', tools.drill);
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

/** A failure is remembered, and is a failure of the job as well. */
async function runAndRemember(
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
  // Rethrown unchanged: errors for operators already have a sentence.
  if (report.failure !== null) throw thrown ?? new Error(report.failure);
  return `${report.snapshotId}: ${report.files} files`;
}
