// Reads the settings of `config-entries.ts`; the only reader of the environment. `domain/settings.ts` has settings that
// administrators edit.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configEntries } from './config-entries.ts';
import type { ConfigEntry } from './config-entry.ts';
import { identityContradictions } from './config-identity.ts';
import { mailContradictions } from './config-mail.ts';
import { isTlsServed, tlsContradictions } from './config-tls.ts';
import type { OperatorSetting } from './domain/settings.ts';
import { readAddressList } from './lib/config-values.ts';
import { parseBase64 } from './lib/json/json.ts';
import { OperatorProblem } from './lib/operator-problem.ts';
import { trustCertificates } from './lib/outbound-tls.ts';
import { findServiceSettings, readSettingsFile } from './lib/settings-files.ts';
import { isSmtpUrl } from './lib/smtp-url.ts';

type Entries = typeof configEntries;
type Value<Entry> = Entry extends ConfigEntry<infer Inner> ? Inner : never;

/** Resolved settings, including computed defaults. */
export type Config = { [Key in keyof Entries]: Value<Entries[Key]> } & {
  baseUrl: URL;
  storageDir: string;
  masterKeyFile: string;
  databaseConnections: number;
  /** Every setting as text with where it comes from, for administrators; secrets masked. */
  inForce: OperatorSetting[];
};

/** One sentence per fault, reported together. */
export class ConfigProblems extends Error {
  readonly sentences: string[];
  constructor(sentences: string[]) {
    super(sentences.join('\n'));
    this.name = 'ConfigProblems';
    this.sentences = sentences;
  }
}

const moveTargetName = 'WAYBILL_MOVE_DATABASE_TO';

/** WAYBILL_ names that belong to other programs. */
const foreignNames = new Set([
  'WAYBILL_TEST_SERVERS',
  'WAYBILL_SERVER',
  'WAYBILL_API_KEY',
  'WAYBILL_API_KEY_FILE',
  'WAYBILL_PROFILE',
  'WAYBILL_CONFIG',
  'WAYBILL_NO_INPUT',
  'WAYBILL_PARALLEL',
  'WAYBILL_WORKER_INDEX',
  moveTargetName,
]);

/** Throws ConfigProblems with all faults. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  const inForce: OperatorSetting[] = [];
  for (const [key, item] of Object.entries(configEntries) as [string, ConfigEntry<unknown>][]) {
    known.add(item.name);
    if (hasTwin(item)) known.add(`${item.name}_FILE`);
    values[key] = readEntry(item, environment, faults);
    inForce.push(describeEntry(item, environment));
  }
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('WAYBILL_') || known.has(name) || foreignNames.has(name)) continue;
    faults.push(`${name} is not a setting of Waybill; did you mean ${nearest(name, [...known])}?`);
  }
  const given = { ...values, inForce } as Config;
  if (given.masterKey !== null && given.masterKeyFile !== null)
    faults.push('WAYBILL_MASTER_KEY and WAYBILL_MASTER_KEY_FILE are both set; keep one of them.');
  const config = complete(given);
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigProblems(faults);
  return config;
}

/** The service gets its settings from its unit; a developer's `npm start` must not find those of an installed service. */
const withoutServiceSettings = /^(--)?(start|version|help)$/;

/**
 * Adds the settings of `--env-file`, or of the installed service if the environment has none. Returns the arguments
 * without that flag, and the file that was read.
 */
export function completeEnvironment(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  root = '/',
): { args: string[]; file: string | null } {
  const at = args.indexOf('--env-file');
  const named = at === -1 ? null : (args[at + 1] ?? '');
  if (named === '') throw new OperatorProblem('--env-file needs the path of a file with settings.');
  const rest = named === null ? [...args] : args.toSpliced(at, 2);
  const isSet = Object.keys(environment).some((name) => name.startsWith('WAYBILL_') && !foreignNames.has(name));
  const isLeftOut = isSet || withoutServiceSettings.test(rest[0] ?? 'help');
  const found = named !== null ? readSettingsFile(named) : isLeftOut ? null : findServiceSettings(root);
  for (const [name, value] of Object.entries(found?.values ?? {})) environment[name] ??= value;
  return { args: rest, file: found?.path ?? null };
}

/** For this process; `readConfig` reports a file that cannot be used. */
export function trustConfiguredAuthorities(environment: NodeJS.ProcessEnv = process.env): () => void {
  const certificates = readEntry(configEntries.caFile, environment, []) as string[];
  return certificates.length === 0 ? () => {} : trustCertificates(certificates);
}

/** The target of `move-database`, kept out of the process list. */
export function moveTarget(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment[moveTargetName] ?? null;
}

/** Removes secrets from the environment, where child processes and crash dumps could read them. */
export function takeSecrets(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const item of Object.values(configEntries) as ConfigEntry<unknown>[]) {
    const value = environment[item.name];
    if (item.isSecret !== true || value === undefined) continue;
    taken[item.name] = value;
    delete environment[item.name];
  }
  return taken;
}

function hasTwin(item: ConfigEntry<unknown>): boolean {
  return item.hasFileTwin === true;
}

function readEntry(item: ConfigEntry<unknown>, environment: NodeJS.ProcessEnv, faults: string[]): unknown {
  let raw = environment[item.name];
  const fileName = hasTwin(item) ? environment[`${item.name}_FILE`] : undefined;
  if (fileName !== undefined && fileName !== '') {
    if (raw !== undefined && raw !== '')
      faults.push(`${item.name} and ${item.name}_FILE are both set; keep one of them.`);
    try {
      raw = readFileSync(fileName, 'utf8').replace(/\r?\n$/, '');
    } catch {
      faults.push(`${item.name}_FILE names a file that can't be read.`);
      return item.default;
    }
  }
  if (raw === undefined || raw === '') return item.default;
  try {
    return item.read(raw);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    faults.push(`${item.name} ${error.message}.`);
    return item.default;
  }
}

