// The doctor of root finds files that the user of the service cannot use, a folder that is not mounted, and a backup folder
// of another installation; it never proposes to give files up or to start over.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import type { Finding } from '#server/installation/doctor/findings.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';

/** Exists on every machine. */
const service = { name: 'daemon', uid: 1, gid: 1 };
const isRoot = process.getuid?.() === 0;

describe('doctor, run by root', { skip: !isRoot && 'not root' }, () => {
  let place: Installation;
  let dataDir: string;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
    dataDir = place.environment.WAYBILL_DATA_DIR!;
    const program = await place.start();
    await place.admin.upload('file.bin', 'bytes', 'uploadForLink', { connection: 'close' });
    program.signal('SIGTERM');
    await program.exited;
    for (const name of await readdir(dataDir, { recursive: true }))
      await chown(join(dataDir, name), service.uid, service.gid);
    await chown(dataDir, service.uid, service.gid);
  });
  after(() => place.drop());

  async function findings(environment: Record<string, string> = {}): Promise<Finding[]> {
    const { output, errors } = await place.run(['doctor', '--json'], environment);
    assert.notEqual(output, '', errors);
    return JSON.parse(output).findings;
  }

  function assertNamed(found: Finding[], look: string, sentence: RegExp, cure: RegExp): void {
    const report = found.map((one) => `${one.state} ${one.look}: ${one.sentence} → ${one.cure}`).join('\n');
    const named = found.filter((one) => one.look === look && one.state === 'fault');
    assert.equal(named.length, 1, report);
    assert.match(named[0]!.sentence, sentence);
    assert.match(named[0]!.cure!, cure);
    assert.doesNotMatch(report, /--adopt|waybill-server start|systemctl start waybill\./, 'a dangerous cure');
  }

  test('finds nothing to do about owners where all belongs to the service', async () => {
    const faults = (await findings()).filter(({ state }) => state === 'fault');
    assert.deepEqual(
      faults.map(({ look }) => look),
      [],
    );
  });

  test('names a database of another user', async () => {
    await chown(join(dataDir, 'waybill.db'), 0, 0);
    await chmod(join(dataDir, 'waybill.db'), 0o600);
    const found = await findings();
    await chown(join(dataDir, 'waybill.db'), service.uid, service.gid);
    assertNamed(
      found.filter(({ look }) => look !== 'service'),
      'database',
      /waybill\.db belongs to root: the user daemon cannot/,
      /^chown daemon: \/.*\/waybill\.db\*$/,
    );
  });

  test('names a folder of files of another user, and does not call the files lost', async () => {
    await chown(join(dataDir, 'files'), 0, 0);
    await chmod(join(dataDir, 'files'), 0o700);
    const found = await findings();
    await chown(join(dataDir, 'files'), service.uid, service.gid);
    assertNamed(
      found.filter(({ look }) => look !== 'service' && look !== 'folder of files'),
      'store',
      /files belongs to root: the user daemon cannot/,
      /^chown -R daemon: \/.*\/files$/,
    );
  });

  test('names a file of events of another user', async () => {
    const path = join(dataDir, 'events.jsonl');
    await writeFile(path, '');
    await chmod(path, 0o600);
    const found = await findings({ WAYBILL_EVENTS_FILE: path });
    await rm(path);
    assertNamed(
      found.filter(({ look }) => look !== 'service'),
      'events file',
      /^The user daemon cannot write \/.*\.jsonl\.$/,
      /^chown daemon: \/.*\.jsonl$/,
    );
  });

  test('names a data folder of another user than the one of the unit', async () => {
    const unit = `[Service]\nUser=${service.name}\nEnvironment=WAYBILL_DATA_DIR=${dataDir}\n`;
    await chown(dataDir, 0, 0);
    const program = [process.execPath, serverProgram(), 'doctor', '--json'].join(' ');
    const script = `mount -t tmpfs tmpfs /etc/systemd/system && printf %s "$UNIT" > /etc/systemd/system/waybill.service && exec ${program}`;
    const env = { ...process.env, ...place.environment, UNIT: unit };
    const output = await new Promise<string>((resolve) => {
      execFile('unshare', ['--mount', 'sh', '-c', script], { env, cwd: repositoryRoot }, (_error, text) =>
        resolve(text),
      );
    });
    await chown(dataDir, service.uid, service.gid);
    assertNamed(
      (JSON.parse(output).findings as Finding[]).filter(({ look }) => look !== 'service'),
      'data folder',
      /cannot be written by the user daemon/,
      /^chown -R daemon \//,
    );
  });

  test('asks for the mount of an emptied data folder while the service runs', async () => {
    const program = await place.start();
    await rename(dataDir, `${dataDir}.aside`);
    await mkdir(dataDir, { mode: 0o700 });
    try {
      assertNamed(
        await findings(),
        'database',
        /The service runs, but .* has no database: is the folder not mounted/,
        /findmnt -T/,
      );
    } finally {
      await rm(dataDir, { recursive: true });
      await rename(`${dataDir}.aside`, dataDir);
      program.signal('SIGTERM');
      await program.exited;
    }
  });

  test('names a backup folder of another installation, as the backup does', async () => {
    const backups = join(dataDir, 'backups');
    await mkdir(join(backups, 'files'), { recursive: true });
    await writeFile(join(backups, 'files', 'waybill-installation'), 'another');
    for (const path of [backups, join(backups, 'files')]) await chown(path, service.uid, service.gid);
    const found = await findings({ WAYBILL_BACKUP_DIR: backups });
    assertNamed(
      found.filter(({ look }) => look !== 'service'),
      'backups',
      /has the backups of another installation/,
      /WAYBILL_BACKUP_DIR/,
    );
    const made = await place.run(['backup', '--to', backups]);
    assert.match(made.errors, /has the backups of another installation/);
  });
});
