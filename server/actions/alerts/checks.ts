// Conditions that need an administrator. A job mails them, the console shows them.

import { countRefusedMails, listRefusedMails } from '../../db/mail/mail-queue.ts';
import { findStuckMails } from '../../db/mail/outbox.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { listHeldJobs, listJobs } from '../../db/system/jobs.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { findSealingFault } from '../evidence/sealing-delay.ts';
import { findFullDay } from '../storage/history.ts';
import { findFutureFault } from '../system/future-instants.ts';

/** Each threshold has its own alert. */
const fullPercents = [95, 90, 80];
const refusedMails = 10;
const failuresInARow = 3;
const mailStuckMs = 30 * 60_000;
const dayMs = 24 * 3_600_000;
const backupAgeMs = 7 * dayMs;

export async function findAlerts(ctx: Ctx): Promise<AlertTopic[]> {
  const checks = [
    checkClock,
    checkHeldJobs,
    checkStorage,
    checkMailQueue,
    checkRefusedMails,
    checkJobs,
    checkBackups,
    checkRestoreTests,
    checkSealing,
  ];
  return (await Promise.all(checks.map((check) => check(ctx)))).filter((alert) => alert !== null);
}

async function checkClock(ctx: Ctx): Promise<AlertTopic | null> {
  const fault = ctx.clock.fault() ?? (await findFutureFault(ctx.db.read, ctx.clock.now()));
  return fault === null ? null : { topic: 'clock-wrong', detail: fault };
}

async function checkHeldJobs(ctx: Ctx): Promise<AlertTopic | null> {
  const held = await listHeldJobs(ctx.db.read);
  if (held.length === 0) return null;
  return { topic: 'erasing-paused', detail: held.map(({ name, because }) => `${name}: ${because}`).join('; ') };
}

const storageFaults = {
  no_uploads: 'there is no room for uploads',
  read_only: 'it cannot be written to',
  unreachable: 'it cannot be reached',
} as const;

async function checkStorage(ctx: Ctx): Promise<AlertTopic | null> {
  const state = await ctx.blobs.state();
  const space = state === 'unreachable' ? null : await ctx.blobs.space();
  if (space !== null) {
    const fullOn = await findFullDay(ctx, space);
    const percentUsed = Math.floor((space.usedBytes / space.totalBytes) * 100);
    if (levelOf(percentUsed) !== undefined) return { topic: 'storage-full', percentUsed, ...space, fullOn };
  }
  if (state === 'healthy') return null;
  const detail = ctx.blobs.trouble();
  return {
    topic: 'storage-trouble',
    detail: detail === '' ? storageFaults[state] : `${storageFaults[state]}: ${detail}`,
  };
}

/** The highest threshold reached. */
export function levelOf(percentUsed: number): number | undefined {
  return fullPercents.find((percent) => percentUsed >= percent);
}

/** A single refused address concerns its sender only. */
async function checkMailQueue(ctx: Ctx): Promise<AlertTopic | null> {
  const now = ctx.clock.now();
  const stuck = await findStuckMails(ctx.db.read, { before: now - mailStuckMs, now });
  return stuck === null ? null : { topic: 'mail-waiting', ...stuck };
}

/** Many refusals suggest a blocklisted domain or a missing DNS record. */
async function checkRefusedMails(ctx: Ctx): Promise<AlertTopic | null> {
  const since = ctx.clock.now() - dayMs;
  const mailCount = await countRefusedMails(ctx.db.read, since);
  if (mailCount < refusedMails) return null;
  const [last] = await listRefusedMails(ctx.db.read, since, 1);
  return { topic: 'mail-refused', mailCount, serverText: last?.serverText ?? '' };
}

async function checkJobs(ctx: Ctx): Promise<AlertTopic | null> {
  const jobs = (await listJobs(ctx.db.read, ctx.clock.now())).filter(({ failures }) => failures >= failuresInARow);
  if (jobs.length === 0) return null;
  return { topic: 'jobs-failing', jobs: jobs.map(({ name, failure }) => ({ name, failure })) };
}

/** Silent if this program never made a backup: another tool may. */
async function checkBackups(ctx: Ctx): Promise<AlertTopic | null> {
  const last = await findLastBackupRun(ctx.db.read, 'backup');
  if (last === null) return null;
  if (last.failure !== null) return { topic: 'backup-failed', detail: last.failure };
  if (ctx.clock.now() - last.startedAt < backupAgeMs) return null;
  return { topic: 'backup-failed', detail: `The last backup is from ${new Date(last.startedAt).toISOString()}.` };
}

async function checkRestoreTests(ctx: Ctx): Promise<AlertTopic | null> {
  const failure = (await findLastBackupRun(ctx.db.read, 'drill'))?.failure ?? null;
  return failure === null ? null : { topic: 'drill-failed', detail: failure };
}

async function checkSealing(ctx: Ctx): Promise<AlertTopic | null> {
  const detail = await findSealingFault(ctx.db.read, ctx.clock.now());
  return detail === null ? null : { topic: 'events-unsealed', detail };
}
