// Checks everything an installation depends on, and names a cure for each fault. Changes nothing; every check has a
// time limit.
import { type Config, ConfigProblems, readConfig } from '../../config.ts';
import type { Db, LockedDb } from '../../db/schema/schema.ts';
import type { Random } from '../../domain/ports.ts';
import type { BaseClock } from '../../lib/clock.ts';
import type { Reference } from '../clock.ts';
import { checkProxy, tokenOf } from './address.ts';
import { checkCertificates, checkServerCertificate } from './certificates.ts';
import { checkClocks, checkConnections, checkHolds, checkKeys, openExamined } from './database.ts';
import { checkEventsFile, checkSyslog, checkWebhooks, checkWitnesses } from './event-receivers.ts';
import { type DoctorCheck, type Finding, fault, ok, runCheck, warn } from './findings.ts';
import { checkListener, checkTrustedProxies, isAnswering } from './listener.ts';
import { checkFolders, checkFreeSpace, checkKeyFile, checkProgram } from './machine.ts';
import { checkMailDomain, checkRelay, examineMail, unlockExamined } from './mail.ts';
import { actAsService, type DatabasePresence, databaseFilesFault, findPresence } from './owners.ts';
import { checkScanner } from './scanner.ts';
import { checkStore } from './storage.ts';

export interface Instruments {
  random: Random;
  clock: BaseClock;
  /** Replaces the clock of the database. */
  reference?: Reference;
  /** Called with each finding immediately. */
  onFinding?(finding: Finding): void;
}

const usualMs = 20_000;
/** Several sequential requests, with a bisection of the body size. */
const proxyMs = 120_000;

export async function examine(instruments: Instruments, environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (name: string, cure: string, run: DoctorCheck['run'], limitMs = usualMs) => {
    for (const finding of await runCheck({ name, cure, limitMs, run })) {
      findings.push(finding);
      instruments.onFinding?.(finding);
    }
  };
  let config: Config | null = null;
  await check('configuration', 'waybill-server config check', async () => {
    config = readOrNull(environment);
    return config === null ? configFaults(environment) : [ok('configuration', 'Every setting is known and right.')];
  });
  await check('program', 'npm ci && npm run build', () => checkProgram());
  if (config !== null) actAsService(config);
  if (config !== null) await checkAll(config, instruments, check);
  return findings;
}

type Check = (name: string, cure: string, run: DoctorCheck['run'], limitMs?: number) => Promise<void>;

async function checkAll(config: Config, instruments: Instruments, check: Check): Promise<void> {
  const presence = await findPresence(config);
  const isEmptied = presence === 'absent' && (await isAnswering(config));
  if (!isEmptied) await check('folders', 'Check the paths and their owners.', () => checkFolders(config));
  await check('free space', 'Check the disk and its mount.', () => checkFreeSpace(config));
  if (presence !== 'hidden' && !isEmptied)
    await check('master key', `Check ${config.masterKeyFile}.`, () =>
      checkKeyFile(config, instruments.random, presence === 'present'),
    );
  let db: LockedDb | null = null;
  await check('database', 'Check WAYBILL_DATABASE_URL.', async () => {
    const opened = await openPresent(config, presence, isEmptied);
    db = opened.db;
    return opened.findings;
  });
  try {
    await checkContent(config, db, { instruments, check, hasFiles: presence !== 'hidden' && !isEmptied });
  } finally {
    await (db as LockedDb | null)?.close();
  }
}

async function openPresent(
  config: Config,
  presence: DatabasePresence,
  isEmptied: boolean,
): Promise<{ db: LockedDb | null; findings: Finding[] }> {
  const { dataDir } = config;
  if (presence === 'hidden') return { db: null, findings: [] };
  if (isEmptied)
    return {
      db: null,
      findings: [
        fault(
          'database',
          `The service runs, but ${dataDir} has no database: is the folder not mounted?`,
          `Mount it (findmnt -T ${dataDir}), then restart the service: systemctl restart waybill`,
        ),
      ],
    };
  if (presence === 'absent')
    return {
      db: null,
      findings: [
        warn(
          'database',
          `There is none in ${dataDir} yet.`,
          'It is made at the first start: systemctl start waybill. If there should be one, check the mount of the folder first.',
        ),
      ],
    };
  const unusable = await databaseFilesFault(config);
  return unusable === null ? openExamined(config) : { db: null, findings: [unusable] };
}

async function checkContent(
  config: Config,
  db: LockedDb | null,
  { instruments, check, hasFiles }: { instruments: Instruments; check: Check; hasFiles: boolean },
): Promise<void> {
  const { random, clock, reference } = instruments;
  let token: string | null = null;
  if (db !== null) {
    await check('master key', `Check ${config.masterKeyFile}.`, () => checkKeys(config, db, random));
    await check('connections', 'Check max_connections of PostgreSQL.', () => checkConnections(config, db));
    await check('clock', 'timedatectl set-ntp true', () => checkClocks(db, clock, reference));
    await check('holds', 'Look at the console.', () => checkHolds(config, db, clock.now()));
    token = await tokenOf(config, db, { random, clock }).catch(() => null);
  }
  if (hasFiles) await check('store', 'Check the disk or the bucket.', () => checkStore(config, db));
  await check('virus scanner', 'Check the address of the scanner.', () => checkScanner(config, db));
  const mail = await examineMail(config, db, { random, clock }).catch(() =>
    examineMail(config, null, { random, clock }),
  );
  await check('mail', 'Check the mail settings.', () => checkRelay(config, mail));
  await check('mail domain', 'Check WAYBILL_NAME_SERVER and the network.', () => checkMailDomain(config, mail));
  await check('certificates', 'Check the certificates of these servers.', () =>
    checkCertificates(config, mail.inForce, clock.now()),
  );
  await check('certificate', 'Check WAYBILL_TLS_CERT_FILE.', () => checkServerCertificate(config));
  await check('trusted proxies', 'Check WAYBILL_TRUST_PROXY.', () => checkTrustedProxies(config));
  const opened = db === null ? null : await unlockExamined(config, db, { random, clock }).catch(() => null);
  await checkReceivers(config, opened, check);
  let isRunning = false;
  await check('service', 'Check WAYBILL_LISTEN.', async () => {
    const found = await checkListener(config);
    isRunning = found.some(({ state }) => state === 'ok');
    return found;
  });
  const probe = token;
  // Without a running service, the proxy has no one to forward requests to.
  if (probe !== null && isRunning)
    await check('public address', 'Check WAYBILL_BASE_URL and the proxy.', () => checkProxy(config, probe), proxyMs);
}

async function checkReceivers(config: Config, db: Db | null, check: Check): Promise<void> {
  if (db !== null) {
    await check('webhooks', 'Look at the webhooks in the console.', () => checkWebhooks(config, db));
    await check('witnesses', 'Check WAYBILL_EVIDENCE_WITNESS_POLICY.', () => checkWitnesses(config, db));
  }
  await check('syslog', 'Check WAYBILL_SYSLOG_URL.', () => checkSyslog(config, db));
  await check('events file', 'Check WAYBILL_EVENTS_FILE.', () => checkEventsFile(config, db));
}

function readOrNull(environment: NodeJS.ProcessEnv | undefined): Config | null {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigProblems) return null;
    throw error;
  }
}

function configFaults(environment: NodeJS.ProcessEnv | undefined): Finding[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    const cure =
      'Correct it where the service gets its environment (docs/operate/configuration.md has every setting), then restart.';
    return (error as ConfigProblems).sentences.map((sentence) => fault('configuration', sentence, cure));
  }
}
