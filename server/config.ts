// Every setting of the process, as data: name, meaning, reader, default, secret or not. The only reader of the
// environment. `docs/configuration.md` is generated from the same list. Settings people edit while it runs are not
// here but in `domain/settings.ts`.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseTrusted, type Trusted } from './lib/client-address.ts';
import {
  readAddressList,
  readDuration,
  readFlag,
  readListen,
  readSize,
  readUrl,
  readWhole,
} from './lib/config-values.ts';
import { parseBase64 } from './lib/json.ts';
import { createSecret, type Secret } from './lib/secret.ts';

/** One setting. `read` returns the value or throws a RangeError whose message completes "NAME …". */
export interface ConfigEntry<Value> {
  name: string;
  meaning: string;
  /** How the default is told in the documentation. */
  defaultText: string;
  default: Value;
  read(text: string): Value;
  isSecret?: boolean;
  /** NAME_FILE may name a file that holds the value, as container platforms hand out secrets. */
  hasFileTwin?: boolean;
}

function entry<Value>(
  name: string,
  meaning: string,
  fallback: Value,
  read: (text: string) => Value,
  defaultText = fallback === null || fallback === undefined ? '–' : String(fallback),
): ConfigEntry<Value> {
  return { name, meaning, default: fallback, read, defaultText };
}

function text(name: string, meaning: string, defaultText?: string): ConfigEntry<string | null> {
  return entry<string | null>(name, meaning, null, (value) => value, defaultText);
}

function secret(name: string, meaning: string, defaultText?: string): ConfigEntry<Secret | null> {
  const read = (value: string) => createSecret(value);
  return { ...entry<Secret | null>(name, meaning, null, read, defaultText), isSecret: true, hasFileTwin: true };
}

function oneOf<const Choice extends string>(
  name: string,
  meaning: string,
  choices: readonly Choice[],
  fallback: Choice,
) {
  return entry<Choice>(name, meaning, fallback, (value) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new RangeError(`must be one of ${choices.join(', ')}`);
    return found;
  });
}

const mebibyte = 1024 * 1024;

