// Time is compared with a clock that all machines share: the database's in production, a second clock of the test here.
import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import { overviewEndpoints } from '#contract/admin/overview.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { findAlerts } from '#server/actions/alerts/checks.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { insertBackupRun } from '#server/db/system/backup-runs.ts';
import { setMeta } from '#server/db/system/installation.ts';
import { describeClock, mendClock } from '#server/installation/clock.ts';
import { onEachDatabase, testStart } from '#test/kit/app.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const { getOverview } = overviewEndpoints;
const dayMs = 24 * 3_600_000;

onEachDatabase('a machine whose clock is wrong', (start) => {
  let sharedNow = testStart;
  const reference = async () => sharedNow;
  const app = useApp(start, { reference });
  const alice = usePerson(app, 'alice');
  let fileId: string;
  let linkId: string;

  before(async () => {
    fileId = (await alice.upload('kept.txt', 'kept')).id;
    const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment: fileId } } });
    linkId = wireForm(fileLinkAnswer, body).link.id;
  });
  afterEach(() => app.clock.set(sharedNow));

  const failing = async () => {
    const reply = await app.anonymous.fetch('/readyz');
    return { status: reply.status, failing: (reply.body as { failing?: string[] }).failing };
  };
  const isReportedToAdministrators = async () => {
    const { overview } = wireForm(getOverview.answer, (await app.admin.expect(200, 'getOverview', {})).body);
    return overview.attention.some(({ topic }) => topic === 'clock-wrong');
  };
  const tables = async () => {
    const { read } = app.app.ctx.db;
    const mark = await read.selectFrom('meta').select('value').where('key', '=', 'clock_high_water').executeTakeFirst();
    const link = await read.selectFrom('file_links').selectAll().where('id', '=', linkId).executeTakeFirst();
    return { mark: Number(mark?.value ?? sharedNow), link };
  };

  for (const [name, days] of [
    ['40 days ahead', 40],
    ['40 days behind', -40],
  ] as const)
    test(`that is ${name} is not ready, changes nothing and still serves pages`, async () => {
      const before = await tables();
      app.clock.set(sharedNow + days * dayMs);
      assert.deepEqual((await failing()).failing, ['clock']);
      const { status } = await alice.call('createFileLink', { body: { link: { attachment: fileId } } });
      assert.equal(status, 503);
      assert.match((await app.app.jobs.runOnce('expire')) ?? '', /^paused: The clock of this machine says/);
      assert.equal((await app.anonymous.fetch(`/link/${linkId}`)).status, 200);
      assert.ok(await isReportedToAdministrators());
      const after = await tables();
      assert.deepEqual(after.link, before.link);
      assert.ok(Math.abs(after.mark - sharedNow) <= 60_000, 'the mark was raised by a wrong clock');
      app.clock.set(sharedNow);
      assert.equal((await failing()).status, 200);
      assert.ok(!(await isReportedToAdministrators()));
      await alice.upload('again.txt', 'again');
    });

  test('is reported with a sentence and what to do', () => {
    app.clock.set(sharedNow + 40 * dayMs);
    assert.match(
      app.app.ctx.clock.fault() ?? '',
      /2026-12-26T09:00:00Z, 40 days ahead of the clock of the database\..*set the clock/,
    );
    app.clock.set(sharedNow - 90_000);
    assert.match(app.app.ctx.clock.fault() ?? '', /90 seconds behind the clock of the database/);
    app.clock.set(sharedNow + 60_000);
    assert.equal(app.app.ctx.clock.fault(), null, 'a minute is fine');
  });

  test('shows a wrong stored time, which is corrected while the service runs', async () => {
    const { db, clock } = app.app.ctx;
    const mistake = sharedNow + 40 * dayMs;
    await db.write((tx) => setMeta(tx, 'clock_high_water', String(mistake)));
    await until(async () => clock.now() === mistake);
    const { faults } = await describeClock(db, app.clock, reference);
    assert.match(faults.join(), /has already seen 2026-12-26T09:00:00Z, 40 days later.*waybill-server clock --mend/);
    assert.deepEqual((await failing()).failing, ['clock']);
    await mendClock(db, app.clock, reference);
    // Until the service reads the correction, it still stamps the wrong time.
    await until(async () => (await describeClock(db, app.clock, reference)).faults.length === 0);
    await until(async () => clock.fault() === null);
    assert.equal((await failing()).status, 200);
    sharedNow += 1000;
    app.clock.advance(1000);
    assert.equal(clock.now(), sharedNow, 'the clock advances again');
  });

  test('keeps the corrected time over a restart, and cannot correct it with a wrong clock', async () => {
    await app.restart();
    assert.equal(app.app.ctx.clock.fault(), null);
    app.clock.set(sharedNow + dayMs);
    await assert.rejects(mendClock(app.app.ctx.db, app.clock, reference), { name: 'ClockWrong' });
  });

  test('does not start, says why, and has changed nothing', async () => {
    const begun = start({ reference: async () => testStart - 40 * dayMs });
    await assert.rejects(begun, { name: 'ClockWrong', message: /40 days ahead of the clock of the database/ });
  });
});

