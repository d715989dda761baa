import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { completeEnvironment } from '../config.ts';
import { findServiceSettings, parseSettings } from './settings-files.ts';

describe('the settings of the installed service', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'waybill-root-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };

  test('are read from a file as systemd reads it', () => {
    assert.deepEqual(
      parseSettings(
        [
          '# comment',
          '; comment',
          'WAYBILL_A=plain # no comment',
          "WAYBILL_B='single $x'",
          'WAYBILL_C="double \\"x\\" \\$y"',
          'WAYBILL_D=back\\slash\\\\',
          '  WAYBILL_E = wrong',
          'export WAYBILL_F=from a shell ',
          'WAYBILL_G=',
          'WAYBILL_H=two \\',
          'lines',
        ].join('\n'),
      ),
      {
        WAYBILL_A: 'plain # no comment',
        WAYBILL_B: 'single $x',
        WAYBILL_C: 'double "x" $y',
        WAYBILL_D: 'backslash\\',
        WAYBILL_F: 'from a shell',
        WAYBILL_G: '',
        WAYBILL_H: 'two lines',
      },
    );
  });

  test('are those of the unit and its files, or of the usual file', async () => {
    assert.equal(findServiceSettings(root), null);
    await put('/etc/waybill/waybill.env', 'WAYBILL_DATA_DIR=/usual\n');
    assert.deepEqual(findServiceSettings(root), {
      path: '/etc/waybill/waybill.env',
      values: { WAYBILL_DATA_DIR: '/usual' },
    });
    await put(
      '/usr/lib/systemd/system/waybill.service',
      '[Service]\nEnvironment=WAYBILL_DATA_DIR=/package "WAYBILL_MAIL_FROM=A b@c.d"\nEnvironmentFile=-/srv/w.env\n',
    );
    assert.deepEqual(findServiceSettings(root), {
      path: 'the unit waybill.service',
      values: { WAYBILL_DATA_DIR: '/package', WAYBILL_MAIL_FROM: 'A b@c.d' },
    });
    await put('/srv/w.env', 'WAYBILL_DATA_DIR=/srv/waybill\n');
    await put('/etc/systemd/system/waybill.service.d/override.conf', '[Service]\nEnvironment=WAYBILL_WORKERS=2\n');
    const found = findServiceSettings(root);
    assert.equal(found?.path, '/srv/w.env');
    assert.deepEqual([found.values.WAYBILL_DATA_DIR, found.values.WAYBILL_WORKERS], ['/srv/waybill', '2']);
  });

  test('complete the environment of a command that has none, and only then', async () => {
    const complete = (args: string[], environment: NodeJS.ProcessEnv) => ({
      ...completeEnvironment(args, environment, root),
      folder: environment.WAYBILL_DATA_DIR,
    });
    assert.deepEqual(complete(['doctor', '--json'], { WAYBILL_API_KEY: 'of the command line' }), {
      args: ['doctor', '--json'],
      file: '/srv/w.env',
      folder: '/srv/waybill',
    });
    assert.deepEqual(complete(['doctor'], { WAYBILL_WORKERS: '1' }), {
      args: ['doctor'],
      file: null,
      folder: undefined,
    });
    for (const command of ['start', 'version', 'help', '--help'])
      assert.equal(complete([command], {}).file, null, command);
    await put('/other.env', 'WAYBILL_DATA_DIR=/other\nWAYBILL_LISTEN=8080\n');
    const path = join(root, 'other.env');
    for (const args of [
      ['--env-file', path, 'start'],
      ['start', '--env-file', path],
    ]) {
      const environment: NodeJS.ProcessEnv = { WAYBILL_LISTEN: '8081' };
      assert.deepEqual(complete(args, environment), { args: ['start'], file: path, folder: '/other' });
      assert.equal(environment.WAYBILL_LISTEN, '8081');
    }
    assert.throws(() => complete(['doctor', '--env-file', '/none.env'], {}), /\/none\.env does not exist/);
    assert.throws(() => complete(['doctor', '--env-file'], {}), /--env-file needs the path/);
  });
});
