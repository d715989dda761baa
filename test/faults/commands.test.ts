// The operator's commands: output and exit codes. Each runs as a process at least once (see `proven` in
// test/operations/pages.ts).
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { evidenceAnswer } from '#contract/evidence.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { clock } from '#server/commands/clock.ts';
import { evidence } from '#server/commands/evidence.ts';
import { gc } from '#server/commands/gc.ts';
import { mail } from '#server/commands/mail.ts';
import { quarantine } from '#server/commands/quarantine.ts';
import { store } from '#server/commands/store.ts';
import { user } from '#server/commands/user.ts';
import { verify } from '#server/commands/verify.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { environmentForPrograms } from '#test/kit/outside.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import { wireForm } from '../kit/wire-form.ts';

describe('operator’s commands', () => {
  let place: Installation;
  let linkId: string;
  /** A file that a link references, and an unreferenced one. */
  let held: string;
  let spare: string;
  let older: string;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
    const program = await place.start();
    held = (await place.admin.upload('kept.bin', 'kept')).id;
    spare = (await place.admin.upload('spare.bin', 'spare')).id;
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: held } } });
    linkId = (body as { link: { id: string } }).link.id;
    await eventually('events are sealed', async () => sealed() > 0);
    program.signal('SIGTERM');
    await program.exited;
    using database = open();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    older = `${place.environment.WAYBILL_DATA_DIR}/older.db`;
    await copyFile(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'), older);
  });
  const open = () => new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'));
  const sealed = (): number => {
    using database = open();
    return Number(database.prepare('SELECT size FROM evidence_log').get()?.size ?? 0);
  };
  after(() => place.drop());

  test('a closed output pipe changes neither the end of a command nor a running service', async () => {
    const env = { ...environmentForPrograms(), ...place.environment, WAYBILL_LOG_FORMAT: 'pretty' };
    const start = (args: string[], more: Record<string, string> = {}) => {
      const child = spawn(process.execPath, [serverProgram(), ...args], {
        cwd: repositoryRoot,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      return { child, exited: once(child, 'exit'), errors: text(child.stderr) };
    };
    for (const args of [['user', 'list'], ['gc', '--dry-run'], ['help']]) {
      const { exited, errors } = start(args);
      assert.deepEqual([await exited, await errors], [[0, null], ''], args.join(' '));
    }
    const listening = { WAYBILL_LISTEN: `unix:${join(place.environment.WAYBILL_DATA_DIR!, 'service.sock')}` };
    const { child, exited, errors } = start(['start'], { ...listening, WAYBILL_METRICS_LISTEN: 'off' });
    const socket = join(place.environment.WAYBILL_DATA_DIR!, 'service.sock');
    await eventually('the service listens', async () => existsSync(socket) || child.exitCode !== null);
    await eventually('the service answers', async () => {
      if (child.exitCode !== null) assert.fail(await errors);
      return (await place.run(['health'], listening)).code === 0;
    });
    child.kill('SIGTERM');
    assert.deepEqual([await exited, await errors], [[0, null], '']);
  });

  test('an unknown or misused command prints an error and ends with 2', async (context) => {
    for (const [run, args] of [
      [place.run, ['sing']],
      [place.run, ['constructor']],
      [place.runInside, ['mail']],
      [place.runInside, ['evidence', 'constructor']],
    ] as const) {
      const { code, output, errors } = await run([...args]);
      assert.equal(code, 2, args.join(' '));
      assert.equal(output, '');
      assert.match(errors, /usage: waybill-server|there is no command "(sing|constructor)"/);
    }
    // The exit code is what the command returns, so the other cases need no process of their own.
    const said = context.mock.method(process.stderr, 'write', () => true);
    for (const wrong of [
      () => clock(['--set']),
      () => gc(['--dry']),
      () => evidence([]),
      () => evidence(['witness']),
      () => evidence(['admit-witness']),
      () => evidence(['remove-witness', 'one', 'two']),
      () => evidence(['witness', 'harbour']),
      () => evidence(['witness', 'ftp://harbour.example']),
      () => evidence(['witness', 'https://harbour.example', 'https://quay.example']),
      () => verify(['--all']),
      () => mail(['test']),
      () => mail(['test', 'nobody']),
      () => mail(['queue', '--all']),
      () => user([]),
      () => user(['reset-password']),
      () => user(['reset-password', '--without-second-step']),
      () => quarantine(['--begin']),
      () => quarantine(['--end', 'now']),
      () => store(['--take']),
    ]) {
      assert.equal(await wrong(), 2);
      assert.match(String(said.mock.calls.at(-1)?.arguments[0]), /^usage: waybill-server /);
    }
    assert.equal(said.mock.callCount(), 19, 'one sentence each');
  });

  describe('mail test', () => {
    test('without a mail server, writes a file and prints its path', async () => {
      const { code, output } = await place.run(['mail', 'test', 'sam@example.com']);
      assert.equal(code, 0);
      assert.match(
        output,
        /^✓ There is no mail server \(WAYBILL_SMTP_URL\); the mail to sam@example\.com is a file in /,
      );
      const folder = join(place.environment.WAYBILL_DATA_DIR!, 'mail');
      const [file] = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
      const mail = await simpleParser(await readFile(join(folder, file!)));
      assert.match(mail.text ?? '', /If you can read this, e-mail works\./);
    });

    test('prints the mail server’s acceptance, and sends the intended mail', async () => {
      const relay = await startRelay();
      const settings = {
        WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        WAYBILL_MAIL_FROM: 'files@example.com',
        WAYBILL_MAIL_ENVELOPE_FROM: 'bounces@example.com',
      };
      const { code, output } = await place.runInside(['mail', 'test', 'Sam@Example.com'], settings);
      await relay.close();
      assert.equal(output, '✓ The mail server has accepted the mail to sam@example.com: 250 queued as 1\n');
      assert.equal(code, 0);
      assert.equal(relay.received.length, 1);
      const [{ envelopeFrom, envelopeTo, mime }] = relay.received as [(typeof relay.received)[0]];
      assert.deepEqual([envelopeFrom, envelopeTo], ['bounces@example.com', ['sam@example.com']]);
      const mail = await simpleParser(mime);
      assert.match(mail.subject ?? '', /^Test from /);
      for (const part of [mail.text ?? '', mail.html || '']) {
        assert.ok(part.includes(`127.0.0.1:${relay.port}`));
        assert.ok(part.includes('files@example.com'));
      }
    });

    test('prints why it was refused, and ends with 1; never prints a password', async () => {
      const relay = await startRelay({
        onRcptTo: (_address, _session, callback) =>
          callback(Object.assign(new Error('no such user here'), { responseCode: 550 })),
      });
      const url = `smtp://127.0.0.1:${relay.port}`;
      const refused = await place.runInside(['mail', 'test', 'sam@example.com'], { WAYBILL_SMTP_URL: url });
      await relay.close();
      assert.equal(refused.code, 1);
      assert.match(refused.output, /^✗ The mail to sam@example\.com was not accepted: .*no such user here/);
      const gone = await place.runInside(['mail', 'test', 'sam@example.com'], {
        WAYBILL_SMTP_URL: `smtp://files:hush-hush@127.0.0.1:${relay.port}`,
      });
      assert.equal(gone.code, 1);
      assert.match(gone.output, /^✗ The mail to sam@example\.com was not accepted: /);
      assert.doesNotMatch(gone.output + gone.errors, /hush-hush/);
    });
  });

  test('clock shows the clocks and their differences', async () => {
    const right = await place.run(['clock']);
    assert.match(right.output, /^this machine {2}\S+Z\nlatest seen {3}\S+Z\n✓ The clocks agree\.\n$/);
    assert.equal(right.code, 0);
    using database = open();
    const seen = String(Date.now() + 40 * 24 * 3_600_000);
    database.prepare("UPDATE meta SET value = ? WHERE key = 'clock_high_water'").run(seen);
    const wrong = await place.run(['clock']);
    assert.match(wrong.output, /✗ This installation has already seen .* 40 days later than it is/);
    assert.equal(wrong.code, 1);
    assert.equal((await place.run(['clock', '--mend'])).code, 0);
  });

  test('quarantine prints whether it is on, and ends it', async () => {
    assert.deepEqual(await place.run(['quarantine']), { code: 0, output: '✓ Not in quarantine.\n', errors: '' });
    using database = open();
    database.prepare("INSERT INTO meta (key, value) VALUES ('quarantine', 'copied')").run();
    const on = await place.run(['quarantine']);
    assert.match(
      on.output,
      /^! This database was copied or restored .* until you run waybill-server quarantine --end\.\n$/,
    );
    assert.equal(on.code, 1);
    const ended = await place.run(['quarantine', '--end']);
    assert.deepEqual([ended.code, ended.output], [0, '✓ Not in quarantine.\n']);
  });

  const pathOf = (id: string): string => {
    using database = open();
    const key = String(database.prepare('SELECT blob_key FROM parts WHERE upload_id = ?').get(id)?.blob_key);
    return join(place.environment.WAYBILL_DATA_DIR!, 'files', key.slice(0, 2), key);
  };

  test('verify names damaged files and ends with 1; continues with the next file, and removes a wrong mark', async () => {
    const [first, second] = [held, spare].sort() as [string, string];
    const bytes = await readFile(pathOf(second));
    await writeFile(pathOf(second), bytes.with(-1, bytes.at(-1)! ^ 1));
    const damaged = await place.run(['verify']);
    assert.deepEqual(damaged, {
      code: 1,
      output: `✗ ${second} is damaged\n2 files read: 1 damaged, 0 missing, 0 wrong marks taken back\n`,
      errors: '',
    });
    await writeFile(pathOf(second), bytes);
    const resumed = await place.runInside(['verify', '--after', first]);
    assert.deepEqual(resumed, {
      code: 0,
      output: `✓ ${second} was marked as damaged and is whole\n1 file read: 0 damaged, 0 missing, 1 wrong mark taken back\n`,
      errors: '',
    });
  });

  test('store names a store of another installation and ends with 1; --adopt takes ownership', async () => {
    const mark = join(place.environment.WAYBILL_DATA_DIR!, 'files', 'waybill-installation');
    await writeFile(mark, '{"installation":"another","beat":1}\n');
    const foreign = await place.run(['store']);
    assert.equal(foreign.code, 1);
    assert.match(
      foreign.output,
      /^✗ The store \(.*\) belongs to another installation\. .* run waybill-server store --adopt\.\n$/,
    );
    const adopted = await place.runInside(['store', '--adopt']);
    assert.deepEqual([adopted.code, adopted.output], [0, '✓ The store belongs to this installation and works.\n']);
    assert.doesNotMatch(await readFile(mark, 'utf8'), /another/);
  });

  test('gc --dry-run lists due files and held-back jobs without changes; gc erases the files and releases the jobs', async () => {
    using database = open();
    // As if its grace period were over, and the safety limit had stopped the job before.
    database.prepare('UPDATE attachments SET erase_after_uptime = 0 WHERE id = ?').run(spare);
    const because = '60 of 100 files would be erased in one run';
    const holds = () =>
      database.prepare("SELECT held_because FROM jobs WHERE name = 'erase-files'").get()?.held_because;
    database
      .prepare('INSERT OR REPLACE INTO jobs (name, holder, lease_ends_at, note, held_because) VALUES (?, ?, ?, ?, ?)')
      .run('erase-files', '', 0, '', because);
    const paths = [pathOf(held), pathOf(spare)] as const;
    const report = `1 of 2 files is due to be erased\nerase-files is held back: ${because}\n`;
    const asked = await place.runInside(['gc', '--dry-run']);
    assert.deepEqual([asked.code, asked.output], [0, report]);
    assert.deepEqual([...paths.map(existsSync), holds()], [true, true, because]);
    const done = await place.runInside(['gc']);
    assert.equal(done.code, 0);
    assert.ok(done.output.startsWith(report), done.output);
    assert.match(done.output, /^erase-files: 1 file erased$/m);
    assert.deepEqual([...paths.map(existsSync), holds()], [true, false, null]);
  });

  test('evidence receipt prints a receipt that the verifier accepts, with the signature of a witness', async () => {
    const before = sealed();
    const program = await place.start();
    const { body: made } = await place.admin.expect(200, 'createGroup', {
      body: { group: { name: 'Auditors', role: 'auditor' } },
    });
    const { id: group } = (made as { group: { id: string } }).group;
    const email = 'watch@example.com';
    await place.admin.expect(200, 'createUser', { body: { user: { email, group } } });
    const { body: answer } = await place.admin.expect(200, 'getApiKey', { query: { email } });
    const folder = await mkdtemp(join(tmpdir(), 'witness-'));
    await writeFile(join(folder, 'api-key'), (answer as { user: { api_key: string } }).user.api_key);
    const refused = await place.run(['evidence', 'witness', place.url, '--folder', folder]);
    assert.equal(refused.code, 3);
    const witnessKey = /admit-witness '(\S+)'$/m.exec(refused.errors)![1]!;
    assert.equal((await place.runInside(['evidence', 'admit-witness', witnessKey])).code, 0);
    const visit = await place.run(['evidence', 'witness', place.url, '--folder', folder]);
    assert.equal(visit.code, 0, visit.errors);
    assert.match(visit.output, /^✓ .* was signed\./);
    await eventually('the log has grown', async () => sealed() > before);
    const { evidence: state } = wireForm(evidenceAnswer, (await place.admin.expect(200, 'getEvidence')).body);
    program.signal('SIGTERM');
    await program.exited;

    const receipt = await place.runInside(['evidence', 'receipt', linkId]);
    assert.equal(receipt.code, 0, receipt.errors);
    const file = join(folder, 'receipt.json');
    await writeFile(file, receipt.output);
    const { keys } = JSON.parse(await readFile(join(folder, 'memory.json'), 'utf8')) as { keys: string[] };
    const given = ['--key', keys[0]!, '--witness', state.witnesses[0]!.key];
    const verified = await verifyFile([file, ...given]);
    assert.equal(verified.code, 0, verified.output);
    assert.match(verified.output, /A witness has seen the same log: .*\/waybill-witness\./);
    assert.match(
      (await verifyFile([file, '--key', keys[0]!])).output,
      /give the key of .*\/waybill-witness with --witness/,
    );
    await writeFile(file, receipt.output.replace(/"size":4/, '"size":5'));
    assert.notEqual((await verifyFile([file, ...given])).code, 0);
    assert.equal((await place.runInside(['evidence', 'receipt', 'A'.repeat(22)])).code, 1);
    await rm(folder, { recursive: true });
  });

  test('an older database is named, and the log continues once the loss is accepted', async () => {
    const file = join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db');
    for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
    await copyFile(older, file);
    const verify = await place.runInside(['evidence', 'verify']);
    assert.equal(verify.code, 1);
    assert.match(verify.output, /an older database was put in place/);
    assert.equal((await place.runInside(['evidence', 'accept-loss'])).code, 2);
    const accepted = await place.runInside(['evidence', 'accept-loss', 'The', 'disk', 'failed']);
    assert.equal(accepted.code, 0, accepted.errors);
    assert.match(
      accepted.output,
      /^✓ The log continues after entry \d+; \d+ entries that were signed after it are lost/,
    );
    assert.equal((await place.runInside(['evidence', 'verify'])).code, 0);
    assert.match((await place.runInside(['evidence', 'accept-loss', 'Again'])).output, /^Nothing is lost/);
  });

  test('evidence verify finds a changed event', async () => {
    const before = await place.runInside(['evidence', 'verify']);
    assert.equal(before.code, 0, before.output);
    assert.match(before.output, /^✓ [1-9]\d* entries: every event, tile and checkpoint is as it was sealed\.\n/);
    const database = open();
    // An attacker who can write the file can also drop its triggers.
    const guards = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'events'")
      .all();
    assert.ok(guards.length > 0);
    for (const { name } of guards) database.exec(`DROP TRIGGER ${name}`);
    database.exec("UPDATE events SET action = 'link.deleted' WHERE seq = (SELECT min(seq) FROM events)");
    database.close();
    const after = await place.runInside(['evidence', 'verify']);
    assert.equal(after.code, 1);
    assert.match(after.output, /^✗ event \d+ \(.*\) was changed after it was sealed: action/);
  });
});

function verifyFile(args: string[]): Promise<{ code: number; output: string }> {
  const program = join(import.meta.dirname, '../../tools/verify/verify.mjs');
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}
