// Common mistakes of operators, with the real program: one sentence that names the cure, no trace, exit code 1.
import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';

describe('a mistake of the operator', () => {
  let place: Installation;
  let folder: string;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
    folder = place.environment.WAYBILL_DATA_DIR!;
  });
  after(() => place.drop());

  const told = async (args: string[], environment: Record<string, string> = {}) => {
    const { code, output, errors } = await place.run(args, environment);
    assert.equal(code, 1, errors);
    assert.match(output + errors, /^waybill-server: .*\n$/, 'one sentence');
    return errors.slice('waybill-server: '.length, -1);
  };

  test('a data folder that cannot be made', async () => {
    const expected = '/proc/nothing cannot be made: /proc takes no folders. Choose another folder.';
    assert.equal(await told(['start'], { WAYBILL_DATA_DIR: '/proc/nothing' }), expected);
  });

  test('a command before the service has ever started, or with another folder: nothing is made', async () => {
    assert.match(
      await told(['gc']),
      /^There is no database in .*\. Set WAYBILL_DATA_DIR as for the service, or start it first: waybill-server start$/,
    );
    assert.deepEqual(await readdir(folder), []);
  });

  test('migrate makes the tables, --check tells what is missing, and other commands ask for it', async () => {
    const done = await place.run(['migrate']);
    assert.deepEqual([done.code, done.errors], [0, '']);
    assert.match(done.output, /^0001.*\n(.+\n)+✓ The tables are up to date\.\n$/);
    const again = await place.run(['migrate', '--check']);
    assert.deepEqual([again.code, again.output], [0, '✓ The tables are up to date.\n']);
  });

  test('a database that does not answer, and a locations file that is not there', async () => {
    assert.match(
      await told(['start'], { WAYBILL_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' }),
      /^The database cannot be reached \(.*ECONNREFUSED.*\)\. Check that PostgreSQL runs, and host and port in WAYBILL_DATABASE_URL\.$/,
    );
    assert.match(
      await told(['start'], { WAYBILL_GEOIP_DB: '/no/such.mmdb' }),
      /^WAYBILL_GEOIP_DB is \/no\/such\.mmdb, .*\. Put the file there, or leave the setting out\.$/,
    );
  });

  test('commands of root leave no file that the user of the service cannot read', {
    skip: process.getuid?.() !== 0,
  }, async () => {
    const nobody = 65_534;
    const data = join(folder, 'of-nobody');
    await mkdir(data, { mode: 0o700 });
    await chown(data, nobody, nobody);
    // The folder above belongs to us alone: let others walk through.
    await chmod(folder, 0o711);
    const { code, errors } = await place.run(['migrate'], { WAYBILL_DATA_DIR: data });
    assert.equal(code, 0, errors);
    for (const name of await readdir(data)) assert.equal((await stat(join(data, name))).uid, nobody, name);
  });
});
