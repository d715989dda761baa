import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { problem } from '#contract/problems.ts';
import { DatabaseUnavailable } from '#server/db/engine/errors.ts';
import { onEachEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { until } from '#test/kit/eventually.ts';
import { chargeOf, storedBlobs } from '#test/kit/inside.ts';
import { inlineFile } from '#test/kit/messages.ts';
import { ask, basic, chunked, dial, head } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';
import { watchUploads } from '#test/kit/watched-uploads.ts';
import { wireForm } from '../kit/wire-form.ts';

const megabyte = 1024 * 1024;
const target = 'POST /link/attachments/upload?filename=a.bin';

onEachEngine('A storage quota', (start) => {
  const vault = watchUploads();
  const app = useApp(start, { wrapVault: vault.wrap, canRunOutside: true });
  let oneMegabyte: string;
  before(async () => {
    oneMegabyte = await app.group('One megabyte', { storage_quota: 1 });
  });

  const person = (name: string, group = oneMegabyte) => app.person(name, { group });

  /** One upload with its length announced, or without. */
  async function upload(who: ApiClient, size: number, isAnnounced: boolean): Promise<number> {
    const bytes = someBytes(size);
    const reply = isAnnounced
      ? await ask(app.url, target, [basic(who.key), `Content-Length: ${size}`], bytes)
      : await ask(app.url, target, [basic(who.key), 'Transfer-Encoding: chunked'], chunked(bytes));
    if (reply.status !== 200) assert.equal(wireForm(problem, reply.body).code, 'attachment.quota_full', reply.text);
    return reply.status;
  }

  test('refuses a file that is announced too large before 100 Continue', async () => {
    const alice = await person('alice');
    const reply = await ask(app.url, target, [
      basic(alice.key),
      'Expect: 100-continue',
      `Content-Length: ${megabyte + 1}`,
    ]);
    assert.equal(reply.status, 422);
    assert.equal(wireForm(problem, reply.body).code, 'attachment.quota_full');
    assert.deepEqual(await chargeOf(app, alice.email), { storedBytes: 0, reservedBytes: 0 });
  });

  test('refuses the first byte above it and accepts the last one that fits, announced or not', async () => {
    const bob = await person('bob');
    for (const isAnnounced of [true, false]) {
      assert.equal(await upload(bob, megabyte + 1, isAnnounced), 422);
      assert.equal(await upload(bob, 3 * megabyte, isAnnounced), 422);
      assert.deepEqual(await chargeOf(app, bob.email), { storedBytes: 0, reservedBytes: 0 });
      assert.equal(await upload(bob, 700_000, isAnnounced), 200);
      assert.equal(await upload(bob, megabyte - 700_000 + 1, isAnnounced), 422);
      assert.equal(await upload(bob, megabyte - 700_000, isAnnounced), 200);
      assert.equal(await upload(bob, 1, isAnnounced), 422);
      assert.equal(await upload(bob, 0, isAnnounced), 200);
      assert.deepEqual(await chargeOf(app, bob.email), { storedBytes: megabyte, reservedBytes: 0 });
      const { body } = await bob.expect(200, 'listAttachments');
      for (const { id } of (body as { attachments: { id: string }[] }).attachments)
        await bob.expect(200, 'deleteAttachment', { params: { id } });
      assert.deepEqual(await chargeOf(app, bob.email), { storedBytes: 0, reservedBytes: 0 });
    }
  });

  test('accepts exactly as many concurrent uploads as fit', async () => {
    const carol = await person('carol');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => upload(carol, 300_000, true)));
    assert.equal(statuses.filter((status) => status === 200).length, 3);
    assert.deepEqual(await chargeOf(app, carol.email), { storedBytes: 900_000, reservedBytes: 0 });
  });

  test('is never exceeded by concurrent uploads without a length, one of which always succeeds', async () => {
    const dave = await person('dave');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => upload(dave, 300_000, false)));
    const stored = statuses.filter((status) => status === 200).length;
    assert.ok(stored >= 1 && stored <= 3, `${stored} stored`);
    assert.deepEqual(await chargeOf(app, dave.email), { storedBytes: stored * 300_000, reservedBytes: 0 });
    for (let more = stored; more < 3; more++) assert.equal(await upload(dave, 300_000, false), 200);
  });

  test('is shared by concurrent uploads without a length', async () => {
    const erin = await person('erin', await app.group('Four megabytes', { storage_quota: 4 }));
    const statuses = await Promise.all(Array.from({ length: 3 }, () => upload(erin, megabyte, false)));
    assert.deepEqual(statuses, [200, 200, 200]);
    assert.deepEqual(await chargeOf(app, erin.email), { storedBytes: 3 * megabyte, reservedBytes: 0 });
  });

  test('is released when a client disconnects in the middle', async () => {
    const frank = await person('frank');
    const blobs = await storedBlobs(app);
    for (const framing of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
      const line = await dial(app.url);
      await line.write(head(app.url, target, [basic(frank.key), framing]));
      await line.write(chunked(someBytes(600_000)).subarray(0, 500_000));
      await vault.receiving(1);
      line.cut();
      await vault.idle();
    }
    // The storage is released right after the store has stopped; only all of it is enough for this file.
    await until(async () => (await upload(frank, megabyte, true)) === 200);
    assert.deepEqual(await chargeOf(app, frank.email), { storedBytes: megabyte, reservedBytes: 0 });
    assert.equal((await storedBlobs(app)).length, blobs.length + 1);
  });

  test('counts chunks of unfinished uploads, and repeated ones once', async () => {
    const grace = await person('grace');
    const sendChunk = (chunk: string, size: number) =>
      grace.call('uploadForLink', { query: { filename: 'p.bin', chunks: '3', chunk }, bytes: someBytes(size) });
    assert.equal((await sendChunk('0', 600_000)).status, 200);
    assert.equal((await sendChunk('0', 600_000)).status, 200);
    assert.equal((await sendChunk('1', 400_000)).status, 200);
    assert.equal((await sendChunk('2', 100_000)).status, 422);
    assert.deepEqual(await chargeOf(app, grace.email), { storedBytes: 1_000_000, reservedBytes: 0 });
    assert.equal((await sendChunk('2', 40_000)).status, 200);
    assert.deepEqual(await chargeOf(app, grace.email), { storedBytes: 1_040_000, reservedBytes: 0 });
  });

  test('counts a file once, however many links it has, until it is erased', async () => {
    const heidi = await person('heidi');
    const file = await heidi.upload('a.bin', someBytes(1_000_000));
    const links: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { body } = await heidi.expect(200, 'createFileLink', { body: { link: { attachment: file.id } } });
      links.push((body as { link: { id: string } }).link.id);
    }
    assert.equal((await chargeOf(app, heidi.email)).storedBytes, 1_000_000);
    await heidi.expect(200, 'deleteFileLink', { params: { id: links[0]! } });
    assert.equal((await chargeOf(app, heidi.email)).storedBytes, 1_000_000);
    await heidi.expect(200, 'deleteFileLink', { params: { id: links[1]! } });
    assert.equal((await chargeOf(app, heidi.email)).storedBytes, 0);
  });

  test('is read again for every upload', async () => {
    const group = await app.group('Changing', { storage_quota: 1 });
    const ivan = await person('ivan', group);
    assert.equal(await upload(ivan, 2 * megabyte, true), 422);
    await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: { storage_quota: 2 } } });
    assert.equal(await upload(ivan, 2 * megabyte, true), 200);
    await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: { storage_quota: 0 } } });
    assert.equal(await upload(ivan, megabyte, true), 200);
  });

  test('is released by a message with files inside when the database fails in the middle', async (context) => {
    const who = await person('unlucky');
    const { db } = app.app.ctx;
    const write = db.write.bind(db);
    const fault = context.mock.method(db, 'write', (work: Parameters<typeof write>[0]) =>
      write(async (tx) => {
        const result = await work(tx);
        const message = await tx.selectFrom('messages').select('id').executeTakeFirst();
        if (message !== undefined) throw new DatabaseUnavailable('the connection is lost');
        return result;
      }),
    );
    const attachments = [0, 1].map((seed) => inlineFile(`${seed}.bin`, someBytes(megabyte / 4, seed + 1)));
    const body = { message: { recipients: ['ben@harbour.example'], attachments } };
    assert.equal((await who.call('sendMessage', { body })).status, 503);
    fault.mock.restore();
    assert.deepEqual(await chargeOf(app, 'unlucky@example.com'), { storedBytes: 0, reservedBytes: 0 });
    assert.equal(await upload(who, megabyte, false), 200);
  });
});
