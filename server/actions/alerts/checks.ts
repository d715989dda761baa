// Conditions that need an administrator. A job mails them, the console shows them.

import { listFailedHosts } from '../../db/event-receivers/webhooks.ts';
import { listDirectorySyncs } from '../../db/identity/directory-syncs.ts';
import { countRefusedMails, listRefusedMails } from '../../db/mail/mail-queue.ts';
import { findStuckMails, findUnacceptedMails } from '../../db/mail/outbox.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { findInstalledAt, findMeta } from '../../db/system/installation.ts';
import { listHeldJobs, listJobs } from '../../db/system/jobs.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { listFailingStreams } from '../event-receivers/streams.ts';
import { listFailingWitnesses } from '../evidence/ask-witnesses.ts';
import { findSealingFault } from '../evidence/sealing-delay.ts';
import { listEndingCredentials } from '../identity/credential-ends.ts';
import { listServices } from '../identity/service-list.ts';
import { isStopped } from '../scim/brake.ts';
import { scimIdentity } from '../scim/scim-identity.ts';
import { findFullDay } from '../storage/history.ts';
import { findFutureFault } from '../system/future-instants.ts';

/** Each threshold has its own alert. */
const fullPercents = [95, 90, 80];
interface Thresholds {
  refusedMails: number;
  failuresInARow: number;
  /** The job that reads their ends mails them itself, once for each of the days. */
  hasCredentials: boolean;
  /** Of a stream or witness. */
  outageMs: number;
}
const mailed: Thresholds = { refusedMails: 10, failuresInARow: 3, hasCredentials: false, outageMs: 60 * 60_000 };
const shown: Thresholds = { refusedMails: 1, failuresInARow: 1, hasCredentials: true, outageMs: 0 };
/** So many in a row without one that was accepted are a fault of the relay; a single one concerns its sender. */
export const unacceptedMails = 3;
const mailStuckMs = 30 * 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const backupAgeMs = 7 * dayMs;
const firstBackupMs = 3 * dayMs;
const certificateMs = 21 * dayMs;

/** Conditions that are worth a mail. */
export function findAlerts(ctx: Ctx): Promise<AlertTopic[]> {
  return runChecks(ctx, mailed);
}

/** The console also shows a single refused mail and a single failure of a job. */
export function findShownAlerts(ctx: Ctx): Promise<AlertTopic[]> {
  return runChecks(ctx, shown);
}

/** When it was installed, if it has run for days without a backup of its own; another tool may make them. */
export async function findMissingBackup(ctx: Ctx): Promise<number | null> {
  if ((await findLastBackupRun(ctx.db.read, 'backup')) !== null) return null;
  const installedAt = await findInstalledAt(ctx.db.read);
  return ctx.clock.now() - installedAt < firstBackupMs ? null : installedAt;
}

async function runChecks(ctx: Ctx, thresholds: Thresholds): Promise<AlertTopic[]> {
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
    checkWitnesses,
    checkStreams,
    checkCertificate,
    checkCredentials,
    checkSyncs,
    checkWebhooks,
  ];
  return (await Promise.all(checks.map((check) => check(ctx, thresholds)))).filter((alert) => alert !== null);
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
  if (stuck !== null) return { topic: 'mail-waiting', ...stuck };
  const { mailCount, waiting, oldestAt, serverText } = await findUnacceptedMails(ctx.db.read, now - hourMs);
  // Refusals have an alert of their own.
  return mailCount < unacceptedMails || waiting === 0
    ? null
    : { topic: 'mail-waiting', mailCount: waiting, oldestAt, serverText };
}

/** Many refusals suggest a blocklisted domain or a missing DNS record. */
async function checkRefusedMails(ctx: Ctx, { refusedMails }: Thresholds): Promise<AlertTopic | null> {
  const since = ctx.clock.now() - dayMs;
  const mailCount = await countRefusedMails(ctx.db.read, since);
  if (mailCount < refusedMails) return null;
  const [last] = await listRefusedMails(ctx.db.read, since, 1);
  return { topic: 'mail-refused', mailCount, serverText: last?.serverText ?? '' };
}

async function checkJobs(ctx: Ctx, { failuresInARow }: Thresholds): Promise<AlertTopic | null> {
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

/** Receipts wait for the quorum of the policy. */
async function checkWitnesses(ctx: Ctx, { outageMs }: Thresholds): Promise<AlertTopic | null> {
  const failing = lasting(ctx, await listFailingWitnesses(ctx), outageMs);
  return failing.length === 0
    ? null
    : { topic: 'witness-failing', detail: failing.map(({ error }) => error).join('; ') };
}

async function checkStreams(ctx: Ctx, { outageMs }: Thresholds): Promise<AlertTopic | null> {
  const failing = lasting(ctx, await listFailingStreams(ctx), outageMs);
  if (failing.length === 0) return null;
  return { topic: 'stream-failing', detail: failing.map(({ target, error }) => `${target}: ${error}`).join('; ') };
}

function lasting<Outage extends { since: number }>(ctx: Ctx, outages: readonly Outage[], outageMs: number): Outage[] {
  return outages.filter(({ since }) => ctx.clock.now() - since >= outageMs);
}

/** The job check-certificate reads its end. */
async function checkCertificate(ctx: Ctx): Promise<AlertTopic | null> {
  const endsAt = Number((await findMeta(ctx.db.read, 'certificate_end')) ?? Number.POSITIVE_INFINITY);
  const now = ctx.clock.now();
  if (endsAt - now > certificateMs) return null;
  const { hostname } = new URL(ctx.settings.surroundings.baseUrl);
  const ends = endsAt < now ? 'ended' : 'ends';
  return {
    topic: 'certificate-expiring',
    detail: `The certificate of ${hostname} ${ends} on ${new Date(endsAt).toISOString()}.`,
  };
}

async function checkCredentials(ctx: Ctx, { hasCredentials }: Thresholds): Promise<AlertTopic | null> {
  const ending = hasCredentials ? await listEndingCredentials(ctx) : [];
  return ending.length === 0 ? null : { topic: 'credential-ending', detail: ending.join('; ') };
}

/** Directories and SCIM that would change many people. */
async function checkSyncs(ctx: Ctx): Promise<AlertTopic | null> {
  const services = (await listServices(ctx, 'ldap')).map(({ id }) => id);
  if (await isStopped(ctx)) services.push(scimIdentity);
  const stopped = (await listDirectorySyncs(ctx.db.read)).filter(
    ({ service, outcome }) => outcome === 'stopped' && services.includes(service),
  );
  if (stopped.length === 0) return null;
  const detail = stopped.map(({ note }) => note).join('; ');
  return { topic: 'sync-stopped', detail, services: stopped.map(({ service }) => service).join() };
}

/** A person switched none of them off. */
async function checkWebhooks(ctx: Ctx): Promise<AlertTopic | null> {
  const hosts = await listFailedHosts(ctx.db.read);
  return hosts.length === 0 ? null : { topic: 'webhook-off', detail: hosts.join(', ') };
}