function describeEntry(item: ConfigEntry<unknown>, environment: NodeJS.ProcessEnv): OperatorSetting {
  const { name, meaning } = item;
  const isSecret = item.isSecret === true;
  const text = environment[name] ?? '';
  const isInFile = text === '' && hasTwin(item) && (environment[`${name}_FILE`] ?? '') !== '';
  const source = isInFile ? 'file' : text === '' ? 'default' : 'environment';
  const standing = item.defaultText === '–' ? '' : item.defaultText.replaceAll('`', '');
  const value = source === 'default' ? standing : isSecret || isInFile ? '•••' : text;
  return { name, meaning, value, source, isSecret };
}

function complete(config: Config): Config {
  const dataDir = resolve(config.dataDir);
  const port = config.listen.kind === 'port' ? config.listen.port : 8080;
  return {
    ...config,
    dataDir,
    baseUrl: config.baseUrl ?? new URL(`${isTlsServed(config) ? 'https' : 'http'}://localhost:${port}`),
    storageDir: resolve(config.storageDir ?? join(dataDir, 'files')),
    masterKeyFile: resolve(config.masterKeyFile ?? join(dataDir, 'master.key')),
    databaseConnections: config.databaseConnections ?? defaultConnections(config.workers),
  };
}

/** PostgreSQL allows 100 connections by default: enough for two machines and an operator. */
function defaultConnections(workers: number): number {
  return Math.max(4 * workers, Math.min(16 * workers, 48));
}

function storeContradictions(config: Config): string[] {
  const { storage, storageBefore, s3Endpoint, s3Bucket, s3AccessKey, s3SecretKey } = config;
  if (storage === storageBefore) return ['WAYBILL_STORAGE_BEFORE must not be the same as WAYBILL_STORAGE.'];
  if (storage !== 's3' && storageBefore !== 's3') return [];
  const setting = storage === 's3' ? 'WAYBILL_STORAGE' : 'WAYBILL_STORAGE_BEFORE';
  return Object.entries({ s3Endpoint, s3Bucket, s3AccessKey, s3SecretKey })
    .filter(([, value]) => value === null)
    .map(([key]) => `${configEntries[key as keyof Entries].name} is needed when ${setting} is s3.`);
}

function contradictions(config: Config): string[] {
  const faults: string[] = [];
  const databaseUrl = config.databaseUrl?.reveal();
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    faults.push('WAYBILL_DATABASE_URL must start with postgres:// (leave it out for SQLite).');
  }
  if (config.databaseConnections < 2 * config.workers)
    faults.push(
      `WAYBILL_DATABASE_CONNECTIONS must be at least ${2 * config.workers}, two for each of the ${config.workers} workers (WAYBILL_WORKERS).`,
    );
  faults.push(...storeContradictions(config), ...tlsContradictions(config));
  if (config.chunkSizeBytes > config.maxChunkSizeBytes)
    faults.push('WAYBILL_CHUNK_SIZE must not be larger than WAYBILL_MAX_CHUNK_SIZE.');
  if (config.adminEmail !== null && readAddressList(config.adminEmail).length !== 1) {
    faults.push('WAYBILL_ADMIN_EMAIL must be one e-mail address.');
  }
  if ((config.adminPassword !== null || config.adminApiKey !== null) && config.adminEmail === null) {
    faults.push('WAYBILL_ADMIN_EMAIL is needed when WAYBILL_ADMIN_PASSWORD or WAYBILL_ADMIN_API_KEY is set.');
  }
  if (config.organisationName !== null && config.adminEmail === null)
    faults.push('WAYBILL_ADMIN_EMAIL is needed when WAYBILL_ORGANISATION is set.');
  if (config.adminEmail !== null && config.adminPassword === null && config.adminApiKey === null) {
    faults.push('WAYBILL_ADMIN_PASSWORD is needed when WAYBILL_ADMIN_EMAIL is set.');
  }
  for (const key of ['mailFrom', 'mailEnvelopeFrom'] as const) {
    if (config[key] !== null && readAddressList(config[key]).length !== 1)
      faults.push(`${configEntries[key].name} must be one e-mail address.`);
  }
  const smtpUrl = config.smtpUrl?.reveal();
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl)) {
    faults.push(
      'WAYBILL_SMTP_URL must be an address such as smtp://user:password@host:587. In user and password @ is written %40, / is %2F, # is %23, : is %3A and % is %25.',
    );
  } else faults.push(...mailContradictions(config));
  faults.push(...identityContradictions(config));
  const { metricsListen, metricsToken } = config;
  const isExposed =
    metricsListen !== null &&
    metricsListen !== 'off' &&
    metricsListen.kind === 'port' &&
    !isLoopback(metricsListen.host);
  if (isExposed && metricsToken === null)
    faults.push('WAYBILL_METRICS_LISTEN can be reached from other machines, so WAYBILL_METRICS_TOKEN is needed.');
  const adminKey = config.adminApiKey?.reveal();
  if (adminKey !== undefined && !/^[A-Za-z0-9]{22}$/.test(adminKey))
    faults.push('WAYBILL_ADMIN_API_KEY must be 22 letters and digits.');
  if (config.masterKey !== null && parseBase64(config.masterKey.reveal())?.length !== 32) {
    faults.push('WAYBILL_MASTER_KEY must be 32 bytes in Base64.');
  }
  return faults;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function nearest(name: string, known: string[]): string {
  let best = known[0]!;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + change));
    }
    previous = current;
  }
  return previous[b.length]!;
}
