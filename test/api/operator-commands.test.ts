// What commands of the operator say and keep: backups by hand, a full disk, secrets in arguments, locked people.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openBackupFolder } from '#server/blobs/backup-folder.ts';
import { backup } from '#server/commands/backup.ts';
import { createPace } from '#server/commands/move-blobs.ts';
import { moveDatabaseCommand } from '#server/commands/move-database.ts';
import { manageUsers } from '#server/commands/user.ts';
import { verify } from '#server/commands/verify.ts';
import { moveTarget, readConfig } from '#server/config.ts';
import { sentencesFor } from '#server/domain/operator-sentences.ts';
import { StoreFull } from '#server/domain/ports.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { runCommand } from '#test/kit/run-command.ts';

describe('commands of the operator', () => {
  let app: TestApp;
  let environment: Record<string, string>;
  let folder: string;
  before(async () => {
    const place = await sqliteAndDisk.create('migrated');
    ({ environment } = place);
    environment = { ...environment, WAYBILL_MIN_FREE_SPACE: '0' };
    app = await startTestApp(
      { name: 'one place', create: async () => place },
      { environment: { WAYBILL_ROLE: 'web' } },
    );
    folder = await mkdtemp(join(tmpdir(), 'waybill-commands-'));
    await app.admin.upload('only.bin', 'the only file');
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (command: (args: string[]) => Promise<number>, args: string[]) =>
    runCommand(() => command(args), environment);

  test('keep a backup made with --keep, and say of another why it was removed', async () => {
    const dir = join(folder, 'backups');
    const idOf = (out: string) => /^✓ (\S+) is in/.exec(out)![1]!;
    const kept = idOf((await run(backup, ['--to', dir, '--keep'])).out);
    const usual = idOf((await run(backup, ['--to', dir])).out);
    const third = await run(backup, ['--to', dir]);
    assert.match(
      third.out,
      new RegExp(`Removed, because a newer one of the same day or week replaces it .*: ${usual}\n`),
    );
    assert.doesNotMatch(third.out, /too old/);
    assert.deepEqual(await (await openBackupFolder(dir, 0)).listIds(), [kept, idOf(third.out)]);
    const sample = await run(verify, ['--backup', dir, '--sample', '1%']);
    assert.match(sample.out, /1 of 1 file read/, 'a sample of few files reads one');
  });

  test('say in a sentence that the disk of a backup is full, or that its folder cannot be made', async () => {
    assert.match(
      sentencesFor(new StoreFull('the file system said ENOSPC'))!.join(),
      /^There is no room left: .*ENOSPC/,
    );
    await assert.rejects(run(backup, ['--to', '/proc/waybill/backups']), /cannot be made|ENOENT/);
  });

  test('take the address of a database from a file or the environment, and refuse a password in an argument', async () => {
    const target = 'postgres://u:secret@127.0.0.1:1/x';
    await assert.rejects(run(moveDatabaseCommand, ['--to', target]), /process list .* --to-file/);
    await writeFile(join(folder, 'address'), `${target}\n`);
    const { err } = await run(moveDatabaseCommand, ['--to-file', join(folder, 'address'), '--to', target]);
    assert.match(err, /^usage: /);
    await assert.rejects(run(moveDatabaseCommand, ['--to-file', join(folder, 'address')]), /^(?!.*process list)/);
    assert.equal(moveTarget({ WAYBILL_MOVE_DATABASE_TO: target }), target);
    assert.doesNotThrow(() => readConfig({ WAYBILL_MOVE_DATABASE_TO: target }));
  });

  const userLine = async (email: string) => {
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: () => {} };
    await manageUsers(['list'], io as never, (work) => work(app.app.ctx));
    return out.find((text) => text.startsWith(email))!;
  };

  test('show people who have not chosen a password as invited', async () => {
    const io = { out: () => {}, err: () => {} };
    await manageUsers(['create', 'ivy@example.com', '--invite'], io as never, (work) => work(app.app.ctx));
    assert.match(await userLine('ivy@example.com'), / invited {2}never seen\n$/);
  });

  test('show people whose sign-in is locked', async () => {
    const alice = await app.person('alice', { password: 'nine green kettles on a roof' });
    const line = () => userLine(alice.email);
    assert.doesNotMatch(await line(), /locked/);
    for (let attempt = 0; attempt < 6; attempt++)
      await app.anonymous.call('login', { body: { user: { email: alice.email, password: `wrong ${attempt}` } } });
    assert.match(await line(), /active, locked/);
  });

  test('never wait a negative time for a rate', async () => {
    const waits: number[] = [];
    const pace = createPace(1, async (ms) => void waits.push(ms));
    await pace(0);
    assert.ok(
      waits.every((ms) => ms >= 0),
      waits.join(),
    );
  });
});
