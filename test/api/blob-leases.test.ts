// The orphan sweep must keep bytes that arrive for hours before a row refers to them; a process that lost its lease refuses.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { maintainLeases } from '#server/actions/uploads/leases.ts';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { until } from '#test/kit/eventually.ts';
import { type HeldUpload, holdUpload } from '#test/kit/held-upload.ts';
import { contentOf, storedBlobs } from '#test/kit/inside.ts';
import { newPerson, readMessage, tracesOf } from '#test/kit/messages.ts';

const minuteMs = 60_000;
const content = Buffer.from(someBytes(200_000));

onEachEngine('Bytes that arrive slowly', (start) => {
  let app: TestApp;
  let alice: ApiClient;
  let onStored: () => Promise<void> = async () => {};
  before(async () => {
    app = await start({
      environment: { WAYBILL_ROLE: 'web' },
      wrapVault: (vault) => ({
        ...vault,
        // As on S3, where an object is as old as the beginning of its upload.
        async *list() {
          for await (const blob of vault.list()) yield { ...blob, modifiedAt: 0 };
        },
        async receive(blob, body, options) {
          const received = await vault.receive(blob, body, options);
          await onStored();
          return received;
        },
      }),
    });
    // A test calls the jobs itself, because an automatic run could renew a lease between two of its lines.
    await app.app.jobs.stop();
    alice = await newPerson(app, 'alice');
    await sweep();
  });
  after(() => app.close());

  const sweep = () => app.app.jobs.runOnce('sweep-orphans');
  const leases = async () => (await app.app.ctx.db.read.selectFrom('blob_leases').selectAll().execute()).length;

  /** Advances the clock as in a live process: its maintenance runs throughout. */
  async function hoursPass(hours: number): Promise<void> {
    for (let minutes = 0; minutes < hours * 60; minutes += 6) {
      app.clock.advance(6 * minuteMs);
      await maintainLeases(app.app.ctx);
    }
  }

  /** A message whose first file has arrived and whose second one is still uploading. */
  async function beginMessage(): Promise<HeldUpload> {
    const known = await storedBlobs(app);
    const sending = await holdUpload(alice, '/message', { lengthBytes: null, type: 'application/json' });
    const first = `{"message":{"recipients":["ben@harbour.example"],"attachments":[{"filename":"a.bin","data":"${content.toString('base64')}"},`;
    await sending.send(Buffer.from(`${first}{"filename":"b.txt","data":"`));
    await until(async () => (await storedBlobs(app)).length > known.length);
    return sending;
  }
  const restOfMessage = Buffer.from('eA=="}]}}');

  test('are complete as a file inside a message that takes three hours', async () => {
    const sending = await beginMessage();
    await hoursPass(3);
    await sweep();
    const reply = await sending.finish(restOfMessage);
    assert.equal(reply.status, 200, reply.text);
    const { attachments } = await readMessage(
      alice,
      (JSON.parse(reply.text) as { message: { id: string } }).message.id,
    );
    assert.deepEqual(await contentOf(app, attachments[0]!.id), content);
    assert.equal(await leases(), 0);
  });

  test("are refused in a message when the process slept while another one's sweep deleted them", async () => {
    const before = await tracesOf(app);
    for (const isLeased of [false, true]) {
      const sending = await beginMessage();
      if (isLeased) await hoursPass(1);
      app.clock.advance(90 * minuteMs);
      await sweep();
      const reply = await sending.finish(restOfMessage);
      assert.equal(reply.status, 503, reply.text);
      assert.match(reply.text, /"upload\.lost"/);
    }
    assert.deepEqual(await tracesOf(app), before);
    assert.equal(await leases(), 0);
  });

  test('leave neither blobs nor a lease when the sender cancels', async () => {
    const before = await tracesOf(app);
    const sending = await beginMessage();
    await hoursPass(1);
    assert.equal(await leases(), 1);
    sending.cut();
    await until(async () => (await leases()) === 0);
    await until(async () => (await storedBlobs(app)).length === (before.blobs as string[]).length);
    assert.deepEqual(await tracesOf(app), before);
  });

  test('are complete as a file or a chunk when a sweep ran between the last byte and the row', async () => {
    onStored = async () => {
      await sweep();
    };
    try {
      for (const query of ['', '&chunks=2&chunk=0', '&chunks=2&chunk=1']) {
        const path = `/link/attachments/upload?filename=slow.bin${query}`;
        const sending = await holdUpload(alice, path, { lengthBytes: content.length });
        await sending.send(content.subarray(0, 1000));
        await hoursPass(2);
        const reply = await sending.finish(content.subarray(1000));
        assert.equal(reply.status, 200, reply.text);
        if (query === '&chunks=2&chunk=0') continue;
        const { id } = (JSON.parse(reply.text) as { attachment: { id: string } }).attachment;
        const whole = query === '' ? content : Buffer.concat([content, content]);
        assert.deepEqual(await contentOf(app, id), whole);
      }
    } finally {
      onStored = async () => {};
    }
    assert.equal(await leases(), 0);
  });

  test('are not cut off as a leftover after more than a day', async () => {
    const large = Buffer.from(someBytes(18 * 1024 * 1024));
    const sending = await holdUpload(alice, '/link/attachments/upload?filename=large.bin', {
      lengthBytes: large.length,
    });
    await sending.send(large.subarray(0, 17 * 1024 * 1024));
    await hoursPass(30);
    assert.match((await sweep())!, / and 0 unfinished/);
    const reply = await sending.finish(large.subarray(17 * 1024 * 1024));
    assert.equal(reply.status, 200, reply.text);
  });

  test('are protected by the lease of a crashed process until it expires, and removed with it', async () => {
    const { ctx } = app.app;
    const key = ctx.random.id();
    await ctx.blobs.receive({ key, dataKey: ctx.random.bytes(32), context: 'x/0' }, Readable.from([content]));
    const lease = { blob_key: key, holder: 'another process', expires_at: ctx.clock.now() + 1 };
    await ctx.db.write((tx) => tx.insertInto('blob_leases').values(lease).execute());
    assert.match((await sweep())!, /^0 orphans/);
    app.clock.advance(1);
    assert.match((await sweep())!, /^1 orphan/);
    assert.equal(await leases(), 0);
  });

  /** An upload whose first bytes have arrived; `query` makes it a chunk. */
  async function beginFile(name = 'slow.bin', query = ''): Promise<HeldUpload> {
    const path = `/link/attachments/upload?filename=${name}${query}`;
    const sending = await holdUpload(alice, path, { lengthBytes: content.length });
    await sending.send(content.subarray(0, 1000));
    return sending;
  }

  test('are lost when they came while the process slept for 25 minutes, but not those that came sooner', async () => {
    for (const query of ['', '&chunks=2&chunk=0']) {
      const inTime = await beginFile('soon.bin', query);
      app.clock.advance(25 * minuteMs - 1);
      assert.equal((await inTime.finish(content.subarray(1000))).status, 200, query);
      const tooLate = await beginFile('late.bin', query);
      app.clock.advance(25 * minuteMs);
      const { status, text } = await tooLate.finish(content.subarray(1000));
      assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [503, 'upload.lost'], query);
    }
    assert.equal(await leases(), 0);
  });

  test('get a lease after five minutes of upload, for twenty more at each renewal', async () => {
    const { ctx } = app.app;
    const sending = await beginFile();
    const endsIn = async () => {
      await maintainLeases(ctx);
      const rows = await ctx.db.read.selectFrom('blob_leases').select('expires_at').execute();
      return rows.map((row) => (Number(row.expires_at) - ctx.clock.now()) / minuteMs);
    };
    app.clock.advance(5 * minuteMs - 1);
    assert.deepEqual(await endsIn(), []);
    app.clock.advance(1);
    assert.deepEqual(await endsIn(), [20]);
    app.clock.advance(19 * minuteMs);
    assert.deepEqual(await endsIn(), [20]);
    assert.equal((await sending.finish(content.subarray(1000))).status, 200);
    assert.equal(await leases(), 0);
  });
});
