// Reservations for uploads of unannounced length, and sealing of files whose bytes are missing. The tests call the actions
// with byte counts and send nothing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import type { Ctx } from '#server/actions/context.ts';
import { checkFile } from '#server/actions/storage/checking.ts';
import { startCheckingFiles } from '#server/actions/storage/storage.ts';
import { runNextStep } from '#server/actions/tasks/steps.ts';
import { reserveQuota } from '#server/actions/uploads/quota.ts';
import { finishSealing, renewSealing } from '#server/actions/uploads/sealing.ts';
import { isLeased } from '#server/db/storage/blob-leases.ts';
import { findTask } from '#server/db/system/tasks.ts';
import { findUpload } from '#server/db/uploads/uploads.ts';
import { ownUploader, systemCaller, type Uploader } from '#server/domain/caller.ts';
import { BlobMissing } from '#server/domain/ports.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { attachmentRow, chargeOf, uploadRow } from '#test/kit/inside.ts';
import { eventsLeftBy } from '#test/kit/recorded.ts';
import { newPerson, uploadChunks } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const kib = 1024;
const mib = 1024 * kib;

onOneEngine('Reservations of unannounced length', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let uploader: Uploader;
  before(async () => {
    const group = await app.group('A gigabyte', { storage_quota: 1024 });
    alice = await newPerson(app, 'alice', { group });
    uploader = ownUploader(await callerFor(app, alice));
  });
  const reserved = async () => (await chargeOf(app, alice.email)).reservedBytes;
  const expiry = async () =>
    (await app.app.ctx.db.read.selectFrom('reservations').select('expires_at').executeTakeFirstOrThrow()).expires_at;

  test('are ahead of the received bytes by an eighth, from 64 KiB to 64 MiB, and last a day', async () => {
    for (const [taken, promised] of [
      [1, 1 + 64 * kib],
      [8 * mib, 9 * mib],
      [800 * mib, 864 * mib],
    ] as const) {
      const reservation = await reserveQuota(app.app.ctx, uploader, null);
      assert.equal(reservation.addBytes(taken), undefined, 'no wait while there is space');
      await reservation.reserveRest();
      assert.equal(await reserved(), promised);
      assert.equal(Number(await expiry()), app.clock.now() + 86_400_000);
      await reservation.cancel();
      await reservation.cancel();
      assert.equal(await reserved(), 0);
    }
  });

  test('grow only when half of the smallest lead is left', async () => {
    const reservation = await reserveQuota(app.app.ctx, uploader, null);
    reservation.addBytes(1);
    await reservation.reserveRest();
    reservation.addBytes(32 * kib - 1);
    await reservation.reserveRest();
    assert.equal(await reserved(), 1 + 64 * kib);
    reservation.addBytes(1);
    await reservation.reserveRest();
    assert.equal(await reserved(), 1 + 64 * kib + 64 * kib, 'nothing is missing; the next 64 KiB are added');
    await reservation.cancel();
  });

  test('are exact where little space is left, refuse far beyond it, and continue when space was freed', async () => {
    const { ctx } = app.app;
    const other = await reserveQuota(ctx, uploader, 1024 * mib - 10);
    await assert.rejects(reserveQuota(ctx, uploader, 11), { code: 'attachment.quota_full' });
    const reservation = await reserveQuota(ctx, uploader, null);
    reservation.addBytes(10);
    await reservation.reserveRest();
    assert.equal(await reserved(), 1024 * mib, 'all that there is, and nothing ahead');
    reservation.addBytes(64 * kib);
    await reservation.reserveRest();
    await assert.rejects(async () => reservation.addBytes(1), { code: 'attachment.quota_full' });
    await other.cancel();
    await reservation.addBytes(1);
    await reservation.reserveRest();
    assert.equal(await reserved(), 10 + 64 * kib + 2 + 64 * kib);
    await reservation.cancel();
    assert.equal(await reserved(), 0);
  });

  /** A file of two chunks while these are being combined. */
  async function sealing(name: string): Promise<string> {
    const id = await uploadChunks(alice, name, [Buffer.from('one'), Buffer.from('two')]);
    const { data_key_wrapped } = await attachmentRow(app, id);
    await app.app.ctx.db.write(async (tx) => {
      await tx.updateTable('uploads').set({ state: 'sealing', data_key_wrapped }).where('id', '=', id).execute();
      await tx.updateTable('attachments').set({ state: 'sealing', sha256: '' }).where('id', '=', id).execute();
    });
    return id;
  }
  const withReads = (read: Ctx['blobs']['read']): Ctx => {
    const { ctx } = app.app;
    return { ...ctx, blobs: Object.assign(Object.create(ctx.blobs), { read }) };
  };

  test('a file whose bytes are missing fails; a file that could not be read is retried', async () => {
    const { ctx } = app.app;
    const id = await sealing('a.txt');
    const upload = (await findUpload(ctx.db.read, id))!;
    const unreachable = withReads(async function* () {
      yield* [] as Buffer[];
      throw new TypeError('the store is unreachable');
    });
    await assert.rejects(finishSealing(unreachable, upload), TypeError);
    assert.equal((await attachmentRow(app, id)).state, 'sealing');
    const lost = withReads(async function* () {
      yield* [] as Buffer[];
      throw new BlobMissing('x');
    });
    const foreign = Object.assign(lost.blobs, { assertOwn: () => Promise.reject(new RangeError('another store')) });
    await assert.rejects(finishSealing({ ...lost, blobs: foreign }, upload), RangeError);
    assert.equal((await attachmentRow(app, id)).state, 'sealing', 'a store that is not ours has lost nothing');
    Object.assign(lost.blobs, { assertOwn: async () => {} });
    await finishSealing(lost, upload);
    assert.deepEqual([(await attachmentRow(app, id)).state, (await uploadRow(app, id)).state], ['failed', 'failed']);
  });

  test('a sealed file is recorded once, with its checksum', async () => {
    const { ctx } = app.app;
    const id = await sealing('b.txt');
    const upload = (await findUpload(ctx.db.read, id))!;
    const sha256 = createHash('sha256').update('onetwo').digest('hex');
    const [event, ...more] = await eventsLeftBy(app, async () => {
      for (let times = 0; times < 2; times++) await finishSealing(ctx, upload);
    });
    assert.deepEqual(
      [event!.action, event!.object, event!.facts],
      ['attachment.processed', `attachment ${id}`, { sha256 }],
    );
    assert.deepEqual(more, []);
  });

  test('a file is not reported missing while its store is unreachable, and the check continues later', async () => {
    const { ctx } = app.app;
    const { id } = await alice.upload('whole.txt', 'every byte');
    const failing = (error: Error) =>
      withReads(async function* () {
        yield* [] as Buffer[];
        throw error;
      });
    const unreachable = failing(new TypeError('the store is unreachable'));
    await assert.rejects(checkFile(unreachable, systemCaller, id), /the store is unreachable/);
    const lost = failing(new BlobMissing('x'));
    assert.equal(await checkFile(lost, systemCaller, id), 'missing');
    Object.assign(lost.blobs, { assertOwn: () => Promise.reject(new RangeError('another store')) });
    await assert.rejects(checkFile(lost, systemCaller, id), RangeError);
    assert.equal(await checkFile(ctx, systemCaller, id), 'whole');
    assert.equal((await attachmentRow(app, id)).state, 'ready');
    const task = await startCheckingFiles(ctx, await callerFor(app, app.admin));
    await assert.rejects(runNextStep(unreachable, task), /the store is unreachable/);
    assert.deepEqual(await findTask(ctx.db.read, task.id), task);
    await runNextStep(ctx, task);
    assert.equal((await findTask(ctx.db.read, task.id))!.state, 'done');
  });

  test('a file that is being sealed is marked as active; waiting files are not', async () => {
    const { ctx } = app.app;
    const [id, other] = [await sealing('b.txt'), await sealing('c.txt')];
    const activeAt = async (of: string) => Number((await uploadRow(app, of)).active_at);
    const begun = await activeAt(id);
    const mayRead = Promise.withResolvers<void>();
    const slow = withReads(async function* (...given) {
      await mayRead.promise;
      yield* ctx.blobs.read(...given);
    });
    const finished = finishSealing(slow, (await findUpload(ctx.db.read, id))!);
    app.clock.advance(5000);
    await renewSealing(ctx);
    assert.deepEqual([await activeAt(id), await activeAt(other)], [begun + 5000, begun]);
    mayRead.resolve();
    await finished;
    assert.equal((await attachmentRow(app, id)).state, 'ready');
    app.clock.advance(5000);
    await renewSealing(ctx);
    assert.equal(await activeAt(id), begun + 5000, 'the upload is finished');
  });

  test('bytes are leased under their key until the lease ends', async () => {
    const { db } = app.app.ctx;
    const now = app.clock.now();
    const lease = { blob_key: 'leased', holder: 'somebody', expires_at: now + 1 };
    await db.write((tx) => tx.insertInto('blob_leases').values(lease).execute());
    assert.equal(await isLeased(db.read, 'leased', now), true);
    assert.equal(await isLeased(db.read, 'leased', now + 1), false);
    assert.equal(await isLeased(db.read, 'another', now), false);
  });
});