/** The list itself, in the order of the documentation. */
export const configEntries = {
  baseUrl: entry<URL | null>(
    'WAYBILL_BASE_URL',
    'public address; used in links and mail',
    null,
    readUrl,
    '`http://localhost:<port>`',
  ),
  listen: entry(
    'WAYBILL_LISTEN',
    'address and port, or `unix:/path`',
    readListen('0.0.0.0:8080'),
    readListen,
    '`0.0.0.0:8080`',
  ),
  dataDir: entry('WAYBILL_DATA_DIR', 'everything that must be kept', './data', (value) => value, '`./data`'),
  databaseUrl: secret(
    'WAYBILL_DATABASE_URL',
    '`postgres://…` when one machine is not enough',
    'SQLite in the data folder',
  ),
  storage: oneOf('WAYBILL_STORAGE', 'where file bytes are kept: `file` or `s3`', ['file', 's3'], 'file'),
  storageDir: text('WAYBILL_STORAGE_DIR', 'folder for `file` storage', '`<data>/files`'),
  s3Endpoint: entry<URL | null>('WAYBILL_S3_ENDPOINT', 'address of the S3 service', null, readUrl),
  s3Bucket: text('WAYBILL_S3_BUCKET', 'bucket, must exist'),
  s3Region: entry('WAYBILL_S3_REGION', 'region', 'us-east-1', (value) => value),
  s3AccessKey: secret('WAYBILL_S3_ACCESS_KEY', 'access key'),
  s3SecretKey: secret('WAYBILL_S3_SECRET_KEY', 'secret key'),
  s3PathStyle: entry('WAYBILL_S3_PATH_STYLE', 'bucket in the path instead of the host name', true, readFlag),
  masterKeyFile: text(
    'WAYBILL_MASTER_KEY_FILE',
    'seals file keys, API keys and secrets; keep a copy elsewhere, never in the backup',
    '`<data>/master.key`, made at first start',
  ),
  masterKey: {
    ...secret('WAYBILL_MASTER_KEY', '32 bytes in Base64 instead of a file, for containers'),
    hasFileTwin: false, // WAYBILL_MASTER_KEY_FILE is a setting of its own: that file is made when there is none
  },
  adminEmail: {
    ...text('WAYBILL_ADMIN_EMAIL', 'first System Administrator, made at first start instead of the setup page'),
    hasFileTwin: true,
  },
  adminPassword: secret('WAYBILL_ADMIN_PASSWORD', 'password of the first System Administrator'),
  adminApiKey: secret(
    'WAYBILL_ADMIN_API_KEY',
    'API key of the first System Administrator: 22 letters and digits',
    'made by us',
  ),
  workers: entry(
    'WAYBILL_WORKERS',
    'processes that share the port',
    availableParallelism(),
    (value) => readWhole(value, 1, 64),
    'number of cores',
  ),
  role: oneOf(
    'WAYBILL_ROLE',
    '`web`, `jobs` or `all` when several machines share one database',
    ['all', 'web', 'jobs'],
    'all',
  ),
  insecureHttp: entry('WAYBILL_INSECURE_HTTP', 'allow plain HTTP on a public address (test labs)', false, readFlag),
  trustProxy: entry<Trusted>(
    'WAYBILL_TRUST_PROXY',
    '`none`, `loopback`, `private`, or networks',
    parseTrusted('none'),
    parseTrusted,
    '`none`',
  ),
  chunkSizeBytes: entry(
    'WAYBILL_CHUNK_SIZE',
    'size of a piece, as a hint to clients',
    8 * mebibyte,
    (value) => readSize(value, 64 * 1024),
    '`8MiB`',
  ),
  maxChunkSizeBytes: entry(
    'WAYBILL_MAX_CHUNK_SIZE',
    'largest piece taken',
    100 * mebibyte,
    (value) => readSize(value, 64 * 1024),
    '`100MiB`',
  ),
  formUploadMaxBytes: entry(
    'WAYBILL_FORM_UPLOAD_MAX',
    'largest upload by form, without script',
    2048 * mebibyte,
    (value) => readSize(value, 1),
    '`2GiB`',
  ),
  minFreeBytes: entry(
    'WAYBILL_MIN_FREE_SPACE',
    'refuse new uploads below',
    1024 * mebibyte,
    (value) => readSize(value, 0),
    '`1GiB`',
  ),
  unfinishedTtlMs: entry(
    'WAYBILL_UNFINISHED_TTL',
    'keep unfinished uploads',
    24 * 3_600_000,
    (value) => readDuration(value, 60_000),
    '`24h`',
  ),
  deleteGraceMs: entry(
    'WAYBILL_DELETE_GRACE',
    'delay between expiry and erasing bytes',
    24 * 3_600_000,
    (value) => readDuration(value, 0),
    '`24h`',
  ),
  apiRatePerMinute: entry(
    'WAYBILL_API_RATE',
    'calls a minute for one API key, `0` for no limit',
    6000,
    (value) => readWhole(value, 0, 10_000_000),
    '`6000`',
  ),
  geoipDb: text('WAYBILL_GEOIP_DB', '`.mmdb` file for locations in the download log; off when absent'),
  locale: entry('WAYBILL_LOCALE', 'default language', 'en', readLocale, '`en`'),
  timeZone: entry('WAYBILL_TIMEZONE', 'zone in which a day ends', 'UTC', readTimeZone, '`UTC`'),
  logLevel: oneOf('WAYBILL_LOG_LEVEL', 'least severe line that is written', ['debug', 'info', 'warn', 'error'], 'info'),
  logFormat: entry<'json' | 'pretty' | null>(
    'WAYBILL_LOG_FORMAT',
    '`json` or `pretty`',
    null,
    readLogFormat,
    '`json`, `pretty` on a terminal',
  ),
  openapi: oneOf(
    'WAYBILL_OPENAPI',
    'who may read `/openapi.json`: `public`, `signed-in`, `off`',
    ['public', 'signed-in', 'off'],
    'public',
  ),
  shutdownGraceMs: entry(
    'WAYBILL_SHUTDOWN_GRACE',
    'finish answers on stop',
    30_000,
    (value) => readDuration(value, 0),
    '`30s`',
  ),
  setupToken: secret('WAYBILL_SETUP_TOKEN', 'token that opens the setup page', 'made at first start'),
} as const satisfies Record<string, ConfigEntry<unknown>>;

type Entries = typeof configEntries;
type Value<Entry> = Entry extends ConfigEntry<infer Inner> ? Inner : never;

/** The settings in force, with what depends on others filled in. */
export type Config = { [Key in keyof Entries]: Value<Entries[Key]> } & {
  baseUrl: URL;
  storageDir: string;
  masterKeyFile: string;
};

