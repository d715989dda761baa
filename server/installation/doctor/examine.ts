// Checks everything an installation depends on, and names a cure for each fault. Changes nothing; every check has a
// time limit.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigProblems, readConfig } from '../../config.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import type { Random } from '../../domain/ports.ts';
import { actAsOwnerOf } from '../../lib/acting-user.ts';
import type { BaseClock } from '../../lib/clock.ts';
import type { Reference } from '../clock.ts';
import { checkProxy, tokenOf } from './address.ts';
import { checkClocks, checkConnections, checkHolds, checkKeys, openExamined } from './database.ts';
import { type DoctorCheck, type Finding, fault, ok, runCheck, warn } from './findings.ts';
import { checkListener, checkTrustedProxies } from './listener.ts';
import { checkFolders, checkFreeSpace, checkKeyFile, checkProgram } from './machine.ts';
import { checkMailDomain, checkRelay } from './mail.ts';
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
  // Run as the owner of the folder, like the service; root may open everything.
  if (config !== null) actAsOwnerOf((config as Config).dataDir);
  if (config !== null) await checkAll(config, instruments, check);
  return findings;
}

type Check = (name: string, cure: string, run: DoctorCheck['run'], limitMs?: number) => Promise<void>;

async function checkAll(config: Config, instruments: Instruments, check: Check): Promise<void> {
  const { random } = instruments;
  const hasDatabase = config.databaseUrl !== null || existsSync(join(config.dataDir, 'waybill.db'));
  await check('folders', 'Check the paths and their owners.', () => checkFolders(config));
  await check('free space', 'Check the disk and its mount.', () => checkFreeSpace(config));
  await check('master key', `Check ${config.masterKeyFile}.`, () => checkKeyFile(config, random, hasDatabase));
  let db: LockedDb | null = null;
  await check('database', 'Check WAYBILL_DATABASE_URL.', async () => {
    if (!hasDatabase)
      return [
        warn(
          'database',
          `There is none in ${config.dataDir} yet.`,
          'It is made at the first start: waybill-server start',
        ),
      ];
    const opened = await openExamined(config);
    db = opened.db;
    return opened.findings;
  });
  try {
    await checkContent(config, db, { instruments, check });
  } finally {
    await (db as LockedDb | null)?.close();
  }
}

async function checkContent(
  config: Config,
  db: LockedDb | null,
  { instruments, check }: { instruments: Instruments; check: Check },
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
  await check('store', 'Check the disk or the bucket.', () => checkStore(config, db));
  await check('mail', 'Check WAYBILL_SMTP_URL.', () => checkRelay(config));
  await check('mail domain', 'Check WAYBILL_NAME_SERVER and the network.', () => checkMailDomain(config));
  await check('trusted proxies', 'Check WAYBILL_TRUST_PROXY.', () => checkTrustedProxies(config));
  let isRunning = false;
  await check('service', 'Check WAYBILL_LISTEN.', async () => {
    const found = await checkListener(config);
    isRunning = found.some(({ state }) => state === 'ok');
    return found;
  });
  const opened = token;
  // Without a running service, the proxy has no one to forward requests to.
  if (opened !== null && isRunning)
    await check('public address', 'Check WAYBILL_BASE_URL and the proxy.', () => checkProxy(config, opened), proxyMs);
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
      'Correct it where the service gets its environment (docs/configuration.md has every setting), then restart.';
    return (error as ConfigProblems).sentences.map((sentence) => fault('configuration', sentence, cure));
  }
}
