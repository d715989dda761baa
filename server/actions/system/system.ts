// The installation for System Administrators. Never contains a secret, content or a personal address.

import { countRefusedMails, countWaitingMails } from '../../db/mail/mail-queue.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { type JobRecord, listJobs } from '../../db/system/jobs.ts';
import type { BackupRun } from '../../domain/backups.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { OperatorSetting } from '../../domain/settings.ts';
import { counted } from '../../lib/counted.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export interface Licence {
  name: string;
  version: string;
  licence: string;
}

/** Facts from the composition root. */
export interface SystemFacts {
  node: string;
  platform: string;
  database: 'SQLite' | 'PostgreSQL';
  storage: 'folder' | 'S3';
  startedAt: number;
  settings: readonly OperatorSetting[];
  licences(): Licence[];
  jobs: readonly { name: string; everyMs: number }[];
  /** Resolves when the run has ended; rejects when it failed. */
  runJob(name: string, options: { isConfirmed: boolean }): Promise<unknown>;
  failingChecks(): Promise<string[]>;
  areBackupsScheduled: boolean;
}

export interface JobState extends JobRecord {
  everyMs: number;
}

/** Includes jobs that have never run. */
export async function listAllJobs(ctx: Ctx, caller: UserCaller, facts: SystemFacts): Promise<JobState[]> {
  requireRight(caller, 'system.read');
  const known = new Map((await listJobs(ctx.db.read, ctx.clock.now())).map((job) => [job.name, job]));
  return facts.jobs
    .map(({ name, everyMs }) => ({ ...(known.get(name) ?? neverRun(name)), everyMs }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function neverRun(name: string): JobRecord {
  const nothing = { lastRunAt: null, tookMs: null, heldBecause: null, failedAt: null };
  return { name, isRunning: false, note: '', failures: 0, failure: '', ...nothing };
}

export interface BackupState {
  isScheduled: boolean;
  lastBackup: BackupRun | null;
  lastGoodBackup: BackupRun | null;
  lastDrill: BackupRun | null;
}

/** Includes runs of the operator's commands. */
export async function findBackupState(ctx: Ctx, caller: UserCaller, facts: SystemFacts): Promise<BackupState> {
  requireRight(caller, 'system.read');
  const [lastBackup, lastGoodBackup, lastDrill] = await Promise.all([
    findLastBackupRun(ctx.db.read, 'backup'),
    findLastBackupRun(ctx.db.read, 'backup', { isGood: true }),
    findLastBackupRun(ctx.db.read, 'drill'),
  ]);
  return { isScheduled: facts.areBackupsScheduled, lastBackup, lastGoodBackup, lastDrill };
}

/** A longer run continues after the reply. */
const waitForRunMs = 10_000;

/** A failed run does not fail the call. */
export async function runJobNow(
  ctx: Ctx,
  caller: UserCaller,
  facts: SystemFacts,
  { name, isConfirmed }: { name: string; isConfirmed: boolean },
): Promise<JobState> {
  requireRight(caller, 'system.change');
  if (!facts.jobs.some((job) => job.name === name)) throw notFound('job');
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, {
      action: 'job.run',
      object: { kind: 'job', id: name },
      ownerId: '',
      facts: { confirmed: isConfirmed },
    }),
  );
  const run = facts.runJob(name, { isConfirmed }).catch((error: unknown) => {
    ctx.log.error({ job: name, err: String(error) }, 'a background job that was run by hand failed');
  });
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitForRunMs);
  await Promise.race([run, tooLong]);
  clearTimeout(timer);
  return (await listAllJobs(ctx, caller, facts)).find((job) => job.name === name)!;
}

/** Leaves out values that could identify a person or a place. */
export async function supportText(ctx: Ctx, caller: UserCaller, facts: SystemFacts): Promise<string> {
  requireRight(caller, 'system.read');
  const now = ctx.clock.now();
  const [jobs, failing, waiting, refused] = await Promise.all([
    listAllJobs(ctx, caller, facts),
    facts.failingChecks(),
    countWaitingMails(ctx.db.read),
    countRefusedMails(ctx.db.read, now - 24 * 3_600_000),
  ]);
  const lines = [
    `Waybill ${ctx.settings.surroundings.version}, Node ${facts.node}, ${facts.platform}`,
    `Database: ${facts.database}; storage: ${facts.storage}; time: ${new Date(now).toISOString()}`,
    `Running since: ${new Date(facts.startedAt).toISOString()}`,
    `Not ready because of: ${failing.length === 0 ? 'nothing' : failing.join(', ')}`,
    `Mails waiting: ${waiting}; refused in 24 hours: ${refused}`,
    `Maintenance: ${ctx.settings.current().maintenance === null ? 'off' : 'on'}`,
    '',
    'Settings that are not the default:',
    ...facts.settings.filter(({ source }) => source !== 'default').map(supportLine),
    '',
    'Jobs:',
    ...jobs.map((job) => {
      const failure =
        job.failures === 0 ? '' : `; failed ${counted(job.failures, 'time')} in a row: ${withoutNames(job.failure)}`;
      const held = job.heldBecause === null ? '' : `; held: ${withoutNames(job.heldBecause)}`;
      const last = job.lastRunAt === null ? 'never run' : `last run ${new Date(job.lastRunAt).toISOString()}`;
      return `  ${job.name}: ${last}${failure}${held}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/** Values that identify no one. */
const plainValue = /^(true|false|on|off|\d[\w./%-]{0,20}|[a-z]{1,12}|[A-Z][a-z]+\/[A-Za-z_]+)$/;

function supportLine({ name, value, source, isSecret }: OperatorSetting): string {
  const shown = isSecret || source === 'file' ? '•••' : plainValue.test(value) && !isIpLike(value) ? value : '(set)';
  return `  ${name}=${shown} (${source})`;
}

function isIpLike(value: string): boolean {
  return /^\d+\.\d+\.\d+/.test(value);
}

/** Messages of other programs may contain addresses, paths and hosts. */
function withoutNames(text: string): string {
  return text
    .replace(/\S+@\S+/g, '…')
    .replace(/(^|\s)[^\s]*[/\\][^\s]*/g, '$1…')
    .replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, '…')
    .slice(0, 200);
}
