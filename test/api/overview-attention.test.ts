import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { OverviewBody } from '#contract/admin/overview.ts';
import { insertBackupRun } from '#server/db/system/backup-runs.ts';
import { onEachDatabase, type TestApp } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { openSlowly } from '#test/kit/raw-requests.ts';
import { share } from '#test/kit/shared-files.ts';
import { Visitor } from '#test/kit/visitor.ts';

const dayMs = 24 * 3_600_000;

onEachDatabase('the overview of the console', (start) => {
  const mailbox = openMailbox();
  let app: TestApp;
  let isDiskGone = false;
  before(async () => {
    app = await start({
      ...mailbox.options,
      mailTransport: {
        ...mailbox.transport,
        send: (mail: Parameters<typeof mailbox.transport.send>[0]) =>
          mail.to.endsWith('@quay.example')
            ? Promise.resolve({ outcome: 'refused' as const, reason: '550 5.1.1 no such person' })
            : mailbox.transport.send(mail),
      },
      wrapVault: (vault) => ({
        ...vault,
        list() {
          if (isDiskGone) throw new Error('the disk is gone');
          return vault.list();
        },
      }),
    });
  });
  after(() => app.close());

  const overview = async () =>
    ((await app.admin.expect(200, 'getOverview')).body as { overview: OverviewBody }).overview;
  const attention = async () => {
    await mailbox.post(app);
    await app.app.jobs.runOnce('seal-events');
    return (await overview()).attention;
  };

  test('is in order only while no job has failed', async () => {
    assert.deepEqual(await attention(), []);
    isDiskGone = true;
    await assert.rejects(app.app.jobs.runOnce('sweep-orphans'), /the disk is gone/);
    assert.deepEqual(await attention(), [{ topic: 'jobs-failing', count: 1, detail: 'sweep-orphans', since: null }]);
    isDiskGone = false;
    await app.app.jobs.runOnce('sweep-orphans');
    assert.deepEqual(await attention(), []);
  });

  test('shows a single refused e-mail with the answer of the server, for a day', async () => {
    const alice = await newPerson(app, 'alice');
    await sendMessage(alice, { recipients: ['nobody@quay.example'], subject: 'Drawings', send_email: true });
    await mailbox.post(app);
    const [refused, ...more] = await attention();
    assert.deepEqual([refused!.topic, refused!.count, more.length], ['mail-refused', 1, 0]);
    assert.match(refused!.detail, /no such person/);
    app.clock.advance(dayMs + 1);
    assert.deepEqual(await attention(), []);
  });

  test('shows after three days that there is no backup, and later that the last is old', async () => {
    app.clock.advance(2 * dayMs);
    const [missing] = await attention();
    assert.equal(missing!.topic, 'backup-missing');
    assert.ok(Date.parse(String(missing!.since)) <= app.clock.now() - 3 * dayMs);
    const finished = { failure: null, snapshotId: 's', files: 1, bytes: 1 };
    const startedAt = app.clock.now();
    await app.app.ctx.db.write((tx) =>
      insertBackupRun(tx, { kind: 'backup', startedAt, finishedAt: startedAt, ...finished }),
    );
    assert.deepEqual(await attention(), []);
    app.clock.advance(7 * dayMs);
    assert.equal((await attention())[0]!.topic, 'backup-failed');
    const again = app.clock.now();
    await app.app.ctx.db.write((tx) =>
      insertBackupRun(tx, { kind: 'backup', startedAt: again, finishedAt: again, ...finished }),
    );
  });

  test('shows a certificate of the public address that ends within three weeks', async () => {
    const { surroundings } = app.app.ctx.settings;
    const usual = surroundings.baseUrl;
    for (const [days, topics] of [
      [20, ['certificate-expiring']],
      [22, []],
      [-1, ['certificate-expiring']],
    ] as const) {
      const { keyPem, certificatePem } = makeCertificate(new Date(app.clock.now() + days * dayMs));
      const server = createServer({ key: keyPem, cert: certificatePem }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      surroundings.baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
      await app.app.jobs.runOnce('check-certificate');
      surroundings.baseUrl = usual;
      server.close();
      assert.deepEqual(
        (await attention()).map(({ topic }) => topic),
        topics,
        `${days}`,
      );
    }
    assert.match(String(await app.app.jobs.runOnce('check-certificate')), /^no certificate/);
    assert.deepEqual(await attention(), []);
  });

  test('shows an upload as running while bytes came in the last minute, with what is to come', async () => {
    const send = (chunk: number) =>
      app.admin.fetch(`/attachments/binary_upload?filename=big.bin&chunk=${chunk}&chunks=4`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: 'a'.repeat(500),
      });
    await send(1);
    const [running] = (await overview()).running;
    assert.deepEqual([running!.bytes, running!.total], [500, 2000]);
    app.clock.advance(60_001);
    assert.deepEqual((await overview()).running, []);
    await send(2);
    assert.equal((await overview()).running[0]!.bytes, 1000);
    app.clock.advance(60_001);
  });

  test('does not show a download as running whose receiver reads nothing', async () => {
    const { linkId } = await share(app.admin, { bytes: beyondBuffersBytes });
    const stream = await openSlowly(`${app.url}${await new Visitor(app.url).clickDownload(linkId)}`);
    const [running] = (await overview()).running;
    assert.equal(running!.kind, 'download');
    assert.equal(running!.total, beyondBuffersBytes);
    // Bytes still go into the buffers of the connection at first.
    await until(async () => {
      app.clock.advance(120_000);
      return (await overview()).running.length === 0;
    });
    await stream.rest();
  });
});
