import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { type Config, ConfigProblems, readConfig, takeSecrets } from './config.ts';
import { configEntries } from './config-entries.ts';
import type { ConfigEntry } from './config-entry.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigProblems);
    return error.sentences;
  }
  return [];
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** One wrong value per setting, and what its sentence must contain. */
const wrong: [name: string, value: string, words: RegExp][] = [
  ['WAYBILL_BASE_URL', 'files.example.com', /must be an address that starts with http/],
  ['WAYBILL_BASE_URL', 'ftp://files.example.com', /http/],
  ['WAYBILL_BASE_URL', 'https://user:pass@example.com', /must not have a query, a fragment or a password/],
  ['WAYBILL_BASE_URL', 'https://example.com/?a=b', /query/],
  ['WAYBILL_LISTEN', 'everywhere', /address and port/],
  ['WAYBILL_LISTEN', '0.0.0.0:65536', /address and port/],
  ['WAYBILL_LISTEN', 'unix:relative', /absolute path/],
  ['WAYBILL_DATABASE_URL', 'mysql://db/x', /must start with postgres:\/\//],
  ['WAYBILL_STORAGE', 'tape', /must be one of file, s3/],
  ['WAYBILL_S3_ENDPOINT', 'minio', /http/],
  ['WAYBILL_S3_PATH_STYLE', 'maybe', /true or false/],
  ['WAYBILL_MASTER_KEY', 'short', /32 bytes in Base64/],
  ['WAYBILL_MASTER_KEY', `${'A'.repeat(43)}!`, /32 bytes in Base64/],
  ['WAYBILL_WORKERS', '0', /whole number from 1 to 64/],
  ['WAYBILL_WORKERS', '1.5', /whole number/],
  ['WAYBILL_ROLE', 'boss', /one of all, web, jobs/],
  ['WAYBILL_INSECURE_HTTP', 'sure', /true or false/],
  ['WAYBILL_TRUST_PROXY', '10.0.0.0/33', /is not a network/],
  ['WAYBILL_CHUNK_SIZE', '8 apples', /size such as 8MiB/],
  ['WAYBILL_CHUNK_SIZE', '1KiB', /at least 65536 bytes/],
  ['WAYBILL_MAX_CHUNK_SIZE', '-1', /size/],
  ['WAYBILL_MAX_CHUNK_SIZE', '65535', /at least 65536 bytes/],
  ['WAYBILL_MAIL_RATE', 'fast', /mails a minute/],
  ['WAYBILL_MAIL_OWN_DOMAINS', 'example.com, not a domain', /domains separated by commas/],
  ['WAYBILL_MAIL_FROM', 'a@example.com, b@example.com', /must be one e-mail address/],
  ['WAYBILL_MAIL_ENVELOPE_FROM', 'nobody', /must be one e-mail address/],
  ['WAYBILL_NAME_SERVER', 'dns.example.com', /IP address of a name server/],
  ['WAYBILL_SMTP_URL', 'http://mail.example.com', /such as smtp:/],
  ['WAYBILL_SMTP_URL', 'smtp://', /such as smtp:/],
  ['WAYBILL_SMTP_URL', 'smtp://mail.example.com/path', /such as smtp:/],
  ['WAYBILL_SMTP_URL', 'smtp://mail.example.com?pool=true', /such as smtp:/],
  ['WAYBILL_SMTP_URL', 'smtp://mail.example.com#x', /such as smtp:/],
  ['WAYBILL_FORM_UPLOAD_MAX', '0', /at least 1/],
  ['WAYBILL_MIN_FREE_SPACE', 'lots', /size/],
  ['WAYBILL_UNFINISHED_TTL', '24', /time such as 30s/],
  ['WAYBILL_UNFINISHED_TTL', '1s', /at least 60s/],
  ['WAYBILL_DELETE_GRACE', 'soon', /time/],
  ['WAYBILL_API_RATE', '-5', /whole number/],
  ['WAYBILL_LOCALE', 'not a locale', /must be one of en, de, es, fr, sv/],
  ['WAYBILL_LOCALE', 'xx', /must be one of en, de, es, fr, sv/],
  ['WAYBILL_SMTP_URL', 'smtp://user:100%@mail.example.com', /@ is written %40.*% is %25/],
  ['WAYBILL_SMTP_URL', 'smtp://user:a/b#c@mail.example.com', /\/ is %2F, # is %23/],
  ['WAYBILL_TIMEZONE', 'Mars/Olympus', /time zone such as/],
  ['WAYBILL_LOG_LEVEL', 'loud', /one of debug, info, warn, error/],
  ['WAYBILL_LOG_FORMAT', 'xml', /json or pretty/],
  ['WAYBILL_METRICS_LISTEN', 'everywhere', /address and port/],
  ['WAYBILL_METRICS_LISTEN', '0.0.0.0:9464', /WAYBILL_METRICS_TOKEN is needed/],
  ['WAYBILL_OPENAPI', 'private', /one of public, signed-in, off/],
  ['WAYBILL_SHUTDOWN_GRACE', '5 parsecs', /time/],
];

describe('wrong settings', () => {
  test('give one sentence each that begins with the name', () => {
    for (const [name, value, words] of wrong) {
      const sentences = problemsOf({ [name]: value });
      assert.equal(sentences.length, 1, `${name}=${value}: ${sentences.join(' | ')}`);
      assert.ok(sentences[0]!.startsWith(`${name} `), sentences[0]!);
      assert.ok(sentences[0]!.endsWith('.'), sentences[0]!);
      assert.match(sentences[0]!, words);
    }
  });

  test('are reported together', () => {
    const names = ['WAYBILL_WORKERS', 'WAYBILL_ROLE', 'WAYBILL_LISTEN', 'WAYBILL_TIMEZONE', 'WAYBILL_STORAGE'];
    const sentences = problemsOf(Object.fromEntries(names.map((name) => [name, 'wrong value'])));
    assert.equal(sentences.length, names.length);
    for (const name of names) assert.equal(sentences.filter((sentence) => sentence.startsWith(name)).length, 1, name);
  });

  test('an unknown name is reported with the nearest known one', () => {
    for (const [name, nearest] of [
      ['WAYBILL_BASEURL', 'WAYBILL_BASE_URL'],
      ['WAYBILL_DATABASEURL', 'WAYBILL_DATABASE_URL'],
      ['WAYBILL_TIMEZON', 'WAYBILL_TIMEZONE'],
      ['WAYBILL_LISE', 'WAYBILL_LISTEN'],
      ['WAYBILL_LISTEN_ADDRESS', 'WAYBILL_LISTEN'],
      ['WAYBILL_BASE_URL_ADDRESS', 'WAYBILL_BASE_URL'],
      ['WAYBILL_STORAGDIR', 'WAYBILL_STORAGE_DIR'],
      ['WAYBILL_DATABASE_U_FILE', 'WAYBILL_DATABASE_URL_FILE'],
      ['WAYBILL_ADMIN_PASSWORD_FILES', 'WAYBILL_ADMIN_PASSWORD_FILE'],
    ] as const)
      assert.deepEqual(problemsOf({ [name]: 'x' }), [`${name} is not a setting of Waybill; did you mean ${nearest}?`]);
  });

  test('only secrets, certificates, metadata and the administrator’s address have a _FILE twin', () => {
    assert.match(problemsOf({ WAYBILL_WORKERS_FILE: file('workers', '2') })[0]!, /is not a setting/);
    for (const entry of Object.values(configEntries) as ConfigEntry<unknown>[]) {
      const isTwin =
        (entry.isSecret === true && entry.name !== 'WAYBILL_MASTER_KEY') ||
        entry.name === 'WAYBILL_ADMIN_EMAIL' ||
        /^WAYBILL_((OIDC|LDAP|SAML)_CA|SAML_METADATA)$/.test(entry.name);
      const complaints = problemsOf({ [`${entry.name}_FILE`]: join(folder, 'absent') });
      const isKnown = complaints.every((sentence) => !sentence.includes('is not a setting'));
      assert.equal(isKnown, isTwin || entry.name === 'WAYBILL_MASTER_KEY', entry.name);
    }
  });

  test('a missing setting that another one needs is named', () => {
    assert.deepEqual(problemsOf({ WAYBILL_TLS_CERT_FILE: 'c', WAYBILL_BASE_URL: 'http://files.example.com' }), [
      'WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE must be set together.',
      'WAYBILL_BASE_URL must start with https:// when WAYBILL_TLS_CERT_FILE is set.',
    ]);
    assert.deepEqual(problemsOf({ WAYBILL_TLS_REDIRECT_LISTEN: ':80' }), [
      'WAYBILL_TLS_REDIRECT_LISTEN needs WAYBILL_TLS_CERT_FILE or WAYBILL_ACME_DOMAINS.',
    ]);
    assert.deepEqual(
      problemsOf({ WAYBILL_STORAGE: 's3' }).map((sentence) => sentence.split(' ', 1)[0]),
      ['WAYBILL_S3_ENDPOINT', 'WAYBILL_S3_BUCKET', 'WAYBILL_S3_ACCESS_KEY', 'WAYBILL_S3_SECRET_KEY'],
    );
    assert.match(problemsOf({ WAYBILL_ADMIN_PASSWORD: 'x' })[0]!, /^WAYBILL_ADMIN_EMAIL is needed/);
    assert.match(problemsOf({ WAYBILL_ADMIN_EMAIL: 'a@example.com' })[0]!, /^WAYBILL_ADMIN_PASSWORD is needed/);
    assert.match(
      problemsOf({ WAYBILL_ADMIN_EMAIL: 'a@example.com, b@example.com', WAYBILL_ADMIN_PASSWORD: 'x' })[0]!,
      /^WAYBILL_ADMIN_EMAIL must be one e-mail address/,
    );
    assert.match(
      problemsOf({ WAYBILL_ADMIN_EMAIL: 'a@example.com', WAYBILL_ADMIN_API_KEY: 'short' })[0]!,
      /^WAYBILL_ADMIN_API_KEY must be 22 letters and digits/,
    );
    assert.match(
      problemsOf({ WAYBILL_CHUNK_SIZE: '200MiB' })[0]!,
      /^WAYBILL_CHUNK_SIZE must not be larger than WAYBILL_MAX_CHUNK_SIZE/,
    );
    assert.match(
      problemsOf({
        WAYBILL_MASTER_KEY: Buffer.alloc(32).toString('base64'),
        WAYBILL_MASTER_KEY_FILE: '/somewhere',
      })[0]!,
      /are both set; keep one/,
    );
  });

  test('a secret given twice, or in a missing file, is reported without the secret', () => {
    const both = problemsOf({
      WAYBILL_SETUP_TOKEN: 'visible-secret',
      WAYBILL_SETUP_TOKEN_FILE: file('token', 'other-secret'),
    });
    assert.match(both[0]!, /^WAYBILL_SETUP_TOKEN and WAYBILL_SETUP_TOKEN_FILE are both set/);
    assert.doesNotMatch(both.join(), /secret/);
    const missing = problemsOf({ WAYBILL_SETUP_TOKEN_FILE: join(folder, 'absent') });
    assert.deepEqual(missing, ["WAYBILL_SETUP_TOKEN_FILE names a file that can't be read."]);
  });
});

describe('secrets', () => {
  const values = {
    WAYBILL_DATABASE_URL: 'postgres://user:hidden-word@db/x',
    WAYBILL_S3_ACCESS_KEY: 'hidden-word',
    WAYBILL_S3_SECRET_KEY: 'hidden-word',
    WAYBILL_MASTER_KEY: Buffer.from('hidden-word'.padEnd(32, '-')).toString('base64'),
    WAYBILL_ADMIN_EMAIL: 'a@example.com',
    WAYBILL_ADMIN_PASSWORD: 'hidden-word',
    WAYBILL_ADMIN_API_KEY: 'hiddenwordhiddenword22',
    WAYBILL_SETUP_TOKEN: 'hidden-word',
  };
  const shown = (value: unknown) =>
    [JSON.stringify(value), inspect(value, { depth: 9, showHidden: true }), `${String(value)}`].join();

  test('are in no printed form of the configuration', () => {
    const config = readConfig(values);
    assert.equal(config.adminPassword!.reveal(), 'hidden-word');
    assert.doesNotMatch(shown(config), /hidden-?word/);
    assert.doesNotMatch(shown(config), /aGlkZGVu/, 'nor in Base64');
    for (const entry of Object.values(config)) assert.doesNotMatch(shown(entry), /hidden-?word/);
  });

  test('are in no sentence about a fault', () => {
    const sentences = problemsOf({
      ...values,
      WAYBILL_DATABASE_URL: 'mysql://user:hidden-word@db/x',
      WAYBILL_MASTER_KEY: 'hidden-word',
      WAYBILL_ADMIN_API_KEY: 'hidden-word',
    });
    assert.equal(sentences.length, 3);
    assert.doesNotMatch(sentences.join(), /hidden/);
  });

  test('are removed from the environment, and nothing else is', () => {
    const environment = { WAYBILL_SETUP_TOKEN: 'hidden-word', WAYBILL_WORKERS: '2', PATH: '/bin' };
    assert.deepEqual(takeSecrets(environment), { WAYBILL_SETUP_TOKEN: 'hidden-word' });
    assert.deepEqual(environment, { WAYBILL_WORKERS: '2', PATH: '/bin' });
  });

  test('and other settings are listed with their source', () => {
    const { inForce } = readConfig({
      WAYBILL_SETUP_TOKEN_FILE: file('told', 'hidden-word'),
      WAYBILL_METRICS_TOKEN: 'hidden-word',
      WAYBILL_LOCALE: 'de',
    });
    const told = (name: string) => {
      const { value, source } = inForce.find((setting) => setting.name === name)!;
      return `${value} ${source}`;
    };
    assert.deepEqual(
      ['SETUP_TOKEN', 'METRICS_TOKEN', 'LOCALE', 'TIMEZONE', 'S3_BUCKET', 'SMTP_URL'].map((name) =>
        told(`WAYBILL_${name}`),
      ),
      ['••• file', '••• environment', 'de environment', 'UTC default', ' default', ' default'],
    );
  });

  test('may come from files, without the final line break', () => {
    const config = readConfig({
      WAYBILL_ADMIN_EMAIL_FILE: file('email', 'a@example.com\n'),
      WAYBILL_ADMIN_PASSWORD_FILE: file('password', ' spaces are kept \r\n'),
      WAYBILL_SETUP_TOKEN_FILE: file('setup', 'no line end'),
      WAYBILL_S3_SECRET_KEY: '',
      WAYBILL_S3_SECRET_KEY_FILE: file('s3', 'two\nlines\n'),
    });
    assert.equal(config.adminEmail, 'a@example.com');
    assert.equal(config.adminPassword!.reveal(), ' spaces are kept ');
    assert.equal(config.setupToken!.reveal(), 'no line end');
    assert.equal(config.s3SecretKey!.reveal(), 'two\nlines');
  });
});

describe('valid settings', () => {
  test('may all be missing', () => {
    const config = readConfig({});
    assert.equal(config.baseUrl.href, 'http://localhost:8080/');
    assert.deepEqual(config.listen, { kind: 'port', host: '0.0.0.0', port: 8080 });
    assert.equal(config.storage, 'file');
    assert.equal(config.storageDir, join(config.dataDir, 'files'));
    assert.equal(config.masterKeyFile, join(config.dataDir, 'master.key'));
    assert.equal(config.databaseUrl, null);
    assert.equal(config.timeZone, 'UTC');
    assert.equal(config.deleteGraceMs, 24 * 3_600_000);
    assert.equal(config.chunkSizeBytes, 8 * 1024 * 1024);
    assert.equal(config.apiRatePerMinute, 6000);
    assert.equal(config.openapi, 'public');
    assert.ok(config.workers >= 1);
    assert.equal(config.trustProxy.contains('127.0.0.1'), false);
  });

  test('connections to the database are shared by the workers', () => {
    const connectionsOf = (workers: string, given = '') =>
      readConfig({ WAYBILL_WORKERS: workers, WAYBILL_DATABASE_CONNECTIONS: given }).databaseConnections;
    assert.deepEqual(
      ['1', '2', '3', '8', '32'].map((workers) => connectionsOf(workers)),
      [16, 32, 48, 48, 128],
    );
    assert.equal(connectionsOf('8', '16'), 16);
    assert.match(
      problemsOf({ WAYBILL_WORKERS: '8', WAYBILL_DATABASE_CONNECTIONS: '15' })[0]!,
      /^WAYBILL_DATABASE_CONNECTIONS must be at least 16, two for each of the 8 workers/,
    );
  });

  test('an empty value is the same as none, and other programs’ variables are left alone', () => {
    const empty = Object.fromEntries(Object.values(configEntries).map((entry) => [entry.name, '']));
    assert.deepEqual(problemsOf({ ...empty, WAYBILL_API_KEY: 'x', WAYBILL_SERVER: 'y', PATH: '/bin', HOME: '' }), []);
  });

  test('paths become absolute; the public address follows the port when it is not given', () => {
    const config = readConfig({ WAYBILL_DATA_DIR: 'here', WAYBILL_LISTEN: '127.0.0.1:9000' });
    assert.equal(config.dataDir, join(process.cwd(), 'here'));
    assert.equal(config.baseUrl.href, 'http://localhost:9000/');
    assert.equal(readConfig({ WAYBILL_STORAGE_DIR: '/files' }).storageDir, '/files');
    assert.equal(readConfig({ WAYBILL_LISTEN: 'unix:/run/x.sock' }).baseUrl.href, 'http://localhost:8080/');
  });

  test('a master key file may name a file that does not exist yet', () => {
    const path = join(folder, 'not-yet.key');
    const config: Config = readConfig({ WAYBILL_MASTER_KEY_FILE: path });
    assert.equal(config.masterKeyFile, path);
    assert.equal(config.masterKey, null);
  });

  test('values just within their bounds, and every spelling, are accepted', () => {
    for (const listen of ['localhost:9464', '[::1]:9464', '127.0.0.2:9464', 'unix:/run/figures.sock', 'off'])
      assert.deepEqual(problemsOf({ WAYBILL_METRICS_LISTEN: listen }), [], listen);
    for (const format of ['json', 'pretty']) assert.equal(readConfig({ WAYBILL_LOG_FORMAT: format }).logFormat, format);
    for (const smtp of ['smtp://mail.example.com', 'smtps://u:p@mail.example.com:465/', 'smtp://[::1]:25'])
      assert.deepEqual(problemsOf({ WAYBILL_SMTP_URL: smtp }), [], smtp);
    const sizes = { WAYBILL_CHUNK_SIZE: '64KiB', WAYBILL_MAX_CHUNK_SIZE: '64KiB' };
    assert.deepEqual(problemsOf({ ...sizes, WAYBILL_MAIL_FROM: 'a@example.com' }), []);
    assert.equal(readConfig({ WAYBILL_MAIL_RATE: '60/min' }).mailPerMinute, 60);
    assert.deepEqual(readConfig({ WAYBILL_MAIL_OWN_DOMAINS: '@a.example, b.example' }).mailOwnDomains, [
      'a.example',
      'b.example',
    ]);
  });

  test('each value is read as its kind', () => {
    const config = readConfig({
      WAYBILL_WORKERS: '3',
      WAYBILL_CHUNK_SIZE: '1MiB',
      WAYBILL_UNFINISHED_TTL: '2d',
      WAYBILL_INSECURE_HTTP: 'YES',
      WAYBILL_TRUST_PROXY: 'loopback, 10.0.0.0/8',
      WAYBILL_TIMEZONE: 'europe/stockholm',
      WAYBILL_LOCALE: 'de-at',
      WAYBILL_BASE_URL: 'https://files.example.com/sub/',
      WAYBILL_API_RATE: '0',
    });
    assert.equal(config.workers, 3);
    assert.equal(config.chunkSizeBytes, 1_048_576);
    assert.equal(config.unfinishedTtlMs, 172_800_000);
    assert.equal(config.insecureHttp, true);
    assert.ok(config.trustProxy.contains('10.1.2.3') && config.trustProxy.contains('::1'));
    assert.equal(config.timeZone, 'Europe/Stockholm');
    assert.equal(config.locale, 'de-AT');
    assert.equal(config.baseUrl.pathname, '/sub/');
    assert.equal(config.apiRatePerMinute, 0);
  });

  test('the documented default is the actual default', () => {
    const told = Object.values(configEntries).filter(
      ({ name, defaultText }) =>
        /^`[^<`]+`$/.test(defaultText) &&
        !['WAYBILL_TRUST_PROXY', 'WAYBILL_METRICS_LISTEN', 'WAYBILL_WEBHOOK_NETWORKS'].includes(name),
    );
    assert.ok(told.length > 15);
    for (const { name, defaultText, default: value, read } of told)
      assert.deepEqual(read(defaultText.replaceAll('`', '')), value, name);
  });

  test('every setting has a unique WAYBILL_ name, a meaning and a documented default', () => {
    const entries = Object.values(configEntries);
    assert.equal(new Set(entries.map((entry) => entry.name)).size, entries.length);
    for (const entry of entries) {
      assert.match(entry.name, /^WAYBILL_[A-Z0-9_]+$/);
      assert.ok(entry.meaning.length > 3 && !['', 'null', 'undefined'].includes(entry.defaultText), entry.name);
    }
  });
});

test('connections to PostgreSQL are sixteen a worker up to 48, and never fewer than four', () => {
  const connections = (workers: number) => readConfig({ WAYBILL_WORKERS: String(workers) }).databaseConnections;
  assert.deepEqual([1, 2, 3, 4, 12, 13].map(connections), [16, 32, 48, 48, 48, 52]);
});
