// Starting and stopping the program: running work finishes, dead workers are replaced, and a failed start prints why.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { createInstallation, type Installation, membersOf, type Program } from '#test/kit/program.ts';
import { wireForm } from '../kit/wire-form.ts';

/** More than socket buffers hold, so that a stopped reader keeps the download running. */
const large = randomBytes(12 * 1024 * 1024);

/** Each process takes more than a second to start: two workers and a supervisor only where needed. */
const oneProcess = { WAYBILL_WORKERS: '1' };

describe('the program', () => {
  let place: Installation;
  let largeId: string | null = null;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_SHUTDOWN_GRACE: '60s' });
  });
  after(() => place.drop());

  async function beginTransfers() {
    largeId ??= (await place.admin.upload('large.bin', large, 'uploadForLink', { connection: 'close' })).id;
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: largeId } } });
    const { path } = await clickDownload(place.url, wireForm(fileLinkAnswer, body).link.id);
    const download = await openDownload(place.url, path!);
    const sent = randomBytes(200_000);
    const upload = await holdUpload(place.admin, '/link/attachments/upload?filename=late.bin', {
      lengthBytes: sent.length,
    });
    await upload.send(sent.subarray(0, 100_000));
    return {
      async finish() {
        const reply = await upload.finish(sent.subarray(100_000));
        assert.equal(reply.status, 200, reply.text);
        const whole = await download.rest();
        assert.ok(whole.isWhole && whole.bytes.equals(large));
      },
    };
  }

  async function stopsWell(program: Program, stop: () => void): Promise<void> {
    const transfers = await beginTransfers();
    stop();
    await eventually('new connections are refused', () => isRefused(place.url));
    await transfers.finish();
    assert.deepEqual(await program.exited, { code: 0, signal: null });
    await eventually(
      'all processes of the group have ended',
      async () => (await membersOf(program.child.pid)).length === 0,
    );
    assert.deepEqual(
      sentencesOf(program).filter((text) => /stop/.test(text)),
      ['Waybill is stopping: no new connections, running answers may finish', 'Waybill has stopped'],
    );
  }

  for (const [who, options] of [
    ['one process', { environment: oneProcess }],
    ['two workers', { environment: { WAYBILL_WORKERS: '2' } }],
    ['npm start', { byNpm: true, environment: oneProcess }],
  ] as const) {
    test(`SIGTERM to ${who}: running work finishes, new work is refused, it ends with 0 and leaves no process`, async () => {
      const program = await place.start(options);
      const commands = (await program.members()).map(({ command }) => command);
      if ('byNpm' in options)
        assert.ok(
          commands.some((text) => /--single-threaded-gc \S+main/.test(text)),
          commands.join(),
        );
      await stopsWell(program, () => program.signal('SIGTERM'));
    });
  }

  test('Ctrl-C in a terminal, to npm start and everything below it, does the same', async () => {
    const program = await place.start({ byNpm: true });
    await stopsWell(program, () => program.signalAll('SIGINT'));
  });

  test('SIGINT to the server alone does the same; it has logged that it listens on every address', async () => {
    const everywhere = place.environment.WAYBILL_LISTEN!.replace('127.0.0.1', '0.0.0.0');
    const program = await place.start({ environment: { ...oneProcess, WAYBILL_LISTEN: everywhere } });
    const ready = sentencesOf(program).find((text) => text.startsWith('Waybill is ready at '));
    assert.match(ready ?? '', /^Waybill is ready at http:\S+ \(listening on \S+, every address of this machine\)$/);
    await stopsWell(program, () => program.signal('SIGINT'));
  });

  test('work that exceeds the grace period is cut, and it still ends with 0', async () => {
    const program = await place.start({ environment: { ...oneProcess, WAYBILL_SHUTDOWN_GRACE: '1s' } });
    const transfers = await beginTransfers();
    program.signal('SIGTERM');
    assert.deepEqual(await program.exited, { code: 0, signal: null });
    await assert.rejects(transfers.finish());
  });

  describe('two workers', () => {
    let program: Program;
    before(async () => {
      program = await place.start();
    });
    const workersOf = async () =>
      (await program.members()).filter((member) => member.parent === program.child.pid).map((member) => member.pid);

    test('are replaced when they are killed, and the service continues to answer', async () => {
      const before = await eventually('both workers are there', async () => {
        const pids = await workersOf();
        return pids.length === 2 ? pids : null;
      });
      process.kill(before[0]!, 'SIGKILL');
      await eventually('a new worker is there', async () => {
        const pids = await workersOf();
        return pids.length === 2 && !pids.includes(before[0]!);
      });
      await eventually('it answers', async () => (await place.admin.call('getAccount')).status === 200);
    });

    test('end when their supervisor is killed; a wrong master key then refuses to start with one sentence and changes nothing, and the next start on the same data succeeds', async () => {
      const file = await place.admin.upload('kept.bin', 'kept');
      assert.equal((await workersOf()).length, 2);
      process.kill(program.child.pid, 'SIGKILL');
      await eventually('the orphaned workers are gone', async () => (await membersOf(program.child.pid)).length === 0);
      const wrong = randomBytes(32).toString('base64');
      const refused = await place.start({ waits: false, environment: { WAYBILL_MASTER_KEY: wrong } });
      assert.deepEqual(await refused.exited, { code: 1, signal: null });
      assert.match(refused.output(), /^waybill-server: The master key does not belong to this database\..*\n$/m);
      assert.doesNotMatch(refused.output(), /\n\s+at /);
      const again = await place.start({ environment: oneProcess });
      const { body } = await place.admin.expect(200, 'listAttachments');
      assert.ok((body as { attachments: { id: string }[] }).attachments.some(({ id }) => id === file.id));
      again.signal('SIGTERM');
      assert.deepEqual(await again.exited, { code: 0, signal: null });
    });
  });

  test('all wrong settings are reported together, one sentence each', async () => {
    const program = await place.start({
      waits: false,
      environment: {
        WAYBILL_WORKERS: 'many',
        WAYBILL_LISTN: '127.0.0.1:1',
        WAYBILL_STORAGE: 'tape',
        WAYBILL_DATABASE_URL: 'mysql://x',
      },
    });
    assert.deepEqual(await program.exited, { code: 1, signal: null });
    const lines = program.output().trimEnd().split('\n');
    assert.equal(lines.length, 4, program.output());
    for (const line of lines) assert.match(line, /^waybill-server: WAYBILL_[A-Z_]+ .*[.?]$/);
    assert.match(program.output(), /WAYBILL_LISTN is not a setting of Waybill; did you mean WAYBILL_LISTEN\?/);
  });
});

/** The log without the output of npm. */
function sentencesOf(program: Program): string[] {
  const lines = program.output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => (JSON.parse(line) as { msg: string }).msg);
}

function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
