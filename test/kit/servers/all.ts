// Installs, starts and stops the servers of `npm test`, all below one temporary folder.
import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServers } from './addresses.ts';
import { cIcapRequirement } from './c-icap.ts';
import { chromiumRequirement, startableChromium } from './chromium.ts';
import { clamdRequirement } from './clamd.ts';
import { glewlwydRequirement } from './glewlwyd.ts';
import { folderInMemory } from './memory.ts';
import { nginxRequirement } from './nginx.ts';
import { ensureInstalled, goRequirement, type Requirement, shellRequirements, straceRequirement } from './packages.ts';
import { pgbouncerRequirement } from './pgbouncer.ts';
import { postgresRequirement, startPostgres } from './postgres.ts';
import { prometheusRequirement } from './prometheus.ts';
import { proxyRequirements } from './proxies.ts';
import { rsyslogRequirement } from './rsyslog.ts';
import { sambaRequirement } from './samba.ts';
import { simpleSamlRequirement } from './simplesamlphp.ts';
import { slapdRequirement } from './slapd.ts';
import { startSwift, swiftRequirement } from './swift.ts';

export interface RunningServers {
  addressesPath: string;
  stop(): Promise<void>;
}

export interface ServersOptions {
  withChromium: boolean;
  withStrace: boolean;
  withShells: boolean;
  withGo: boolean;
  /** Prometheus, PgBouncer and the proxies of `test/operations/`. */
  withOperations: boolean;
  /** OpenLDAP, Samba, SimpleSAMLphp and Glewlwyd. */
  withDirectories: boolean;
  /** rsyslog. */
  withSyslog: boolean;
  say(line: string): void;
}

function requirementsOf(options: ServersOptions): Requirement[] {
  const requirements = [postgresRequirement, swiftRequirement, nginxRequirement, clamdRequirement, cIcapRequirement];
  if (options.withChromium) requirements.push(chromiumRequirement);
  if (options.withStrace) requirements.push(straceRequirement);
  if (options.withShells) requirements.push(...shellRequirements);
  if (options.withGo) requirements.push(goRequirement);
  if (options.withOperations) requirements.push(prometheusRequirement, pgbouncerRequirement, ...proxyRequirements);
  if (options.withDirectories)
    requirements.push(slapdRequirement, sambaRequirement, simpleSamlRequirement, glewlwydRequirement);
  if (options.withSyslog) requirements.push(rsyslogRequirement);
  return requirements;
}

/** On failure no process is left running. */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const { say } = options;
  await ensureInstalled(requirementsOf(options), say);
  const folder = await mkdtemp(join(tmpdir(), 'waybill-servers-'));
  // PostgreSQL runs as another user and must be able to enter.
  await chmod(folder, 0o711);
  const postgresFolder = folderInMemory() ?? folder;
  await chmod(postgresFolder, 0o711);

  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(stops.map((stopOne) => stopOne()));
    removeFolders();
  };
  const removeFolders = () => {
    for (const one of new Set([folder, postgresFolder])) removeFolder(one);
  };
  process.once('exit', removeFolders); // even after a signal or a crash
  const timed = async <T>(name: string, start: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const started = await start();
    say(`${name} ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return started;
  };
  const starting = [
    timed('PostgreSQL', () => startPostgres(join(postgresFolder, 'postgres'))).then((postgres) => {
      stops.push(postgres.stop);
      return { postgresUrl: postgres.url };
    }),
    timed('S3 (Swift)', () => startSwift(join(folder, 'swift'))).then(({ stop: stopSwift, ...s3 }) => {
      stops.push(stopSwift);
      return { s3 };
    }),
    options.withChromium
      ? timed('Chromium', () => startableChromium(join(folder, 'chromium'))).then((chromium) => ({ chromium }))
      : { chromium: null },
  ] as const;
  const outcomes = await Promise.allSettled(starting);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [{ postgresUrl }, { s3 }, { chromium }] = await Promise.all(starting);
  const addresses: TestServers = { postgresUrl, s3, chromium };
  const addressesPath = join(folder, 'addresses.json');
  await writeFile(addressesPath, JSON.stringify(addresses), { mode: 0o600 });
  return { addressesPath, stop };
}

/** Killed servers may still write, so removal is retried for two seconds; then the system cleans up. */
function removeFolder(folder: string): void {
  for (let attempt = 0; attempt < 40 && existsSync(folder); attempt += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {} // it may also fail without an error
    if (existsSync(folder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}
