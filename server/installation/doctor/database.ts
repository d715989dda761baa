// Checks the database: connection, tables, master key, clock, and work that waits for an operator.
import { unacceptedMails } from '../../actions/alerts/checks.ts';
import { findSealingFault } from '../../actions/evidence/sealing-delay.ts';
import { findLostPasskeys } from '../../actions/passkeys/domain.ts';
import { readBackupMark } from '../../blobs/backup-folder.ts';
import type { Config } from '../../config.ts';
import { findUnacceptedMails } from '../../db/mail/outbox.ts';
import { findMissingMigrations, openDatabase } from '../../db/open.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { findInstallationId, findMeta } from '../../db/system/installation.ts';
import { listHeldJobs } from '../../db/system/jobs.ts';
import { findRewritingOwed } from '../../db/system/rewriting.ts';
import type { Random } from '../../domain/ports.ts';
import type { BaseClock } from '../../lib/clock.ts';
import { counted } from '../../lib/counted.ts';
import { describeClock, referenceOf } from '../clock.ts';
import { keyCheck, openMasters, proofOf } from '../keys.ts';
import { databaseUrl } from '../open.ts';
import { findQuarantine } from '../quarantine.ts';
import { openSettings, surroundingsOf } from '../settings.ts';
import { type Finding, fault, messageOf, ok, warn } from './findings.ts';

const hourMs = 3_600_000;
const weekMs = 168 * hourMs;

