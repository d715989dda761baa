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
import { lookAtProxy, tokenOf } from './address.ts';
import { lookAtClock, lookAtConnections, lookAtHolds, lookAtKeys, openExamined } from './database.ts';
import { type Finding, fault, type Look, ok, takeLook, warn } from './findings.ts';
import { lookAtListener, lookAtTrust } from './listener.ts';
import { lookAtFolders, lookAtKeyFile, lookAtProgram, lookAtRoom } from './machine.ts';
import { lookAtDomain, lookAtRelay } from './mail.ts';
import { lookAtStore } from './storage.ts';

export interface Instruments {
  random: Random;
  clock: BaseClock;
  /** Replaces the clock of the database. */
  reference?: Reference;
  /** Called with each finding immediately. */
  tell?(finding: Finding): void;
}

const usualMs = 20_000;
/** Several sequential requests, with a bisection of the body size. */
const proxyMs = 120_000;

export async function examine(instruments: Instruments, environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  const take = async (name: string, cure: string, look: Look['look'], limitMs = usualMs) => {
    for (const finding of await takeLook({ name, cure, limitMs, look })) {
      findings.push(finding);
      instruments.tell?.(finding);
    }
  };
  let config: Config | null = null;
  await take('configuration', 'waybill-server config check', async () => {
    config = readOrNull(environment);
    return config === null ? configFaults(environment) : [ok('configuration', 'Every setting is known and right.')];
  });
  await take('program', 'npm ci && npm run build', () => lookAtProgram());
  // Run as the owner of the folder, like the service; root may open everything.
  if (config !== null) actAsOwnerOf((config as Config).dataDir);
  if (config !== null) await lookAround(config, instruments, take);
  return findings;
}

type Take = (name: string, cure: string, look: Look['look'], limitMs?: number) => Promise<void>;

async function lookAround(config: Config, instruments: Instruments, take: Take): Promise<void> {
  const { random } = instruments;
  const hasDatabase = config.databaseUrl !== null || existsSync(join(config.dataDir, 'waybill.db'));
  await take('folders', 'Check the paths and their owners.', () => lookAtFolders(config));
  await take('free space', 'Check the disk and its mount.', () => lookAtRoom(config));
  await take('master key', `Check ${config.masterKeyFile}.`, () => lookAtKeyFile(config, random, hasDatabase));
  let db: LockedDb | null = null;
  await take('database', 'Check WAYBILL_DATABASE_URL.', async () => {
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
    await checkContent(config, db, { instruments, take });
  } finally {
    await (db as LockedDb | null)?.close();
  }
}

async function checkContent(
  config: Config,
  db: LockedDb | null,
  { instruments, take }: { instruments: Instruments; take: Take },
): Promise<void> {
  const { random, clock, reference } = instruments;
  let token: string | null = null;
  if (db !== null) {
    await take('master key', `Check ${config.masterKeyFile}.`, () => lookAtKeys(config, db, random));
    await take('connections', 'Check max_connections of PostgreSQL.', () => lookAtConnections(config, db));
    await take('clock', 'timedatectl set-ntp true', () => lookAtClock(db, clock, reference));
    await take('holds', 'Look at the console.', () => lookAtHolds(config, db, clock.now()));
    token = await tokenOf(config, db, { random, clock }).catch(() => null);
  }
  await take('store', 'Check the disk or the bucket.', () => lookAtStore(config, db));
  await take('mail', 'Check WAYBILL_SMTP_URL.', () => lookAtRelay(config));
  await take('mail domain', 'Check WAYBILL_NAME_SERVER and the network.', () => lookAtDomain(config));
  await take('trusted proxies', 'Check WAYBILL_TRUST_PROXY.', () => lookAtTrust(config));
  let isRunning = false;
  await take('service', 'Check WAYBILL_LISTEN.', async () => {
    const found = await lookAtListener(config);
    isRunning = found.some(({ state }) => state === 'ok');
    return found;
  });
  const opened = token;
  // Without a running service, the proxy has no one to forward requests to.
  if (opened !== null && isRunning)
    await take('public address', 'Check WAYBILL_BASE_URL and the proxy.', () => lookAtProxy(config, opened), proxyMs);
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