/** Everything that is wrong, one sentence each, so that an operator mends it in one go. */
export class ConfigProblems extends Error {
  readonly sentences: string[];
  constructor(sentences: string[]) {
    super(sentences.join('\n'));
    this.name = 'ConfigProblems';
    this.sentences = sentences;
  }
}

/** Names that start with WAYBILL_ but belong to other programs of ours. */
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
]);

/** Reads the environment; throws ConfigProblems with every fault at once. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const [key, item] of Object.entries(configEntries) as [string, ConfigEntry<unknown>][]) {
    known.add(item.name);
    if (item.hasFileTwin) known.add(`${item.name}_FILE`);
    values[key] = readEntry(item, environment, faults);
  }
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('WAYBILL_') || known.has(name) || foreignNames.has(name)) continue;
    faults.push(`${name} is not a setting of Waybill; did you mean ${nearest(name, [...known])}?`);
  }
  const given = values as Config;
  if (given.masterKey !== null && given.masterKeyFile !== null)
    faults.push('WAYBILL_MASTER_KEY and WAYBILL_MASTER_KEY_FILE are both set; keep one of them.');
  const config = complete(given);
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigProblems(faults);
  return config;
}

function readEntry(item: ConfigEntry<unknown>, environment: NodeJS.ProcessEnv, faults: string[]): unknown {
  let raw = environment[item.name];
  const fileName = item.hasFileTwin ? environment[`${item.name}_FILE`] : undefined;
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

function complete(config: Config): Config {
  const dataDir = resolve(config.dataDir);
  const port = config.listen.kind === 'port' ? config.listen.port : 8080;
  return {
    ...config,
    dataDir,
    baseUrl: config.baseUrl ?? new URL(`http://localhost:${port}`),
    storageDir: resolve(config.storageDir ?? join(dataDir, 'files')),
    masterKeyFile: resolve(config.masterKeyFile ?? join(dataDir, 'master.key')),
  };
}

function contradictions(config: Config): string[] {
  const faults: string[] = [];
  const databaseUrl = config.databaseUrl?.reveal();
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    faults.push('WAYBILL_DATABASE_URL must start with postgres:// (leave it out for SQLite).');
  }
  if (config.storage === 's3') {
    const needed = {
      s3Endpoint: config.s3Endpoint,
      s3Bucket: config.s3Bucket,
      s3AccessKey: config.s3AccessKey,
      s3SecretKey: config.s3SecretKey,
    };
    for (const [key, value] of Object.entries(needed)) {
      if (value === null)
        faults.push(`${configEntries[key as keyof Entries].name} is needed when WAYBILL_STORAGE is s3.`);
    }
  }
  if (config.chunkSizeBytes > config.maxChunkSizeBytes)
    faults.push('WAYBILL_CHUNK_SIZE must not be larger than WAYBILL_MAX_CHUNK_SIZE.');
  if (config.adminEmail !== null && readAddressList(config.adminEmail).length !== 1) {
    faults.push('WAYBILL_ADMIN_EMAIL must be one e-mail address.');
  }
  if ((config.adminPassword !== null || config.adminApiKey !== null) && config.adminEmail === null) {
    faults.push('WAYBILL_ADMIN_EMAIL is needed when WAYBILL_ADMIN_PASSWORD or WAYBILL_ADMIN_API_KEY is set.');
  }
  if (config.adminEmail !== null && config.adminPassword === null && config.adminApiKey === null) {
    faults.push('WAYBILL_ADMIN_PASSWORD is needed when WAYBILL_ADMIN_EMAIL is set.');
  }
  const adminKey = config.adminApiKey?.reveal();
  if (adminKey !== undefined && !/^[A-Za-z0-9]{22}$/.test(adminKey))
    faults.push('WAYBILL_ADMIN_API_KEY must be 22 letters and digits.');
  if (config.masterKey !== null && parseBase64(config.masterKey.reveal())?.length !== 32) {
    faults.push('WAYBILL_MASTER_KEY must be 32 bytes in Base64.');
  }
  return faults;
}

function readLocale(value: string): string {
  try {
    return Intl.getCanonicalLocales(value)[0] ?? 'en';
  } catch {
    throw new RangeError('must be a language tag such as en or de');
  }
}

function readTimeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new RangeError('must be a time zone such as Europe/Stockholm');
  }
}

function readLogFormat(value: string): 'json' | 'pretty' {
  if (value === 'json' || value === 'pretty') return value;
  throw new RangeError('must be json or pretty');
}

/** The known name with the smallest edit distance. */
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
