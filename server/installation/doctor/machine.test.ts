import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../config.ts';
import { createRandom } from '../../lib/ids.ts';
import { type Finding, messageOf, runCheck } from './findings.ts';
import { checkFolders, checkFreeSpace, checkKeyFile, checkProgram } from './machine.ts';

const place = mkdtempSync(join(tmpdir(), 'waybill-machine-'));
after(() => rmSync(place, { recursive: true, force: true }));
const random = createRandom();
const summaries = (findings: Finding[]) => findings.map(({ look, state, sentence }) => `${state} ${look}: ${sentence}`);

test('the required version of Node is new enough, and pages must be built', async () => {
  const built = () => {};
  assert.deepEqual(summaries(await checkProgram('26.0.0', built)), [
    'ok program: Node 26.0.0',
    'ok program: The pages and the app are built.',
  ]);
  assert.match(summaries(await checkProgram('25.99.0', built))[0]!, /^fault program: Node 25\.99\.0 is too old/);
});

test('configured folders are checked, each in its state', async () => {
  const path = (name: string) => join(place, name);
  for (const name of ['data', 'open']) mkdirSync(path(name));
  chmodSync(path('data'), 0o771);
  chmodSync(path('open'), 0o702);
  writeFileSync(path('file'), '');
  const look = async (environment: Record<string, string>) =>
    summaries(await checkFolders(readConfig({ WAYBILL_DATA_DIR: path('data'), ...environment })));
  assert.deepEqual(await look({ WAYBILL_STORAGE_DIR: path('open') }), [
    `ok data folder: ${path('data')} belongs to us.`,
    `fault folder of files: ${path('open')} can be changed by all users of this machine.`,
  ]);
  assert.deepEqual(await look({ WAYBILL_STORAGE_DIR: path('file'), WAYBILL_BACKUP_DIR: path('none/yet') }), [
    `ok data folder: ${path('data')} belongs to us.`,
    `fault folder of files: ${path('file')} is a file.`,
    `warn folder of backups: ${path('none/yet')} does not exist yet.`,
  ]);
  const s3 = { ENDPOINT: 'http://127.0.0.1:1', BUCKET: 'b', ACCESS_KEY: 'a', SECRET_KEY: 's' };
  const bucket = Object.fromEntries(Object.entries(s3).map(([name, value]) => [`WAYBILL_S3_${name}`, value]));
  const geo = { WAYBILL_GEOIP_DB: path('file') };
  assert.deepEqual(await look({ WAYBILL_STORAGE: 's3', ...bucket, ...geo }), [
    `ok data folder: ${path('data')} belongs to us.`,
    `ok locations file: ${path('file')} can be read.`,
  ]);
  const [, , missing] = await look({ WAYBILL_GEOIP_DB: path('nothing') });
  assert.match(missing!, /^fault locations file: /);
});

test('an unreadable folder is reported with its proper owner', async () => {
  const loop = join(place, 'loop');
  symlinkSync(loop, loop);
  const [finding] = await checkFolders(readConfig({ WAYBILL_DATA_DIR: loop }));
  assert.equal(finding!.state, 'fault');
  assert.match(finding!.cure!, new RegExp(`^chown -R \\w+ ${loop}$`));
});

test('free space is sufficient above twice the minimum, low below that, and too low under the minimum', async () => {
  const { bavail, bsize } = statfsSync(place);
  const look = async (minFreeBytes: number) => {
    const config = { ...readConfig({ WAYBILL_STORAGE_DIR: join(place, 'not/there/yet') }), minFreeBytes };
    return summaries(await checkFreeSpace(config))[0]!;
  };
  const free = bavail * bsize;
  assert.match(await look(free * 0.4), new RegExp(`^ok free space: [\\d.]+ GiB are free in ${place}\\.$`));
  assert.match(await look(free * 0.7), /^warn free space: .* has only [\d.]+ GiB free/);
  assert.match(await look(free * 4), /^fault free space: .* free, less than the [\d.]+ GiB that must stay free/);
  assert.match(await look(2 ** 70), /the 1099511627776\.0 GiB that must stay free/);
});

test('the key file is created at the first start; afterwards it must exist, be valid and belong to us', async () => {
  const key = () => `${randomBytes(32).toString('base64')}\n`;
  const look = async (name: string, hasDatabase = true, environment = {}) => {
    const path = join(place, name);
    const [finding] = await checkKeyFile(
      readConfig({ WAYBILL_MASTER_KEY_FILE: path, ...environment }),
      random,
      hasDatabase,
    );
    return `${finding!.state}: ${finding!.sentence} → ${finding!.cure}`.replaceAll(path, 'PATH');
  };
  assert.match(await look('no.key', false), /^warn: PATH does not exist yet/);
  assert.match(await look('no.key'), /^fault: The master key is missing: .* → Put the right key there/);
  for (const [name, text, mode] of [
    ['one.key', key(), 0o600],
    ['two.key', key() + key(), 0o600],
    ['open.key', key(), 0o640],
    ['bad.key', 'short', 0o600],
  ] as const)
    writeFileSync(join(place, name), text, { mode });
  assert.match(await look('one.key', false), /^ok: PATH can be read by us alone/);
  assert.match(await look('two.key'), /^warn: PATH has two keys.* → waybill-server key rotate/);
  assert.match(await look('open.key'), /^fault: .* can be read by others.* → chmod 600 PATH/);
  assert.match(await look('bad.key'), /^fault: .* is not 32 bytes in Base64.* → Put the right key there/);
  const given = { WAYBILL_MASTER_KEY_FILE: '', WAYBILL_MASTER_KEY: key().trim() };
  assert.match(await look('no.key', true, given), /^ok: It is in WAYBILL_MASTER_KEY/);
});

test('a check that fails or times out is a finding with its message', async () => {
  const [late] = await runCheck({ name: 'x', limitMs: 10, cure: 'try', run: () => new Promise(() => {}) });
  assert.equal(late!.sentence, 'No answer within 0.01 seconds.');
  const look = (error: unknown) =>
    runCheck({ name: 'x', limitMs: 60_000, cure: 'try', run: () => Promise.reject(error) });
  assert.deepEqual(await look(new Error('unreachable')), [
    { look: 'x', state: 'fault', sentence: 'unreachable', cure: 'try', said: '' },
  ]);
  assert.equal(messageOf('bare'), 'bare');
});
