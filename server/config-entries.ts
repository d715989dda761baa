import { availableParallelism } from 'node:os';
import { languageOf, shippedLanguages } from '#language/locale.ts';
import { isPseudo } from '#language/pseudo.ts';
import { type ConfigEntry, entry, oneOf, secret, text } from './config-entry.ts';
import { eventEntries } from './config-events.ts';
import { identityEntries } from './config-identity.ts';
import { mailEntries } from './config-mail.ts';
import { tlsEntries } from './config-tls.ts';
import { parseTrusted, type Trusted } from './lib/client-address.ts';
import {
  type Listen,
  readDuration,
  readFlag,
  readHostNames,
  readListen,
  readNameServer,
  readS3Prefix,
  readSize,
  readTimeOfDay,
  readUrl,
  readWhole,
} from './lib/config-values.ts';
import type { HostNameSetting } from './lib/host-names.ts';
import { readCertificates } from './lib/outbound-tls.ts';
import { readScannerAddress, type ScannerAddress } from './lib/scanners/address.ts';

const mebibyte = 1024 * 1024;

/** In the order of the documentation. */
export const configEntries = {
  baseUrl: entry<URL | null>('WAYBILL_BASE_URL', 'public address; used in links and mail', {
    default: null,
    read: readUrl,
    defaultText: '`http://localhost:<port>`',
  }),
  listen: entry('WAYBILL_LISTEN', 'address and port, or `unix:/path`', {
    default: readListen('0.0.0.0:8080'),
    read: readListen,
    defaultText: '`0.0.0.0:8080`',
  }),
  ...tlsEntries,
  dataDir: entry('WAYBILL_DATA_DIR', 'data folder', {
    default: './data',
    read: (value) => value,
    defaultText: '`./data`',
  }),
  databaseUrl: secret(
    'WAYBILL_DATABASE_URL',
    '`postgres://…` when one machine is not enough',
    'SQLite in the data folder',
  ),
  databaseConnections: entry<number | null>(
    'WAYBILL_DATABASE_CONNECTIONS',
    'most connections to PostgreSQL of all workers of this machine; at the limit requests wait',
    {
      default: null,
      read: (value) => readWhole(value, 2, 10_000),
      defaultText: '16 for each worker, 48 in all, but at least 4 for each',
    },
  ),
  storage: oneOf('WAYBILL_STORAGE', 'where files are stored: `file` or `s3`', ['file', 's3'], 'file'),
  storageBefore: oneOf(
    'WAYBILL_STORAGE_BEFORE',
    'where files were stored before, while they are moved: `none`, `file` or `s3`',
    ['none', 'file', 's3'],
    'none',
  ),
  storageDir: text('WAYBILL_STORAGE_DIR', 'folder for `file` storage', '`<data>/files`'),
  s3Endpoint: entry<URL | null>('WAYBILL_S3_ENDPOINT', 'address of the S3 service', { default: null, read: readUrl }),
  s3Bucket: text('WAYBILL_S3_BUCKET', 'bucket, must exist'),
  s3Prefix: entry('WAYBILL_S3_PREFIX', 'prefix of object names, for a shared bucket', {
    default: '',
    read: readS3Prefix,
    defaultText: '–',
  }),
  s3Region: entry('WAYBILL_S3_REGION', 'region', { default: 'us-east-1', read: (value) => value }),
  s3AccessKey: secret('WAYBILL_S3_ACCESS_KEY', 'access key'),
  s3SecretKey: secret('WAYBILL_S3_SECRET_KEY', 'secret key'),
  s3PathStyle: entry('WAYBILL_S3_PATH_STYLE', 'bucket in the path instead of the host name', {
    default: true,
    read: readFlag,
  }),
  masterKeyFile: text(
    'WAYBILL_MASTER_KEY_FILE',
    'path of the master key; keep a copy elsewhere, never in the backup',
    '`<data>/master.key`, generated at first start',
  ),
  masterKey: {
    ...secret('WAYBILL_MASTER_KEY', '32 bytes in Base64 instead of a file, for containers'),
    hasFileTwin: false,
  },
  adminEmail: {
    ...text('WAYBILL_ADMIN_EMAIL', 'first System Administrator, created at first start instead of on the setup page'),
    hasFileTwin: true,
  },
  adminPassword: secret('WAYBILL_ADMIN_PASSWORD', 'password of the first System Administrator'),
  adminApiKey: secret(
    'WAYBILL_ADMIN_API_KEY',
    'API key of the first System Administrator: 22 letters and digits',
    'a generated key',
  ),
  organisationName: text(
    'WAYBILL_ORGANISATION',
    'name of the organisation, used with `WAYBILL_ADMIN_EMAIL` at first start',
  ),
  workers: entry('WAYBILL_WORKERS', 'processes that share the port', {
    default: availableParallelism(),
    read: (value) => readWhole(value, 1, 64),
    defaultText: 'number of cores',
  }),
  role: oneOf(
    'WAYBILL_ROLE',
    '`web`, `jobs` or `all` when several machines share one database',
    ['all', 'web', 'jobs'],
    'all',
  ),
  insecureHttp: entry('WAYBILL_INSECURE_HTTP', 'allow plain HTTP on a public address (test labs)', {
    default: false,
    read: readFlag,
  }),
  trustProxy: entry<Trusted>(
    'WAYBILL_TRUST_PROXY',
    'proxies whose `X-Forwarded-For` is used and that may use plain HTTP: `none`, `loopback`, exact addresses of proxies such as `10.0.0.5`, networks of up to eight addresses, or several of these with commas. A whole number is the number of proxies that every request passes (`10.0.0.5,2`). Wider networks and `private` work with a warning: clients inside can choose their address',
    {
      default: parseTrusted('none'),
      read: parseTrusted,
      defaultText: '`none`',
    },
  ),
  caFile: entry<string[]>(
    'WAYBILL_CA_FILE',
    'PEM file of certificate authorities that all outbound connections trust as well: mail, S3, PostgreSQL, the public address',
    { default: [], read: readCertificates, defaultText: '–' },
  ),
  ...mailEntries,
  ...eventEntries,
  ...identityEntries,
  nameServer: entry<string | null>(
    'WAYBILL_NAME_SERVER',
    'name server for the check of the sender domain, such as `192.0.2.53`',
    { default: null, read: readNameServer, defaultText: 'those of the system' },
  ),
  chunkSizeBytes: entry('WAYBILL_CHUNK_SIZE', 'recommended chunk size for clients', {
    default: 8 * mebibyte,
    read: (value) => readSize(value, 64 * 1024),
    defaultText: '`8MiB`',
  }),
  maxChunkSizeBytes: entry('WAYBILL_MAX_CHUNK_SIZE', 'largest chunk accepted', {
    default: 100 * mebibyte,
    read: (value) => readSize(value, 64 * 1024),
    defaultText: '`100MiB`',
  }),
  formUploadMaxBytes: entry('WAYBILL_FORM_UPLOAD_MAX', 'largest upload through a form without scripts', {
    default: 2048 * mebibyte,
    read: (value) => readSize(value, 1),
    defaultText: '`2GiB`',
  }),
  minFreeBytes: entry('WAYBILL_MIN_FREE_SPACE', 'free space below which uploads are refused', {
    default: 1024 * mebibyte,
    read: (value) => readSize(value, 0),
    defaultText: '`1GiB`',
  }),
  unfinishedTtlMs: entry('WAYBILL_UNFINISHED_TTL', 'how long unfinished uploads are kept', {
    default: 24 * 3_600_000,
    read: (value) => readDuration(value, 60_000),
    defaultText: '`24h`',
  }),
  isEvidencePublic: entry(
    'WAYBILL_EVIDENCE_PUBLIC',
    'whether everyone can read checkpoint, tiles and keys of the event log',
    {
      default: false,
      read: readFlag,
      defaultText: '`off`',
    },
  ),
  deleteGraceMs: entry('WAYBILL_DELETE_GRACE', 'delay between expiry and erasing bytes', {
    default: 24 * 3_600_000,
    read: (value) => readDuration(value, 0),
    defaultText: '`24h`',
  }),
  apiRatePerMinute: entry(
    'WAYBILL_API_RATE',
    'calls a minute for one API key; a tenth of it for downloads of one network; `0` for no limit',
    {
      default: 6000,
      read: (value) => readWhole(value, 0, 10_000_000),
      defaultText: '`6000`',
    },
  ),
  scanner: entry<ScannerAddress | null>(
    'WAYBILL_SCANNER',
    'virus scanner: `clamd://host:port`, `clamd:/path/to/socket`, `icap://host:port/service` or `icaps://host:port/service`',
    { default: null, read: readScannerAddress },
  ),
  scannerCaFile: entry<string[]>(
    'WAYBILL_SCANNER_CA_FILE',
    'PEM file of further certificate authorities of the virus scanner (`icaps`)',
    { default: [], read: readCertificates, defaultText: '–' },
  ),
  scannerTimeoutMs: entry('WAYBILL_SCANNER_TIMEOUT', 'how long the virus scanner may be silent', {
    default: 60_000,
    read: (value) => readDuration(value, 1000, 1),
    defaultText: '`60s`',
  }),
  geoipDb: text('WAYBILL_GEOIP_DB', '`.mmdb` file for locations in the download log; off when absent'),
  hostNames: entry(
    'WAYBILL_HOST_NAMES',
    'host names of visitors in the download log: `off`, `on` (asks the name servers of the system), or the address of a name server',
    { default: 'off' as HostNameSetting, read: readHostNames, defaultText: '`off`' },
  ),
  locale: entry(
    'WAYBILL_LOCALE',
    `default language: ${shippedLanguages.map((name) => `\`${name}\``).join(', ')}, or with a region such as \`de-AT\``,
    { default: 'en', read: readLocale, defaultText: '`en`' },
  ),
  timeZone: entry('WAYBILL_TIMEZONE', 'time zone of expiry dates', {
    default: 'UTC',
    read: readTimeZone,
    defaultText: '`UTC`',
  }),
  logLevel: oneOf(
    'WAYBILL_LOG_LEVEL',
    'least severe level that is logged: `debug`, `info`, `warn` or `error`',
    ['debug', 'info', 'warn', 'error'],
    'info',
  ),
  logFormat: entry<'json' | 'pretty' | null>('WAYBILL_LOG_FORMAT', '`json` or `pretty`', {
    default: null,
    read: readLogFormat,
    defaultText: '`json`, `pretty` on a terminal',
  }),
  metricsListen: entry<Listen | 'off' | null>(
    'WAYBILL_METRICS_LISTEN',
    'address and port of metrics for Prometheus (`/metrics`), or `off`',
    { default: null, read: (value) => (value === 'off' ? 'off' : readListen(value)), defaultText: '`127.0.0.1:9464`' },
  ),
  metricsToken: secret(
    'WAYBILL_METRICS_TOKEN',
    'what Prometheus must send as `Authorization: Bearer …`; required if other machines can reach the metrics',
  ),
  openapi: oneOf(
    'WAYBILL_OPENAPI',
    'who may read `/openapi.json`, `/openapi.yaml` and `/docs/api`: `public`, `signed-in`, `off`',
    ['public', 'signed-in', 'off'],
    'public',
  ),
  shutdownGraceMs: entry('WAYBILL_SHUTDOWN_GRACE', 'time to finish running requests on stop', {
    default: 30_000,
    // setTimeout overflows after 24.8 days and would fire immediately.
    read: (value) => readDuration(value, 0, 7),
    defaultText: '`30s`',
  }),
  backupDir: text('WAYBILL_BACKUP_DIR', 'folder for daily backups, on another disk or machine'),
  backupMinute: entry('WAYBILL_BACKUP_SCHEDULE', 'time of day for backups, in the time zone of `WAYBILL_TIMEZONE`', {
    default: 150,
    read: readTimeOfDay,
    defaultText: '`02:30`',
  }),
  backupKeepDays: entry('WAYBILL_BACKUP_KEEP', 'number of days whose last backup is kept', {
    default: 7,
    read: (value) => readWhole(value, 1, 3650),
    defaultText: '`7`',
  }),
  backupKeepWeeks: entry('WAYBILL_BACKUP_KEEP_WEEKS', 'number of weeks whose last backup is kept', {
    default: 4,
    read: (value) => readWhole(value, 0, 520),
    defaultText: '`4`',
  }),
  backupDrillMs: entry('WAYBILL_BACKUP_DRILL', 'interval of restore tests, `0s` for never', {
    default: 7 * 24 * 3_600_000,
    read: (value) => readDuration(value, 0),
    defaultText: '`7d`',
  }),
  setupToken: secret('WAYBILL_SETUP_TOKEN', 'token of the setup page', 'generated at first start'),
} as const satisfies Record<string, ConfigEntry<unknown>>;

function readLocale(value: string): string {
  const isOurs = shippedLanguages.includes(languageOf(value)) || isPseudo(value);
  try {
    if (isOurs) return Intl.getCanonicalLocales(value)[0] ?? 'en';
  } catch {
    // Not a valid language tag.
  }
  throw new RangeError(`must be one of ${shippedLanguages.join(', ')}, with a region if you like, such as de-AT`);
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
