// Common mistakes of operators: one sentence that names the solution, no stack trace, exit code 1.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { repositoryRoot } from '#scripts/source-files.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { roleWithPassword } from '#test/kit/servers/postgres.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

/** False if that user cannot read the program, as in a home folder. */
const canNobodyStart = () => {
  const access = 'require("node:fs").accessSync(process.argv[1])';
  return spawnSync(process.execPath, ['-e', access, join(repositoryRoot, serverProgram())], nobody).status === 0;
};
const skipAsNobody =
  (!isRoot && 'only root can become another user') || (!canNobodyStart() && 'the program is in a private folder');

describe('a mistake of the operator', () => {
  let place: Installation;
  let folder: string;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
    folder = place.environment.WAYBILL_DATA_DIR!;
  });
  after(() => place.drop());

  const errorOf = async (args: string[], environment: Record<string, string> = {}, user?: typeof nobody) => {
    const { code, output, errors } = await place.run(args, environment, user);
    assert.equal(code, 1, errors);
    assert.match(output + errors, /^waybill-server: .*\n$/, 'one sentence');
    return errors.slice('waybill-server: '.length, -1);
  };

  test('a data folder that cannot be created', async () => {
    const expected = '/proc/nothing cannot be made: /proc takes no folders. Choose another folder.';
    assert.equal(await errorOf(['start'], { WAYBILL_DATA_DIR: '/proc/nothing' }), expected);
  });

  test('a command before the service has ever started, or with another folder: no files are created', async () => {
    assert.match(
      await errorOf(['gc']),
      /^There is no database in .*\. Set WAYBILL_DATA_DIR as for the service, or start it first: waybill-server start$/,
    );
    assert.deepEqual(await readdir(folder), []);
  });

  test('migrate creates the tables, --check reports what is missing, and other commands ask for it', async () => {
    const done = await place.run(['migrate']);
    assert.deepEqual([done.code, done.errors], [0, '']);
    assert.match(done.output, /^0001-baseline\n(\d{4}-.+\n)*✓ The tables are up to date\.\n$/);
    const again = await place.run(['migrate', '--check']);
    assert.deepEqual([again.code, again.output], [0, '✓ The tables are up to date.\n']);
  });

  test('a database that does not answer, and a missing locations file', async () => {
    assert.match(
      await errorOf(['start'], { WAYBILL_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' }),
      /^The database cannot be reached \(.*ECONNREFUSED.*\)\. Check that PostgreSQL runs, and host and port in WAYBILL_DATABASE_URL\.$/,
    );
    assert.match(
      await errorOf(['start'], { WAYBILL_GEOIP_DB: '/no/such.mmdb' }),
      /^WAYBILL_GEOIP_DB is \/no\/such\.mmdb, .*\. Put the file there, or leave the setting out\.$/,
    );
  });

  test('a database that does not exist, and a wrong password for it', {
    skip: findTestServers() === null && 'needs PostgreSQL',
  }, async () => {
    const url = new URL(findTestServers()!.postgresUrl);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`create role ${roleWithPassword} login password 'right'`);
    try {
      const cure = 'Check user, password and name in WAYBILL_DATABASE_URL.';
      url.pathname = '/nothing_here';
      assert.equal(
        await errorOf(['start'], { WAYBILL_DATABASE_URL: url.href }),
        `The database refused us: database "nothing_here" does not exist. ${cure}`,
      );
      Object.assign(url, { pathname: '/postgres', username: roleWithPassword, password: 'wrong' });
      assert.equal(
        await errorOf(['start'], { WAYBILL_DATABASE_URL: url.href }),
        `The database refused us: password authentication failed for user "${roleWithPassword}". ${cure}`,
      );
    } finally {
      await client.query(`drop role ${roleWithPassword}`);
      await client.end();
    }
  });

  test('a program that is not built: workers are not restarted', async () => {
    const sources = await mkdtemp(join(tmpdir(), 'waybill-not-built-'));
    try {
      // The program in another place without `dist`, as in a fresh checkout.
      for (const name of (await readdir(repositoryRoot)).filter((each) => each !== 'dist'))
        await symlink(join(repositoryRoot, name), join(sources, name));
      await mkdir(join(sources, 'dist'));
      await symlink(join(repositoryRoot, 'dist/server'), join(sources, 'dist/server'));
      const args = ['--preserve-symlinks', '--preserve-symlinks-main', serverProgram()];
      const program = await place.start({
        waits: false,
        sources: { folder: sources, args },
        environment: { WAYBILL_WORKERS: '2' },
      });
      assert.deepEqual(await program.exited, { code: 1, signal: null });
      assert.equal(
        program.output(),
        `waybill-server: ${sources}/dist/pages/entry.js is missing: the program is not built. Run: npm run build (in ${sources})\n`,
      );
    } finally {
      await rm(sources, { recursive: true });
    }
  });

  describe('with the file system', { skip: !isRoot && 'only root can give files away' }, () => {
    // The folder above belongs to the current user; others must be able to enter.
    before(() => chmod(folder, 0o711));

    const makeFolderOf = async (owner: typeof nobody | null, name: string) => {
      const data = join(folder, name);
      await mkdir(data, { mode: 0o700 });
      if (owner !== null) await chown(data, owner.uid, owner.gid);
      return data;
    };

    test('a data folder of another user', { skip: skipAsNobody }, async () => {
      const data = await makeFolderOf(null, 'of-root');
      assert.equal(
        await errorOf(['start'], { WAYBILL_DATA_DIR: data }, nobody),
        `${data} cannot be used by the user nobody. Give it to that user: chown -R ${nobody.uid} ${data}`,
      );
    });

    test('a command of a user who cannot enter the data folder', { skip: skipAsNobody }, async () => {
      const data = await makeFolderOf(null, 'of-another');
      assert.equal(
        await errorOf(['user', 'list'], { WAYBILL_DATA_DIR: data }, nobody),
        `This user cannot enter ${data}. Run the command as root (sudo).`,
      );
    });

    test('a master key that the user of the service cannot read', { skip: skipAsNobody }, async () => {
      const data = await makeFolderOf(nobody, 'with-key-of-root');
      const path = join(data, 'master.key');
      await writeFile(path, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
      // The tables come before the key, and the log reports them.
      const settings = { WAYBILL_DATA_DIR: data, WAYBILL_LOG_LEVEL: 'error' };
      assert.equal(
        await errorOf(['start'], settings, nobody),
        `${path} cannot be used by the user nobody. Give it to that user: chown -R ${nobody.uid} ${path}`,
      );
    });

    test('a full disk, and a read-only one', async (context) => {
      const disk = await makeFolderOf(null, 'small-disk');
      const mount = (...args: string[]) => promisify(execFile)('mount', args);
      const small = ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'waybill-test', disk];
      if (!(await mount(...small).then(Boolean, () => false))) return context.skip('no disk can be mounted here');
      try {
        const settings = { WAYBILL_DATA_DIR: disk };
        const cure = 'Free some, or set WAYBILL_DATA_DIR to a folder on another disk.';
        assert.equal(await errorOf(['start'], settings), `There is no room left for ${disk}/waybill.db. ${cure}`);
        await mount('-o', 'remount,ro', disk);
        assert.equal(
          await errorOf(['start'], settings),
          `${disk} is on a file system that is read-only. Mount it for writing, or set WAYBILL_DATA_DIR to another folder.`,
        );
      } finally {
        await promisify(execFile)('umount', ['--lazy', disk]);
      }
    });

    test('commands of root leave no file that the user of the service cannot read', async () => {
      const data = await makeFolderOf(nobody, 'of-nobody');
      const { code, errors } = await place.run(['migrate'], { WAYBILL_DATA_DIR: data });
      assert.equal(code, 0, errors);
      for (const name of await readdir(data)) assert.equal((await stat(join(data, name))).uid, nobody.uid, name);
    });
  });
});
