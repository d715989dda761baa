import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type GlobalFlags, readSettings } from './settings.ts';
import type { World } from './world.ts';

describe('settings', () => {
  const home = mkdtempSync(join(tmpdir(), 'waybill-settings-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  const config = join(home, 'elsewhere.toml');
  writeFileSync(join(home, 'work.key'), 'key-of-work\r\n', { mode: 0o600 });
  writeFileSync(join(home, 'other.key'), 'key-of-file\n', { mode: 0o600 });
  writeFileSync(
    config,
    'default_profile = "work"\r\n[profiles.work]\r\nserver = "https://work.example/"\r\napi_key_file = "~/work.key"\r\n' +
      '[profiles.home]\r\nserver = "https://home.example"\r\napi_key = "key-of-home"\r\n[send]\r\nexpires = "14d"\r\n',
    { mode: 0o600 },
  );
  const read = (flags: GlobalFlags = {}, env: Record<string, string> = {}) =>
    readSettings(
      {
        env: { HOME: home, WAYBILL_CONFIG: config, ...env },
        home,
        cwd: home,
        platform: 'linux',
        stdin: { isTTY: true },
        stdout: { isTTY: true },
        stderr: { isTTY: true },
      } as unknown as World,
      flags,
    );
  const who = ({ server, apiKey }: ReturnType<typeof readSettings>) => [server, apiKey];

  test('what makes no sense is refused', () => {
    assert.throws(() => read({ profile: 'none' }), /no profile “none”/);
    assert.throws(() => read({}, { WAYBILL_PARALLEL: '9' }), /from 1 to 8/);
    assert.throws(() => read({ server: 'ftp://x.example' }), /not the address of a server/);
  });

  test('a file with Windows line ends has the default profile, its key and the defaults of commands', () => {
    assert.deepEqual(who(read()), ['https://work.example', 'key-of-work']);
    assert.equal(read().chosen('send', 'expires', undefined, String), '14d');
  });

  test('the environment comes before the profile, a flag before both', () => {
    assert.deepEqual(who(read({}, { WAYBILL_PROFILE: 'home' })), ['https://home.example', 'key-of-home']);
    assert.deepEqual(who(read({ profile: 'work' }, { WAYBILL_PROFILE: 'home' })), [
      'https://work.example',
      'key-of-work',
    ]);
    const env = { WAYBILL_SERVER: 'https://env.example', WAYBILL_API_KEY_FILE: join(home, 'other.key') };
    assert.deepEqual(who(read({}, env)), ['https://env.example', 'key-of-file']);
    assert.deepEqual(who(read({}, { ...env, WAYBILL_API_KEY: 'key-of-env' })), ['https://env.example', 'key-of-env']);
    assert.deepEqual(who(read({ server: 'https://flag.example' }, env)), ['https://flag.example', 'key-of-file']);
    assert.deepEqual(
      who(read({ server: 'https://flag.example' })),
      ['https://flag.example', null],
      'no key for others',
    );
  });

  test('chunks, questions and colours', () => {
    const env = { WAYBILL_PARALLEL: '3', WAYBILL_CHUNK_SIZE: '4MiB', WAYBILL_NO_INPUT: '1', NO_COLOR: '1' };
    const shown = ({ parallel, chunkBytes, mayAsk, hasColour }: ReturnType<typeof readSettings>) => [
      parallel,
      chunkBytes,
      mayAsk,
      hasColour,
    ];
    assert.deepEqual(shown(read()), [null, null, true, true]);
    assert.deepEqual(shown(read({}, env)), [3, 4 * 1024 * 1024, false, false]);
    assert.deepEqual(shown(read({ parallel: 'auto', chunkSize: '1MiB' }, env)), [null, 1024 * 1024, false, false]);
    assert.equal(read({}, { TERM: 'dumb' }).hasColour, false);
    assert.equal(read({ input: false }).mayAsk, false);
  });
});