onEachDatabase('after a clock that was ahead', (start) => {
  let sharedNow = testStart;
  const reference = async () => sharedNow;
  const mailbox = openMailbox();
  const environment = { WAYBILL_ROLE: 'web', WAYBILL_MAIL_RATE: '60' };
  const app = useApp(start, { ...mailbox.options, environment, reference });
  const alice = usePerson(app, 'alice', { password: 'seven lamps under a quiet river' });
  const passTo = (instant: number) => {
    sharedNow = instant;
    app.clock.set(instant);
  };
  /** Mails to people outside. */
  const post = async () =>
    (await mailbox.post(app)).map(({ to }) => to).filter((to) => to.endsWith('@harbour.example'));
  const send = (to: string) => sendMessage(alice, { recipients: [to], subject: 'Plans', send_email: true });
  const faults = async () => (await describeClock(app.app.ctx.db, app.clock, reference)).faults;
  const topics = async () => {
    await sealAll(app.app.ctx);
    return (await findAlerts(app.app.ctx)).map(({ topic }) => topic);
  };

  before(async () => {
    await post();
    passTo(testStart + 40 * dayMs);
    await until(async () => app.app.ctx.clock.now() === sharedNow);
    await send('early@harbour.example');
    assert.deepEqual(await post(), ['early@harbour.example']);
    await send('late@harbour.example');
    const run = { startedAt: sharedNow, finishedAt: sharedNow, failure: null, snapshotId: 'one', files: 1, bytes: 1 };
    await app.app.ctx.db.write(async (tx) => {
      await insertBackupRun(tx, { kind: 'backup', ...run });
      await insertBackupRun(tx, { kind: 'drill', ...run });
      await setMeta(tx, 'alerted/mail-waiting', String(sharedNow));
    });
    passTo(testStart + dayMs);
    await until(async () => /has already seen/.test(app.app.ctx.clock.fault() ?? ''));
  });

  test('mails are sent once it was corrected, and nothing is left in the future', async () => {
    await mendClock(app.app.ctx.db, app.clock, reference);
    await until(async () => app.app.ctx.clock.now() === sharedNow);
    passTo(sharedNow + 1000);
    assert.deepEqual(await post(), ['late@harbour.example']);
    await until(async () => (await faults()).length === 0);
    assert.deepEqual(await topics(), []);
  });

  test('rows that are left in the future are reported to operators and administrators, by name', async () => {
    const { db } = app.app.ctx;
    const [far, run] = [sharedNow + 40 * dayMs, { failure: null, snapshotId: 'two', files: 1, bytes: 1 }];
    await db.write(async (tx) => {
      await setMeta(tx, 'mail_rate_used_until', String(far));
      await insertBackupRun(tx, { kind: 'drill', startedAt: far, finishedAt: far, ...run });
      await tx.updateTable('users').set({ last_seen_at: far }).execute();
    });
    assert.match((await faults()).join(), /users\.last_seen_at.*backup_runs\.started_at.*mail_rate_used_until.*--mend/);
    assert.deepEqual(await topics(), ['clock-wrong']);
    const metrics = await app.app.installationMetrics();
    assert.deepEqual(metrics.find(({ name }) => name === 'waybill_future_instants')?.samples, [['', 2]]);
    await send('stuck@harbour.example');
    assert.deepEqual(await post(), []);
    passTo(sharedNow + 31 * 60_000);
    await until(async () => app.app.ctx.clock.now() === sharedNow);
    assert.deepEqual(await topics(), ['clock-wrong', 'mail-waiting']);
    await mendClock(db, app.clock, reference);
    passTo(sharedNow + 1000);
    assert.deepEqual(await post(), ['stuck@harbour.example']);
    assert.deepEqual(await topics(), []);
  });
});
