// What is wrong right now and needs an administrator: a wrong clock, a brake that stopped erasing, a store that fills up or fails, mail that
// does not leave or is refused, jobs that fail. Only looks; a job mails it, the console shows it.

import { countRefusedMails, listRefusedMails } from '../../db/mail/mail-queue.ts';
import { findStuckMails } from '../../db/mail/outbox.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { listHeldJobs, listJobs } from '../../db/system/jobs.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { findFullDay } from '../storage/history.ts';
import { findFutureFault } from '../system/future-instants.ts';

/** Each is told when it is crossed, and once a day while it stays so. */
const fullPercents = [95, 90, 80];
const refusedMails = 10;
const failuresInARow = 3;
const mailStuckMs = 30 * 60_000;
const dayMs = 24 * 3_600_000;
const backupAgeMs = 7 * dayMs;

/** Everything that is wrong, nothing when all is well. */
export async function findAlerts(ctx: Ctx): Promise<AlertTopic[]> {
  const looks = [
    lookAtClock,
    lookAtBrake,
    lookAtStore,
    lookAtMail,
    lookAtRefusals,
    lookAtJobs,
    lookAtBackups,
    lookAtDrills,
  ];
  return (await Promise.all(looks.map((look) => look(ctx)))).filter((alert) => alert !== null);
}

async function lookAtClock(ctx: Ctx): Promise<AlertTopic | null> {
  const fault = ctx.clock.fault() ?? (await findFutureFault(ctx.db.read, ctx.clock.now()));
  return fault === null ? null : { topic: 'clock-wrong', detail: fault };
}

async function lookAtBrake(ctx: Ctx): Promise<AlertTopic | null> {
  const held = await listHeldJobs(ctx.db.read);
  if (held.length === 0) return null;
  return { topic: 'erasing-paused', detail: held.map(({ name, because }) => `${name}: ${because}`).join('; ') };
}

const troubles = {
  no_uploads: 'there is no room for uploads',
  read_only: 'it cannot be written to',
  unreachable: 'it cannot be reached',
} as const;

async function lookAtStore(ctx: Ctx): Promise<AlertTopic | null> {
  const state = await ctx.blobs.state();
  const space = state === 'unreachable' ? null : await ctx.blobs.space();
  if (space !== null) {
    const fullOn = await findFullDay(ctx, space);
    const percentUsed = Math.floor((space.usedBytes / space.totalBytes) * 100);
    if (levelOf(percentUsed) !== undefined) return { topic: 'storage-full', percentUsed, ...space, fullOn };
  }
  if (state === 'healthy') return null;
  const said = ctx.blobs.trouble();
  return { topic: 'storage-trouble', detail: said === '' ? troubles[state] : `${troubles[state]}: ${said}` };
}

/** The highest threshold that is reached. */
export function levelOf(percentUsed: number): number | undefined {
  return fullPercents.find((percent) => percentUsed >= percent);
}

/** One address that is refused is its sender's matter; here, nothing at all has left for half an hour. */
async function lookAtMail(ctx: Ctx): Promise<AlertTopic | null> {
  const now = ctx.clock.now();
  const stuck = await findStuckMails(ctx.db.read, { before: now - mailStuckMs, now });
  return stuck === null ? null : { topic: 'mail-waiting', ...stuck };
}

/** Many at once are more than a few mistyped addresses: the domain is on a list, or a record is missing. */
async function lookAtRefusals(ctx: Ctx): Promise<AlertTopic | null> {
  const since = ctx.clock.now() - dayMs;
  const mailCount = await countRefusedMails(ctx.db.read, since);
  if (mailCount < refusedMails) return null;
  const [last] = await listRefusedMails(ctx.db.read, since, 1);
  return { topic: 'mail-refused', mailCount, serverText: last?.serverText ?? '' };
}

async function lookAtJobs(ctx: Ctx): Promise<AlertTopic | null> {
  const jobs = (await listJobs(ctx.db.read, ctx.clock.now())).filter(({ failures }) => failures >= failuresInARow);
  if (jobs.length === 0) return null;
  return { topic: 'jobs-failing', jobs: jobs.map(({ name, failure }) => ({ name, failure })) };
}

/** Nothing is said where no backup was ever made by us: it may be made by others. */
async function lookAtBackups(ctx: Ctx): Promise<AlertTopic | null> {
  const last = await findLastBackupRun(ctx.db.read, 'backup');
  if (last === null) return null;
  if (last.failure !== null) return { topic: 'backup-failed', detail: last.failure };
  if (ctx.clock.now() - last.startedAt < backupAgeMs) return null;
  return { topic: 'backup-failed', detail: `The last backup is from ${new Date(last.startedAt).toISOString()}.` };
}

async function lookAtDrills(ctx: Ctx): Promise<AlertTopic | null> {
  const failure = (await findLastBackupRun(ctx.db.read, 'drill'))?.failure ?? null;
  return failure === null ? null : { topic: 'drill-failed', detail: failure };
}
