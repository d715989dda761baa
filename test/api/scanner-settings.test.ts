// The virus scanner of the console: tested before it takes effect, used by all processes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { z } from 'zod';
import type { problem } from '#contract/problems.ts';
import { startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { onEachDatabase, onOneEngine, startTestApp, type TestApp } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { watchEngine } from '#test/kit/engines.ts';
import { cleanAnswer, infectedText, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

interface Step {
  check: string;
  state: string;
  said: string;
}
interface Status {
  place: string | null;
  fault: string | null;
  version: string;
  signatures_at: string | null;
  checked_at: string | null;
  last_fault: { words: string } | null;
  waiting: number;
  settings: { source: string; address: string; fixed: Record<string, string>; timeout_seconds: number };
}

const statusOf = async (app: TestApp) =>
  ((await app.admin.expect(200, 'getScanner')).body as { scanner: Status }).scanner;

onEachDatabase('The virus scanner of the console', (_start, engine) => {
  const watched = watchEngine(engine);
  let app: TestApp;
  let scanner: ScriptedScanner;
  before(async () => {
    scanner = await startScriptedScanner();
    app = await startTestApp(watched.engine, { environment: { WAYBILL_ROLE: 'web' } });
  });
  after(async () => {
    await app.close();
    await scanner.close();
  });

  const settings = (more: object = {}) => ({ scanner_settings: { address: scanner.address, ...more } });
  const refused = async (code: string, body: object) =>
    (await app.admin.refused(422, code, 'changeScannerSettings', { body: body as never })).body as z.output<
      typeof problem
    >;
  const countHeld = async () =>
    ((await app.admin.expect(200, 'listQuarantine')).body as { quarantine: unknown[] }).quarantine.length;
  const scan = () => app.app.jobs.runOnce('scan-files');

  test('is refused to users, administrators below the top, and callers without an account', async () => {
    const people = [
      [await newPerson(app, 'alice'), 403],
      [await app.person('adam', { group: 'administrators' }), 403],
      [app.anonymous, 401],
    ] as const;
    for (const [who, status] of people) {
      await who.expect(status, 'changeScannerSettings', { body: settings() });
      await who.expect(status, 'removeScannerSettings');
      await who.expect(status, 'testScanner', { body: settings() });
    }
    assert.equal((await statusOf(app)).settings.source, 'none');
  });

  test('is refused with a bad address, bad certificates, or a scanner that fails the test', async () => {
    assert.equal((await refused('scanner.bad_address', settings({ address: 'clamd' }))).field, 'address');
    const bad = await refused('scanner.bad_certificates', settings({ certificates: 'no certificate' }));
    assert.equal(bad.field, 'certificates');
    await refused('request.invalid', settings({ timeout_seconds: 0 }));
    await app.admin.refused(422, 'scanner.not_set_up', 'testScanner', { body: {} });
    const failing = async () => {
      const { steps } = await refused('scanner.test_failed', settings());
      return (steps as Step[]).map(({ check, state }) => `${check} ${state}`);
    };
    scanner.isDown = true;
    assert.deepEqual(await failing(), [
      'connection failed',
      'clean_file skipped',
      'eicar skipped',
      'encrypted_file skipped',
    ]);
    scanner.isDown = false;
    const { answer } = scanner;
    scanner.answer = () => cleanAnswer;
    assert.deepEqual(await failing(), [
      'connection passed',
      'clean_file passed',
      'eicar failed',
      'encrypted_file skipped',
    ]);
    scanner.answer = answer;
    assert.equal((await statusOf(app)).settings.source, 'none');
  });

  test('can be tested without saving it, and says that encrypted archives pass', async () => {
    const { body } = await app.admin.expect(200, 'testScanner', { body: settings() });
    const { scanner_test: found } = body as { scanner_test: { version: string; steps: Step[] } };
    assert.equal(found.version, scanner.version);
    assert.deepEqual(
      found.steps.map(({ state }) => state),
      ['passed', 'passed', 'passed', 'warning'],
    );
    assert.equal((await statusOf(app)).place, null);
  });

  test('scans new files from then on, without a restart, also in other processes, and until it is removed', async () => {
    const alice = await newPerson(app, 'adele');
    const other = await startApp(
      readConfig({
        ...watched.settings(),
        WAYBILL_ROLE: 'web',
        WAYBILL_LISTEN: '127.0.0.1:0',
        WAYBILL_BASE_URL: app.url,
        WAYBILL_WORKERS: '1',
        WAYBILL_MIN_FREE_SPACE: '0',
      }),
      silentLog,
      { clock: app.clock },
    );
    assert.equal((await alice.upload('before.txt', 'Unscanned')).available, true);
    const { certificatePem } = makeCertificate();
    const { body } = await app.admin.expect(200, 'changeScannerSettings', {
      body: settings({ certificates: `${certificatePem}\n${certificatePem}`, timeout_seconds: 30 }),
    });
    const saved = (body as { scanner: Status }).scanner.settings;
    assert.deepEqual([saved.source, saved.address, saved.timeout_seconds], ['console', scanner.address, 30]);
    assert.equal((await alice.upload('clean.txt', 'Clean')).available, false);
    await alice.upload('bad.txt', `before ${infectedText}`);
    await other.ctx.settings.refresh();
    await other.jobs.runOnce('scan-files');
    await other.close();
    assert.equal(await countHeld(), 1);
    const status = await statusOf(app);
    assert.deepEqual([status.fault, status.waiting, status.version], [null, 0, scanner.version]);
    assert.ok(status.checked_at !== null && status.signatures_at!.startsWith('2026-11-16'));
    await app.admin.expect(200, 'removeScannerSettings');
    assert.equal((await alice.upload('after.txt', 'Unscanned')).available, true);
    await scan();
    assert.equal(await countHeld(), 1);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select('action')
      .where('action', '=', 'scanner.settings_changed')
      .execute();
    assert.equal(events.length, 2);
  });

  test('scans files from before it too, and serves them until their verdict', async () => {
    const alice = await newPerson(app, 'alma');
    const { id: clean } = await alice.upload('early.txt', 'Early and clean');
    const { id: bad } = await alice.upload('early bad.txt', `early ${infectedText}`);
    const before = await countHeld();
    await app.admin.expect(200, 'changeScannerSettings', { body: settings() });
    const available = async (id: string) => {
      const { body } = await alice.expect(200, 'listAttachments');
      const { attachments } = body as { attachments: { id: string; available: boolean; virus_scanned: boolean }[] };
      const file = attachments.find((one) => one.id === id)!;
      return [file.available, file.virus_scanned];
    };
    assert.deepEqual(
      [await available(clean), await available(bad)],
      [
        [true, false],
        [true, false],
      ],
    );
    await scan();
    assert.deepEqual(
      [await available(clean), await available(bad)],
      [
        [true, true],
        [false, true],
      ],
    );
    assert.equal(await countHeld(), before + 1);
    await app.admin.expect(200, 'removeScannerSettings');
  });

  test('frees no infected file when it is removed before it scans that file again', async () => {
    await app.admin.expect(200, 'changeScannerSettings', { body: settings() });
    const before = await countHeld();
    const alice = await newPerson(app, 'agnes');
    await alice.upload('bad.txt', `again ${infectedText}`);
    await scan();
    assert.equal(await countHeld(), before + 1);
    const { db, clock } = app.app.ctx;
    await db.write((tx) => tx.updateTable('file_scans').set({ state: 'waiting', next_at: clock.now() }).execute());
    await app.admin.expect(200, 'removeScannerSettings');
    await scan();
    assert.equal(await countHeld(), before + 1);
    assert.equal((await statusOf(app)).waiting, 0);
  });

  test('remembers the words of the last outage, and leaves a broken scanner for another one', async () => {
    const alice = await newPerson(app, 'anton');
    await app.admin.expect(200, 'changeScannerSettings', { body: settings() });
    scanner.isDown = true;
    await alice.upload('waits.txt', 'Waits');
    await scan();
    assert.notEqual((await statusOf(app)).fault, null);
    const second = await startScriptedScanner();
    await app.admin.expect(200, 'changeScannerSettings', { body: settings({ address: second.address }) });
    await scan();
    const { fault, waiting, last_fault: last } = await statusOf(app);
    assert.deepEqual([fault, waiting], [null, 0]);
    assert.notEqual(last, null);
    scanner.isDown = false;
    await app.admin.expect(200, 'removeScannerSettings');
    await second.close();
  });
});

onOneEngine('The virus scanner of the environment', (start) => {
  let scanner: ScriptedScanner;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_SCANNER_TIMEOUT: '20s' };
  before(async () => {
    scanner = await startScriptedScanner();
    environment.WAYBILL_SCANNER = scanner.address;
  });
  after(() => scanner.close());
  const app = useApp(start, { environment });

  test('is shown with the names of its variables, can be tested, and cannot be changed here', async () => {
    const { settings } = await statusOf(app);
    assert.deepEqual(settings.fixed, {
      address: 'WAYBILL_SCANNER',
      certificates: 'WAYBILL_SCANNER_CA_FILE',
      timeout_seconds: 'WAYBILL_SCANNER_TIMEOUT',
    });
    assert.deepEqual(
      [settings.source, settings.address, settings.timeout_seconds],
      ['environment', scanner.address, 20],
    );
    await app.admin.expect(200, 'testScanner', { body: {} });
    const body = { scanner_settings: { address: scanner.address } };
    await app.admin.refused(409, 'scanner.from_environment', 'changeScannerSettings', { body });
    await app.admin.refused(409, 'scanner.from_environment', 'removeScannerSettings');
  });
});
