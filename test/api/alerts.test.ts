import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findAlerts } from '#server/actions/alerts/checks.ts';
import { insertBackupRun } from '#server/db/system/backup-runs.ts';
import type { MailResult, StoreSpace, StoreState } from '#server/domain/ports.ts';
import { onEachDatabase, type TestApp, testOnce } from '#test/kit/app.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const tebibyte = 1024 ** 4;

onEachDatabase('alerts', (start) => {
  const mailbox = openMailbox();
  let app: TestApp;
  let state: StoreState = 'healthy';
  let space: StoreSpace | null = null;
  let isRelayUp = true;
  let isDiskGone = false;
  let refusal: MailResult | null = null;
  before(async () => {
    const transport = {
      ...mailbox.transport,
      send: (mail: Parameters<typeof mailbox.transport.send>[0]) =>
        refusal !== null && mail.to.endsWith('@quay.example')
          ? Promise.resolve(refusal)
          : isRelayUp
            ? mailbox.transport.send(mail)
            : Promise.resolve({ outcome: 'deferred' as const, reason: '451 4.3.0 come back later' }),
    };
    app = await start({
      ...mailbox.options,
      mailTransport: transport,
      wrapVault: (vault) => ({
        ...vault,
        state: async () => state,
        space: async () => space,
        list() {
          if (isDiskGone) throw new Error('the disk is gone');
          return vault.list();
        },
      }),
    });
    await newPerson(app, 'alice');
    await mailbox.post(app);
  });
  after(() => app.close());

  const runCheck = async () => {
    await app.app.jobs.runOnce('seal-events');
    return app.app.jobs.runOnce('watch-health');
  };
  const alerts = async () =>
    (await mailbox.post(app))
      .filter(({ kind }) => kind === 'admin-alert')
      .map(({ to, subject, text }) => ({ to, subject, text }));

  test('are not sent while everything works', async () => {
    assert.equal(await runCheck(), '0 problems, 0 notified');
    assert.deepEqual(await alerts(), []);
  });

  test('report a store that is nine tenths full to System Administrators only, with the day it will be full', async () => {
    space = { usedBytes: 0.79 * tebibyte, totalBytes: tebibyte };
    await runCheck();
    assert.deepEqual(await alerts(), []);
    app.clock.advance(2 * dayMs);
    space = { usedBytes: 0.9 * tebibyte, totalBytes: tebibyte };
    await runCheck();
    const [alert, ...more] = await alerts();
    assert.equal(more.length, 0);
    assert.deepEqual([alert!.to, alert!.subject], ['root@example.com', 'Storage is 90 % full']);
    const days = 2 * (0.1 / 0.11);
    const fullOn = new Date(app.clock.now() + days * dayMs).getUTCDate();
    assert.match(alert!.text, new RegExp(`Full on, at this rate: \\w+ ${fullOn} `));
  });

  test('report each threshold when it is crossed, without waiting for the next day', async () => {
    space = { usedBytes: 0.94 * tebibyte, totalBytes: tebibyte };
    assert.equal(await runCheck(), '1 problems, 0 notified');
    space = { usedBytes: 0.96 * tebibyte, totalBytes: tebibyte };
    assert.equal(await runCheck(), '1 problems, 1 notified');
    assert.equal((await alerts())[0]!.subject, 'Storage is 96 % full');
    space = { usedBytes: 0.8 * tebibyte, totalBytes: tebibyte };
    assert.equal(await runCheck(), '1 problems, 1 notified');
    assert.match((await alerts())[0]!.text, /\/app\/admin\/storage/);
    space = { usedBytes: 0.9 * tebibyte, totalBytes: tebibyte };
  });

  test('report a lasting fault once a day', async () => {
    app.clock.advance(dayMs - 1);
    assert.equal(await runCheck(), '1 problems, 0 notified');
    app.clock.advance(1);
    assert.equal(await runCheck(), '1 problems, 1 notified');
    assert.equal((await alerts()).length, 1);
    space = null;
  });

  test('report a store that cannot be reached', async () => {
    state = 'unreachable';
    await runCheck();
    const [alert] = await alerts();
    assert.equal(alert!.subject, 'The storage has a problem');
    assert.match(alert!.text, /Cause: it cannot be reached/);
    state = 'healthy';
  });

  test('report a job that failed three times in a row, with its cause, until it works again', async () => {
    isDiskGone = true;
    for (let run = 0; run < 3; run++) {
      assert.equal(await runCheck(), '0 problems, 0 notified');
      await assert.rejects(app.app.jobs.runOnce('sweep-orphans'), /the disk is gone/);
    }
    assert.equal(await runCheck(), '1 problems, 1 notified');
    const [alert] = await alerts();
    assert.equal(alert!.subject, 'A background job fails again and again');
    assert.match(alert!.text, /sweep-orphans: the disk is gone/);
    isDiskGone = false;
    await app.app.jobs.runOnce('sweep-orphans');
    assert.equal(await runCheck(), '0 problems, 0 notified');
  });

  test('report once a day that a safety limit stopped erasing, until an operator continues it', async () => {
    app.clock.set(app.clock.now() + 3 * dayMs);
    await app.app.jobs.runOnce('erase-files');
    for (let run = 0; run < 3; run++) await runCheck();
    const [alert, ...more] = await alerts();
    assert.equal(more.length, 0);
    assert.equal(alert!.subject, 'Erasing expired files is paused');
    assert.match(alert!.text, /Cause: erase-files: the clock was set by 4320 minutes/);
    app.clock.advance(dayMs);
    await runCheck();
    assert.equal((await alerts()).length, 1);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    app.clock.advance(dayMs);
    assert.equal(await runCheck(), '0 problems, 0 notified');
  });

  test('report ten mails that were refused in a day, but not nine', async () => {
    const carol = await newPerson(app, 'carol');
    await mailbox.post(app);
    refusal = { outcome: 'refused', reason: '550 5.7.1 you are on a list' };
    const send = (names: string[]) =>
      sendMessage(carol, {
        recipients: names.map((name) => `${name}@quay.example`),
        send_email: true,
        bcc_myself: false,
      });
    await send(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
    await app.app.jobs.runOnce('send-outbox');
    assert.equal(await runCheck(), '0 problems, 0 notified');
    await send(['j']);
    await app.app.jobs.runOnce('send-outbox');
    refusal = null;
    assert.equal(await runCheck(), '1 problems, 1 notified');
    const [alert] = await alerts();
    assert.equal(alert!.subject, '10 e-mails were refused in the last 24 hours');
    assert.match(alert!.text, /you are on a list/);
    app.clock.advance(dayMs + minuteMs);
    assert.equal(await runCheck(), '0 problems, 0 notified');
  });

  test('report mail that the mail server has not accepted for half an hour, as soon as one can be delivered', async () => {
    const bob = await newPerson(app, `bob`);
    await mailbox.post(app);
    isRelayUp = false;
    await sendMessage(bob, { recipients: ['ben@harbour.example'], send_email: true, bcc_myself: false });
    await mailbox.post(app);
    app.clock.advance(30 * minuteMs - 1);
    assert.equal(await runCheck(), '0 problems, 0 notified');
    app.clock.advance(1);
    assert.equal(await runCheck(), '1 problems, 1 notified');
    isRelayUp = true;
    app.clock.advance(5 * minuteMs);
    const [alert] = await alerts();
    assert.match(alert!.subject, /^\d+ e-mails? (is|are) waiting to be sent$/);
    assert.match(alert!.text, /The mail server said: 451 4\.3\.0 come back later/);
    assert.equal(await runCheck(), '0 problems, 0 notified');
  });

  testOnce('report a backup that is a week old, but no younger one', async () => {
    const { ctx } = app.app;
    const startedAt = ctx.clock.now();
    const run = {
      kind: 'backup' as const,
      startedAt,
      finishedAt: startedAt,
      failure: null,
      snapshotId: 'one',
      files: 1,
      bytes: 1,
    };
    await ctx.db.write((tx) => insertBackupRun(tx, run));
    const isReportedAfter = async (ms: number) => {
      const clock = { ...ctx.clock, now: () => startedAt + ms, fault: () => null };
      return (await findAlerts({ ...ctx, clock })).some(({ topic }) => topic === 'backup-failed');
    };
    assert.deepEqual([await isReportedAfter(7 * dayMs - 1), await isReportedAfter(7 * dayMs)], [false, true]);
  });
});
