import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { type attachment, attachmentsAnswer } from '#contract/attachments.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { problem } from '#contract/problems.ts';
import { onEachEngine, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { cutInto, someBytes } from '#test/kit/content.ts';
import { attachmentRow, chargeOf, storedBlobs } from '#test/kit/inside.ts';
import { isBehindNginx } from '#test/kit/outside.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const hourMs = 3_600_000;
const deletePaths: EndpointName[] = ['deleteAttachment', 'deleteMessageAttachment', 'deleteAttachmentLegacy'];

onEachEngine('Uploaded files', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');
  const bob = usePerson(app, 'bob');

  async function list(who: ApiClient): Promise<z.input<typeof attachment>[]> {
    return wireForm(attachmentsAnswer, (await who.expect(200, 'listAttachments')).body).attachments;
  }

  async function linkTo(who: ApiClient, id: string, expiresAt?: string): Promise<string> {
    const { body } = await who.expect(200, 'createFileLink', {
      body: { link: { attachment: id, expires_at: expiresAt } },
    });
    return (body as { link: { id: string } }).link.id;
  }

  testOnce('refuse list and delete without a key', async () => {
    const { id } = await alice.upload('mine.txt', 'x');
    await app.anonymous.refused(401, 'credentials.invalid', 'listAttachments');
    for (const path of deletePaths) await app.anonymous.refused(401, 'credentials.invalid', path, { params: { id } });
    assert.equal((await attachmentRow(app, id)).state, 'ready');
  });

  test('that are unknown, of another user, unfinished or deleted are a 404 with the same text', async () => {
    const theirs = await bob.upload('theirs.txt', 'x');
    const deleted = await alice.upload('deleted.txt', 'x');
    await alice.expect(200, 'deleteAttachment', { params: { id: deleted.id } });
    const unfinished = await alice.expect(200, 'uploadForLink', {
      query: { filename: 'unfinished.bin', chunks: '2', chunk: '0' },
      bytes: 'x',
    });
    const ids = [theirs.id, deleted.id, unfinished.headers.get('upload-id')!, 'NoSuchFileNoSuchFileNo', 'short'];
    for (const path of deletePaths) {
      const bodies = [];
      for (const id of ids) {
        const { body } = await alice.refused(404, 'attachment.not_found', path, { params: { id } });
        bodies.push({ ...(body as object), request_id: '' });
      }
      for (const body of bodies) assert.deepEqual(body, bodies[0]);
    }
    assert.equal((await attachmentRow(app, theirs.id)).state, 'ready');
  });

  test('are not found by an id with a path or control characters', async () => {
    for (const id of ['%00', 'a%2Fb', '%0d%0a', '%zz', '%ff', 'x'.repeat(2000)]) {
      const reply = await alice.fetch(`/attachments/${id}`, { method: 'DELETE' });
      // nginx itself refuses what cannot be an address.
      if (isBehindNginx && reply.status === 400) continue;
      assert.equal(reply.status, 404, id.slice(0, 10));
      problem.strict().parse(reply.body);
    }
  });

  testOnce('are not deleted while a link uses them: 422', async () => {
    const { id } = await alice.upload('used.txt', 'x');
    const link = await linkTo(alice, id);
    for (const path of deletePaths) await alice.refused(422, 'attachment.in_use', path, { params: { id } });
    await alice.expect(200, 'getFileLink', { params: { id: link } });
  });

  test('cannot be linked or sent before all their chunks are combined', async () => {
    const { id } = await alice.upload('large.bin', 'bytes');
    const setState = (state: 'sealing' | 'ready') =>
      app.app.ctx.db.write((tx) => tx.updateTable('attachments').set({ state }).where('id', '=', id).execute());
    const link = { body: { link: { attachment: id } } };
    const message = { body: { message: { recipients: [bob.email], attachments: [id] } } };
    await setState('sealing');
    await alice.refused(422, 'attachment.not_ready', 'createFileLink', link);
    await alice.refused(422, 'attachment.not_ready', 'sendMessage', message);
    assert.equal(Number((await attachmentRow(app, id)).reference_count), 0);
    await setState('ready');
    await alice.expect(200, 'createFileLink', link);
    await alice.expect(200, 'sendMessage', message);
  });

  test('that are deleted disappear immediately on every path: key, storage and, soon, bytes', async () => {
    const carol = await app.person('carol');
    const blobs = await storedBlobs(app);
    for (const path of deletePaths) {
      const { id } = await carol.upload('a.txt', 'hello');
      const reply = await carol.expect(200, path, { params: { id } });
      assert.equal(reply.text, '');
      const row = await attachmentRow(app, id);
      assert.equal(row.state, 'erased');
      assert.equal(row.data_key_wrapped, null);
      await carol.refused(422, 'link.attachment_unknown', 'createFileLink', { body: { link: { attachment: id } } });
    }
    assert.deepEqual(await list(carol), []);
    assert.deepEqual(await chargeOf(app, carol.email), { storedBytes: 0, reservedBytes: 0 });
    await app.app.jobs.runOnce('remove-erased');
    assert.deepEqual(
      (await storedBlobs(app)).filter((key) => !blobs.includes(key)),
      [],
    );
  });

  test('are deleted by one of two concurrent deletes; the other finds nothing', async () => {
    const { id } = await alice.upload('twice.txt', 'hello');
    const before = await chargeOf(app, alice.email);
    const replies = await Promise.all([1, 2, 3].map(() => alice.call('deleteAttachment', { params: { id } })));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 404, 404]);
    assert.equal((await chargeOf(app, alice.email)).storedBytes, before.storedBytes - 5);
  });

  test('get either the delete or the concurrent new link, and the other is refused', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = await alice.upload('raced.txt', 'hello');
      const [deleted, linked] = await Promise.all([
        alice.call('deleteAttachment', { params: { id } }),
        alice.call('createFileLink', { body: { link: { attachment: id } } }),
      ]);
      assert.deepEqual([deleted.status, linked.status].toSorted(), [200, 422]);
      const row = await attachmentRow(app, id);
      assert.equal(row.state, deleted.status === 200 ? 'erased' : 'ready');
      assert.equal(row.reference_count, linked.status === 200 ? 1 : 0);
    }
  });

  test('that are finished are listed for their owner, oldest first, with where each is used', async () => {
    const dave = await app.person('dave');
    assert.deepEqual(await list(dave), []);
    const first = await dave.upload('first.txt', 'x');
    app.clock.advance(1000);
    const chunks = cutInto(someBytes(1000), 2);
    for (const chunk of [1, 0])
      await dave.expect(200, 'uploadForMessage', {
        query: { filename: 'second.bin', chunks: '2', chunk: String(chunk) },
        bytes: chunks[chunk]!,
      });
    await dave.expect(200, 'uploadForLink', { query: { filename: 'half.bin', chunks: '2', chunk: '0' }, bytes: 'x' });
    const links = [await linkTo(dave, first.id, '2026-11-20'), await linkTo(dave, first.id, '2026-11-25')];
    const files = await list(dave);
    assert.deepEqual(
      files.map((file) => file.filename),
      ['first.txt', 'second.bin'],
    );
    assert.deepEqual(files[0], { ...first, expires_at: '2026-11-25', filelinks: files[0]!.filelinks });
    assert.deepEqual(files[0]!.filelinks.toSorted(), links.toSorted());
    assert.deepEqual(files[1]!.filelinks, []);
    await dave.expect(200, 'deleteFileLink', { params: { id: links[1]! } });
    assert.deepEqual((await list(dave))[0], { ...first, expires_at: '2026-11-20', filelinks: [links[0]] });
  });

  test('are listed completely and in order at any number', async () => {
    const erin = await app.person('erin');
    const { id } = await erin.upload('seed.txt', 'x');
    const seed = await attachmentRow(app, id);
    const { ctx } = app.app;
    const copies = Array.from({ length: 250 }, (_, index) => {
      const copy = `Copy${String(index).padStart(18, '0')}`;
      return {
        ...seed,
        id: copy,
        name_sealed: ctx.keys.sealText('name', `${index}.txt`, copy),
        checksums_sealed: null,
        // Many share a timestamp, so that a page ends among them.
        created_at: seed.created_at + 1 + Math.floor(index / 150),
        erase_after_uptime: null,
      };
    });
    await ctx.db.write((tx) => tx.insertInto('attachments').values(copies).execute());
    const files = await list(erin);
    assert.deepEqual(
      files.map((file) => file.filename),
      ['seed.txt', ...Array.from({ length: 250 }, (_, index) => `${index}.txt`)],
    );
  });

  test('that are never sent are erased after 48 hours of running, and not before', async () => {
    const frank = await app.person('frank');
    const unsent = await frank.upload('unsent.txt', 'x');
    const sent = await frank.upload('sent.txt', 'x');
    await linkTo(frank, sent.id, '2027-01-31');
    app.clock.advance(48 * hourMs - 1);
    await app.app.jobs.runOnce('erase-files');
    assert.notEqual((await attachmentRow(app, unsent.id)).data_key_wrapped, null);
    app.clock.advance(1);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    const row = await attachmentRow(app, unsent.id);
    assert.equal(row.state, 'erased');
    assert.equal(row.data_key_wrapped, null);
    assert.deepEqual(
      (await list(frank)).map((file) => file.id),
      [sent.id],
    );
    assert.notEqual((await attachmentRow(app, sent.id)).data_key_wrapped, null);
  });

  test('are not erased when the wall clock is set forward', async () => {
    const { id } = await bob.upload('kept.txt', 'x');
    app.clock.set(app.clock.now() + 72 * hourMs);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    assert.notEqual((await attachmentRow(app, id)).data_key_wrapped, null);
    assert.ok((await list(bob)).some((file) => file.id === id));
  });

  test('have their hours counted over restarts, and only while the service runs', async () => {
    const grace = await app.person('grace');
    const { id } = await grace.upload('a.txt', 'x');
    app.clock.advance(40 * hourMs);
    await app.restart();
    app.clock.advance(8 * hourMs - 1);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    assert.notEqual((await attachmentRow(app, id)).data_key_wrapped, null);
    app.clock.advance(1);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    assert.equal((await attachmentRow(app, id)).data_key_wrapped, null);
  });
});