export async function openExamined(config: Config): Promise<{ db: LockedDb | null; findings: Finding[] }> {
  let db: LockedDb;
  try {
    db = await openDatabase(databaseUrl(config), { connections: 2 });
    await db.ping();
  } catch (error) {
    return { db: null, findings: [fault('database', messageOf(error), connectionCure(error))] };
  }
  try {
    const { missing } = await findMissingMigrations(db);
    if (missing.length === 0)
      return { db, findings: [ok('database', 'Reachable, and its tables are those of this version.')] };
    await db.close();
    const sentence = `Its tables are of an older version: ${counted(missing.length, 'migration')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
    return { db: null, findings: [fault('database', sentence, 'waybill-server migrate')] };
  } catch (error) {
    await db.close();
    return {
      db: null,
      findings: [fault('database', messageOf(error), 'Install the version that the sentence names.')],
    };
  }
}

function connectionCure(error: unknown): string {
  const text = `${codeOf(error)} ${messageOf(error)}`;
  if (/\b28\w{3}\b|authentication/.test(text)) return 'Correct user and password in WAYBILL_DATABASE_URL.';
  if (/\b3D\w{3}\b|does not exist/.test(text))
    return 'Correct the name in WAYBILL_DATABASE_URL, or make the database: createdb NAME';
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'Correct the host in WAYBILL_DATABASE_URL, or add its name to the DNS.';
  if (/ECONNREFUSED/.test(text)) return 'Start PostgreSQL, or correct host and port in WAYBILL_DATABASE_URL.';
  return 'Check that PostgreSQL runs and lets this machine in (WAYBILL_DATABASE_URL, pg_hba.conf, firewall).';
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return `${String(code ?? '')} ${cause instanceof Error ? codeOf(cause) : ''}`;
}

export async function checkKeys(config: Config, db: LockedDb, random: Random): Promise<Finding[]> {
  const check = await findMeta(db.read, keyCheck);
  const masters = await openMasters(config, random).catch(() => []);
  if (check === null || masters.length === 0) return [];
  return masters.some((master) => proofOf(master) === check)
    ? [ok('master key', 'It belongs to the database.')]
    : [
        fault(
          'master key',
          'The master key does not belong to this database: the service does not start with it.',
          `Put the right one there (${config.masterKeyFile}); after key rotate on another machine, the file from there.`,
        ),
      ];
}

export async function checkClocks(db: LockedDb, clock: BaseClock, reference = referenceOf(db)): Promise<Finding[]> {
  const { faults, machine } = await describeClock(db, clock, reference);
  if (faults.length === 0) return [ok('clock', `${machine}; the clocks agree.`)];
  return faults.map((sentence) =>
    fault('clock', sentence, /--mend/.test(sentence) ? 'waybill-server clock --mend' : 'timedatectl set-ntp true'),
  );
}

export async function checkConnections(config: Config, db: LockedDb): Promise<Finding[]> {
  const permitted = (await db.connectionsPermitted?.()) ?? null;
  if (permitted === null) return [];
  const { databaseConnections: ours } = config;
  return permitted >= ours
    ? [ok('connections', `The database permits ${permitted} connections; this machine opens ${ours} at most.`)]
    : [
        fault(
          'connections',
          `The database permits ${permitted} connections, but the workers of this machine may open ${ours}.`,
          `Raise max_connections of PostgreSQL (or the limit of the role or the database), or set WAYBILL_DATABASE_CONNECTIONS=${permitted}.`,
        ),
      ];
}

export async function checkHolds(config: Config, db: LockedDb, now: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const quarantine = await findQuarantine(db);
  if (quarantine !== null) findings.push(warn('quarantine', quarantine, 'waybill-server quarantine --end'));
  const settings = (await openSettings(db, surroundingsOf(config))).current();
  const lost = await findLostPasskeys(db.read, config.baseUrl.hostname, settings);
  if (lost !== null)
    findings.push(
      warn(
        'passkeys',
        `Passkeys of ${lost.people} people and of ${lost.addresses} addresses of recipients were set up for ${lost.domain} and do not work at ${lost.host}.`,
        `Use an address in ${lost.domain} (WAYBILL_BASE_URL); for one person: waybill-server user rescue ADDRESS --without-second-step; of recipients: Console → Security`,
      ),
    );
  if (settings.maintenance !== null)
    findings.push(
      warn('maintenance', 'Maintenance is on: only administrators get in.', 'waybill-server maintenance off'),
    );
  for (const { name, because } of await listHeldJobs(db.read))
    findings.push(
      warn('jobs', `${name} waits for you: ${because}`, 'Look at what it would remove, then: waybill-server gc'),
    );
  const owedSince = await findRewritingOwed(db.read);
  if (owedSince !== null)
    findings.push(
      warn(
        'erasures',
        `The database file has not been rewritten since people were erased on ${new Date(owedSince).toISOString().slice(0, 10)}: it may still have traces of them.`,
        'waybill-server maintenance rewrite',
      ),
    );
  return [
    ...findings,
    ...(await checkAcceptedMails(db, now)),
    ...(await checkSealing(db, now)),
    await checkBackups(config, db, now),
    ...(await checkBackupFolder(config, db)),
  ];
}

async function checkAcceptedMails(db: LockedDb, now: number): Promise<Finding[]> {
  const { mailCount, serverText } = await findUnacceptedMails(db.read, now - hourMs);
  if (mailCount < unacceptedMails) return [];
  return [
    fault(
      'mail',
      `The relay accepts no mail: the last ${mailCount} were not taken.`,
      'waybill-server mail test ADDRESS shows the step that fails; correct what it names.',
      serverText,
    ),
  ];
}

export async function checkSealing(db: LockedDb, now: number): Promise<Finding[]> {
  const sentence = await findSealingFault(db.read, now);
  return sentence === null
    ? []
    : [warn('evidence', sentence, 'Look for the job seal-events in the console and in the log of the service.')];
}

async function checkBackupFolder({ backupDir }: Config, db: LockedDb): Promise<Finding[]> {
  const installation = backupDir === null ? null : await readBackupMark(backupDir);
  if (installation === null || installation === (await findInstallationId(db.read))) return [];
  return [
    fault(
      'backups',
      `The folder ${backupDir} has the backups of another installation: none is made there.`,
      'Set WAYBILL_BACKUP_DIR to a folder of its own.',
    ),
  ];
}

async function checkBackups({ backupDir }: Config, db: LockedDb, now: number): Promise<Finding> {
  const last = await findLastBackupRun(db.read, 'backup', { isGood: true });
  const cure =
    backupDir === null ? 'Set WAYBILL_BACKUP_DIR, or run: waybill-server backup --to FOLDER' : 'waybill-server backup';
  if (last === null) return warn('backups', 'There is no backup made by Waybill.', cure);
  const days = Math.floor((now - last.finishedAt) / 86_400_000);
  if (days < -1)
    return warn('backups', 'The last good backup has a time in the future.', 'waybill-server clock --mend');
  if (now - last.finishedAt > weekMs)
    return warn('backups', `The last good backup is ${counted(days, 'day')} old.`, cure);
  return ok('backups', `The last good backup is ${days <= 0 ? 'of today' : `${counted(days, 'day')} old`}.`);
}
