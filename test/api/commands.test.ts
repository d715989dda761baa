import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { openBlobStore } from '#server/blobs/open.ts';
import { backup } from '#server/commands/backup.ts';
import { clock } from '#server/commands/clock.ts';
import { doctor } from '#server/commands/doctor.ts';
import { gc } from '#server/commands/gc.ts';
import { key } from '#server/commands/key.ts';
import { mail } from '#server/commands/mail.ts';
import { migrate } from '#server/commands/migrate.ts';
import { moveBlobsCommand } from '#server/commands/move-blobs.ts';
import { moveDatabaseCommand } from '#server/commands/move-database.ts';
import { quarantine } from '#server/commands/quarantine.ts';
import { restore } from '#server/commands/restore.ts';
import { setupToken } from '#server/commands/setup-token.ts';
import { store } from '#server/commands/store.ts';
import { verify } from '#server/commands/verify.ts';
import { ConfigProblems, readConfig } from '#server/config.ts';
import { lockFile } from '#server/db/engine/file-lock.ts';
import { setMeta } from '#server/db/system/installation.ts';
import type { MetaKey } from '#server/db/system/instants.ts';
import { uptimeKey } from '#server/installation/clock.ts';
import { drillBackup } from '#server/installation/drill.ts';
import { moveDatabase } from '#server/installation/move-database.ts';
import { storeOf, withDatabase } from '#server/installation/open.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createRandom } from '#server/lib/ids.ts';
import { silentLog } from '#server/lib/log.ts';
import { OperatorProblem } from '#server/lib/operator-problem.ts';
import { startTestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { runCommand } from '#test/kit/run-command.ts';

type Command = (args: string[]) => Promise<number>;

/** Arguments that a command accepts, and arguments that it refuses. */
const usages: [command: Command, taken: string[], refused: string[]][] = [
  [store, ['', '--adopt'], ['x', '--adopt x', 'x --adopt']],
  [clock, ['', '--mend'], ['x', '--mend x', 'x --mend']],
  [gc, ['', '--dry-run'], ['x', '--dry-run x', 'x --dry-run']],
  [quarantine, ['', '--end'], ['x', '--end x', 'x --end']],
  [migrate, ['', '--check'], ['x', '--check x']],
  [key, ['rotate', 'rotate --prepare'], ['', 'x', 'rotate x', 'x --prepare', 'rotate --prepare x']],
  [setupToken, [''], ['x']],
  [backup, ['', '--to f', '--to f --no-files', '--no-files'], ['x', '--to', '--no-files x']],
  [restore, ['', '--from f', '--from f --snapshot s --no-files'], ['x', '--from', '--snapshot']],
  [
    verify,
    ['', '--after id', '--backup f', '--backup f --snapshot s', '--backup f --sample 5%', '--backup f --sample 100'],
    ['x', '--snapshot s', '--sample 5%', '--backup f --after id', '--backup f --sample 0', '--backup f --sample 101%'],
  ],
  [verify, ['--backup f --sample 0.5%'], ['--backup f --sample x', '--backup f --sample 1000', '--after']],
  [
    mail,
    ['queue', 'queue --json', 'test a@b.example'],
    ['', 'queue x', 'queue --json x', 'test', 'test a@b.example x'],
  ],
  [mail, ['test a@localhost'], ['send a@b.example', 'test no-address']],
  [moveBlobsCommand, ['--to s3', '--to disk --rate 1MiB'], ['', '--to tape', '--to s3 --rate 0', '--to s3 --rate x']],
  [
    moveDatabaseCommand,
    ['--to postgres://h/d', '--to sqlite:f'],
    ['', '--to sqlite:f --to-file f', '--to sqlite:', '--to mysql://h', '--to'],
  ],
  [doctor, [], ['x', '--json x']],
];

test('a command prints its usage unless it understands every argument', async () => {
  const wordsOf = (line: string) => (line === '' ? [] : line.split(' '));
  // A command that accepts its arguments reads the settings next, and fails on this one.
  const invalidSettings = { WAYBILL_NONSENSE: '1' };
  for (const [command, taken, refused] of usages) {
    for (const line of taken)
      await assert.rejects(
        runCommand(() => command(wordsOf(line)), invalidSettings),
        ConfigProblems,
        `${command.name} ${line}`,
      );
    for (const line of refused) {
      const { code, err, out } = await runCommand(() => command(wordsOf(line)), invalidSettings);
      assert.equal(code, 2, `${command.name} ${line}`);
      assert.match(err, /^usage: waybill-server /);
      assert.equal(out, '');
    }
  }
});

describe('a command of the operator', () => {
  let environment: Record<string, string>;
  let folder: string;
  let fileId: string;
  let drop: () => Promise<void>;
  before(async () => {
    ({ environment, drop } = await sqliteAndDisk.create('migrated'));
    folder = await mkdtemp(join(tmpdir(), 'waybill-commands-'));
    const place = { environment, drop: async () => {} };
    const app = await startTestApp({ name: 'one place', create: async () => place });
    fileId = (await app.admin.upload('file.bin', Buffer.alloc(300_000, 7))).id;
    await app.close();
    environment = { ...environment, WAYBILL_MIN_FREE_SPACE: '0', WAYBILL_WORKERS: '1' };
    // The clock of the service in tests differs from that of the machine.
    await run(clock, '--mend');
  });
  after(async () => {
    await drop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (command: Command, line: string, more: Record<string, string> = {}) =>
    runCommand(() => command(line === '' ? [] : line.split(' ')), { ...environment, ...more });
  const masterKey = () => readFile(join(environment.WAYBILL_DATA_DIR!, 'master.key'), 'utf8');
  const inside = <Result>(work: Parameters<typeof withDatabase<Result>>[1]) =>
    withDatabase(readConfig(environment), work);

  test('shows the clocks, and corrects a stored instant that lies in the future', async () => {
    assert.match((await run(clock, '')).out, /^this machine {2}\S+Z\nlatest seen {3}\S+Z\n✓ The clocks agree\.\n$/);
    const mended = await inside((db) =>
      db.read.selectFrom('meta').selectAll().where('key', 'like', 'clock_high_water/%').execute(),
    );
    await inside((db) => db.write((tx) => setMeta(tx, mended.at(-1)!.key as MetaKey, String(Date.now() + 600_000))));
    const wrong = await run(clock, '');
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /✗ This installation has already seen .* later than it is/);
    assert.doesNotMatch(wrong.out, /✓/);
    const right = await run(clock, '--mend');
    assert.deepEqual([right.code, right.out.includes('✓ The clocks agree.')], [0, true]);
  });

  test('reports whether the tables are of this version', async () => {
    assert.deepEqual(await run(migrate, '--check'), { code: 0, out: '✓ The tables are up to date.\n', err: '' });
    assert.deepEqual(await run(migrate, ''), { code: 0, out: '✓ The tables are up to date.\n', err: '' });
    const file = new DatabaseSync(join(environment.WAYBILL_DATA_DIR!, 'waybill.db'));
    const last = file.prepare('SELECT * FROM migrations ORDER BY name DESC LIMIT 1').get()!;
    file.prepare('DELETE FROM migrations WHERE name = ?').run(last.name!);
    const { code, out } = await run(migrate, '--check');
    file.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(last.name!, last.applied_at!);
    file.close();
    assert.deepEqual([code, out], [1, `${last.name}\n! 1 migration would run.\n`]);
  });

  test('ends the quarantine of a copy, and reports whether it is one', async () => {
    assert.deepEqual(await run(quarantine, ''), { code: 0, out: '✓ Not in quarantine.\n', err: '' });
    await inside((db) => db.write((tx) => setMeta(tx, 'quarantine', 'copied')));
    const copied = await run(quarantine, '');
    assert.equal(copied.code, 1);
    assert.match(copied.out, /^! This database was copied/);
    const cleaned = await run(gc, '');
    assert.deepEqual([cleaned.code, /no mail is sent and nothing is erased/.test(cleaned.out)], [1, true]);
    assert.doesNotMatch(cleaned.out, /^expire: /m);
    assert.deepEqual(await run(quarantine, '--end'), { code: 0, out: '✓ Not in quarantine.\n', err: '' });
  });

  test('removes what is due, and only lists it in a dry run', async () => {
    const cleaned = await run(gc, '');
    assert.equal(cleaned.code, 0);
    assert.deepEqual(
      cleaned.out.split('\n').map((line) => line.split(':')[0]),
      [
        '0 of 1 file are due to be erased',
        ...['expire', 'finish-uploads', 'abandon-uploads', 'erase-files', 'remove-erased'],
        ...['sweep-orphans', 'purge-inactive-users', 'tidy', ''],
      ],
    );
    const hold = (because: string) =>
      inside((db) =>
        db.write((tx) => tx.updateTable('jobs').set({ held_because: because }).where('name', '=', 'tidy').execute()),
      );
    await hold('it would remove too much');
    const dry = await run(gc, '--dry-run');
    const out = '0 of 1 file are due to be erased\ntidy is held back: it would remove too much\n';
    assert.deepEqual(dry, { code: 0, out, err: '' });
  });

  test('reports which installation owns the store, and changes the owner on request', async () => {
    const works = { code: 0, out: '✓ The store belongs to this installation and works.\n', err: '' };
    assert.deepEqual(await run(store, ''), works);
    const blobs = await openBlobStore(storeOf(readConfig(environment)));
    await blobs.writeMark('{"installation":"another","beat":0}\n');
    await blobs.close();
    const foreign = await run(store, '');
    assert.equal(foreign.code, 1);
    assert.match(foreign.out, /^✗ The store .* belongs to another installation/);
    assert.deepEqual(await run(store, '--adopt'), works);
    const full = await run(store, '', { WAYBILL_MIN_FREE_SPACE: '8000TiB' });
    assert.equal(full.code, 1);
    assert.match(full.out, /^✗ The store does not work \(\w+\): /);
  });

  test('reads every file back, and reports which are damaged, missing or intact again', async () => {
    const dir = join(environment.WAYBILL_DATA_DIR!, 'files');
    const [name] = (await readdir(dir, { recursive: true })).filter((path) => /^..\/\w{22}$/.test(path));
    const path = join(dir, name!);
    const summary = (damaged: number, missing: number, mended: number) =>
      `1 file read: ${damaged} damaged, ${missing} missing, ${mended} wrong ${mended === 1 ? 'mark' : 'marks'} taken back\n`;
    assert.deepEqual(await run(verify, ''), { code: 0, out: summary(0, 0, 0), err: '' });
    assert.match((await run(verify, `--after ${fileId}`)).out, /^0 files read: /);
    const bytes = await readFile(path);
    await writeFile(path, bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1));
    assert.deepEqual(await run(verify, ''), { code: 1, out: `✗ ${fileId} is damaged\n${summary(1, 0, 0)}`, err: '' });
    await writeFile(path, bytes);
    const mended = `✓ ${fileId} was marked as damaged and is whole\n${summary(0, 0, 1)}`;
    assert.deepEqual(await run(verify, ''), { code: 0, out: mended, err: '' });
    await rename(path, `${path}.away`);
    const missing = await run(verify, '');
    const incomplete = await run(backup, `--to ${join(folder, 'incomplete')}`);
    await rename(`${path}.away`, path);
    await run(verify, '');
    assert.deepEqual([missing.code, missing.out], [1, `✗ ${fileId} is missing\n${summary(0, 1, 0)}`]);
    assert.equal(incomplete.code, 1);
    assert.match(incomplete.out, /^✗ 1 file is not in the store, see waybill-server verify$/m);
    const other = await sqliteAndDisk.create();
    const lacking = { ...other.environment, WAYBILL_MASTER_KEY: (await masterKey()).trim() };
    const lacked = await run(restore, `--from ${join(folder, 'incomplete')}`, lacking).finally(other.drop);
    assert.equal(lacked.code, 1);
    assert.match(lacked.out, /^✗ 1 file was missing already when the backup was made\.$/m);
  });

  test('makes a backup, tests it and restores it into an empty place', async () => {
    const dir = join(folder, 'backups');
    const without = await run(backup, '');
    assert.deepEqual([without.code, /say where with --to/.test(without.err)], [2, true]);
    const made = await run(backup, `--to ${dir}`);
    assert.equal(made.code, 0, made.out);
    assert.match(
      made.out,
      /^✓ \d{8}T\d{9}Z is in .*: database \d+\.\d MB, 1 file of 0\.3 MB, 1 of them new; \d+\.\d s\n/,
    );
    assert.match(made.out, /which is not in it: .*master\.key\. Keep a copy/);
    assert.doesNotMatch(made.out, /Removed as too old|✗/);
    const again = await run(backup, `--to ${dir}`, { WAYBILL_BACKUP_KEEP: '1', WAYBILL_BACKUP_KEEP_WEEKS: '0' });
    assert.match(
      again.out,
      /1 file of 0\.3 MB, 0 of them new; .*\n.*\n {2}Removed, because a newer one of the same day or week replaces it .*: \S+Z\n$/,
    );
    const tried = await run(verify, `--backup ${dir}`);
    assert.deepEqual([tried.code, tried.err], [0, '']);
    assert.match(tried.out, /^✓ \S+: \d+ rows restored, 1 of 1 file read; everything is as it was saved\.\n$/);
    const empty = await sqliteAndDisk.create();
    const key = await masterKey();
    const there = { ...empty.environment, WAYBILL_MASTER_KEY: key.trim(), WAYBILL_BACKUP_DIR: dir };
    const restored = await run(restore, '', there).finally(empty.drop);
    assert.equal(restored.code, 0);
    assert.match(restored.out, /^✓ Restored as it was at \S+Z: \d+ rows, 1 file\./);
    assert.doesNotMatch(restored.out, /✗/);
    assert.equal((await run(restore, '')).code, 2, 'without a place to restore from');
  });

  test('tests one backup at a time: a second test does not touch the scratch place of the first', async () => {
    const dir = join(folder, 'tried');
    await run(backup, `--to ${dir}`);
    const config = readConfig(environment);
    const random = createRandom();
    const clock = { now: systemClock().now, uptime: () => 0, fault: () => null };
    const testBackup = () =>
      drillBackup({ config, log: silentLog, random, clock }, { dir, snapshotId: null, sample: 1 });
    const tries = await Promise.all([testBackup(), testBackup()]);
    const done = tries.filter((tried) => tried !== null);
    // Either of them may come first.
    assert.deepEqual([done.length, done[0]!.filesRead, done[0]!.faults], [1, 1, []]);
    const running = lockFile(join(environment.WAYBILL_DATA_DIR!, 'drill.lock'));
    const out = '✗ Another backup is being tried out. Wait until that has ended, then try again.\n';
    assert.deepEqual(await run(verify, `--backup ${dir}`), { code: 1, out, err: '' });
    running?.[Symbol.dispose]();
    assert.equal((await run(verify, `--backup ${dir}`)).code, 0);
  });

  test('a backup of the database alone keeps the last one that has the files, and the files', async () => {
    const dir = join(folder, 'mixed');
    await run(backup, `--to ${dir}`);
    const names = await readdir(join(dir, 'files'), { recursive: true });
    const saved = join(dir, 'files', names.find((name) => /^..\/\w{22}$/.test(name))!);
    // Dated to the night before: backups so close to each other would all be retained.
    const [id] = await readdir(join(dir, 'snapshots'));
    await utimes(saved, new Date(0), new Date(0));
    const alone = await run(backup, `--to ${dir} --no-files`);
    assert.doesNotMatch(alone.out, /Removed as too old/);
    const tried = await run(verify, `--backup ${dir} --snapshot ${id}`);
    assert.match(tried.out, /^✓ \S+: \d+ rows restored, 1 of 1 file read; everything is as it was saved\.\n$/);
    // The next one with files replaces it.
    const next = await run(backup, `--to ${dir}`);
    assert.match(next.out, new RegExp(`replaces it .*: ${id}, \\S+Z\\n`));
  });

  test('refuses backups of other installations, damaged ones and incomplete ones, each with its reason', async () => {
    const dir = join(folder, 'refused');
    const made = await run(backup, `--to ${dir} --no-files`);
    assert.match(made.out, /, 0 files of 0\.0 MB, 0 of them new/);
    const empty = await sqliteAndDisk.create();
    const key = await masterKey();
    const there = { ...empty.environment, WAYBILL_MASTER_KEY: key.trim() };
    const refuses = (command: Command, line: string, words: RegExp, more: Record<string, string> = there) =>
      assert.rejects(run(command, line, more), (error: Error) => {
        assert.ok(error instanceof OperatorProblem, String(error));
        assert.match(error.message, words);
        return true;
      });
    await refuses(restore, `--from ${dir}`, /has no files, only the database\. Choose .* --no-files if the store has/);
    const [snapshot] = await readdir(join(dir, 'snapshots'));
    const [name] = (await readdir(join(dir, 'snapshots', snapshot!))).filter((file) => file.includes('manifest'));
    const manifest = join(dir, 'snapshots', snapshot!, name!);
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace(/"madeAt":(\d)/, '"madeAt":9$1'));
    await refuses(restore, `--from ${dir} --no-files`, /The manifest of the backup \S+ was changed or is damaged/);
    for (const bad of ['{', text.replace('waybill backup 1', 'waybill backup 2')]) {
      await writeFile(manifest, bad);
      await refuses(restore, `--from ${dir} --no-files`, /not a manifest of a backup that this version can read/);
    }
    await rm(manifest);
    await refuses(restore, `--from ${dir} --no-files`, /There is no finished backup in /);
    const mark = await openBlobStore({ ...storeOf(readConfig({ WAYBILL_STORAGE_DIR: join(dir, 'files') })) });
    await mark.writeMark('another');
    await mark.close();
    await refuses(backup, `--to ${dir}`, /has the backups of another installation\. Choose a folder of its own/, {});
    await empty.drop();
  });

  test('refuses to run without a database, with one of another version, or without the stores it needs', async () => {
    const nowhere = { WAYBILL_DATA_DIR: join(folder, 'nowhere') };
    await assert.rejects(run(quarantine, '', nowhere), /There is no database in .*nowhere/);
    const file = new DatabaseSync(join(environment.WAYBILL_DATA_DIR!, 'waybill.db'));
    const rename = file.prepare('UPDATE migrations SET name = ? WHERE name = ?');
    rename.run('0068-attempt-limits', '0001-baseline');
    const older = await run(quarantine, '').catch((error: unknown) => error);
    rename.run('0001-baseline', '0068-attempt-limits');
    file.close();
    assert.ok(older instanceof OperatorProblem, String(older));
    for (const [to, before] of [
      ['s3', 'file'],
      ['disk', 's3'],
    ] as const)
      await assert.rejects(run(moveBlobsCommand, `--to ${to}`), new RegExp(`WAYBILL_STORAGE_BEFORE=${before} with`));
  });

  test('moves a database only while no server writes to it', async () => {
    const from = `sqlite:${join(environment.WAYBILL_DATA_DIR!, 'waybill.db')}`;
    const to = (name: string) => `sqlite:${join(folder, name, 'waybill.db')}`;
    const beat = (value: string) => inside((db) => db.write((tx) => setMeta(tx, uptimeKey, value)));
    await assert.rejects(
      moveDatabase(from, to('a'), () => beat('999999999')),
      /A server is running over this database/,
    );
    const file = new DatabaseSync(from.slice('sqlite:'.length));
    file.exec("INSERT INTO migrations (name, applied_at) VALUES ('9999-later', 1)");
    const newer = await moveDatabase(from, to('c'), async () => {}).catch((error: unknown) => error);
    file.exec("DELETE FROM migrations WHERE name = '9999-later'");
    file.close();
    assert.match(String(newer), /^OperatorProblem: It was made by a newer version of the program \(9999-later\)/);
    const { tables, rows } = await moveDatabase(from, to('b'), async () => {});
    assert.ok(tables > 10 && rows > 10);
    await run(quarantine, '--end');
    await assert.rejects(
      moveDatabase(from, to('b'), async () => {}),
      /The target is in use: it has rows in /,
    );
  });

  test('sends a mail and reports the result', async () => {
    const sent = await run(mail, 'test ann@example.com');
    assert.equal(sent.code, 0);
    assert.match(
      sent.out,
      /^✓ There is no mail server \(WAYBILL_SMTP_URL\); the mail to ann@example\.com is a file in /,
    );
    const refused = await run(mail, 'test ann@example.com', { WAYBILL_SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.equal(refused.code, 1);
    assert.match(refused.out, /^✗ The mail to ann@example\.com was not accepted: /);
    const queue = await run(mail, 'queue --json');
    assert.equal(queue.code, 0);
    assert.doesNotThrow(() => JSON.parse(queue.out));
  });

  test('shows no setup token once there is an administrator', async () => {
    await assert.rejects(run(setupToken, ''), OperatorProblem);
  });

  test('counts the faults and warnings that the doctor finds', async () => {
    const listen = { WAYBILL_LISTEN: '127.0.0.1:1' };
    const output = await run(doctor, '', listen);
    assert.equal(output.code, 0, output.out);
    const { faults, warnings, findings } = JSON.parse((await run(doctor, '--json', listen)).out);
    const lines = output.out.trimEnd().split('\n');
    assert.equal(lines.at(-1), `${faults} faults, ${warnings} warnings`);
    assert.equal(lines.filter((line) => line.startsWith('✓')).length, findings.length - warnings);
    assert.equal(lines.filter((line) => line.startsWith('!')).length, warnings);
    assert.equal(lines.filter((line) => line.startsWith('    cure: ')).length, warnings);
    assert.doesNotMatch(output.out, /\(\)|✓.*\(.*\)$/m);
    const refused = await run(doctor, '', { ...listen, WAYBILL_SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.match(refused.out, /^✗ mail: .* \(.*ECONNREFUSED.*\)$/m);
    const wrong = await run(doctor, '', { ...listen, WAYBILL_WORKERS: 'many' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /^✗ configuration: WAYBILL_WORKERS must be .*\n {4}cure: /m);
  });

  test('writes both keys to the file before the key is changed', async () => {
    const prepared = await run(key, 'rotate --prepare');
    assert.equal(prepared.code, 0);
    assert.match(prepared.out, /^✓ .*master\.key has the old and the new key\. Copy it to every machine/);
    const keys = await readFile(join(environment.WAYBILL_DATA_DIR!, 'master.key'), 'utf8');
    assert.equal(keys.trim().split('\n').length, 2);
  });
});
