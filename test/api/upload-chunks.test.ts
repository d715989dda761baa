import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentAnswer, uploadStateAnswer } from '#contract/attachments.ts';
import { resolveConflict } from '#server/actions/uploads/parts.ts';
import { findUpload } from '#server/db/uploads/uploads.ts';
import { onEachEngine } from '#test/kit/app.ts';
import { type ApiClient, assertRefused, type Reply } from '#test/kit/client.ts';
import { crc32Of, cutInto, samples, sha256Of, someBytes } from '#test/kit/content.ts';
import { attachmentRow, chargeOf, contentOf, storedBlobs, uploadRow } from '#test/kit/inside.ts';
import { isOutside } from '#test/kit/outside.ts';
import { ask, basic, chunked, dial, head } from '#test/kit/raw-http.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { watchUploads } from '#test/kit/watched-uploads.ts';
import { wireForm } from '../kit/wire-form.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const minuteMs = 60_000;
const maxChunkBytes = 64 * 1024;

onEachEngine('Uploading in chunks', (start) => {
  const vault = watchUploads();
  const app = useApp(start, {
    wrapVault: vault.wrap,
    canRunOutside: true,
    environment: { WAYBILL_CHUNK_SIZE: '64KiB', WAYBILL_MAX_CHUNK_SIZE: '64KiB', WAYBILL_UNFINISHED_TTL: '24h' },
  });
  const alice = usePerson(app, 'alice');
  const bob = usePerson(app, 'bob');
  let names = 0;

  const freshName = () => `file-${names++}.bin`;

  /** `which` is the number of the chunk, or that and the upload it belongs to. */
  function send(
    who: ApiClient,
    filename: string,
    chunks: Bytes[],
    which: number | { chunk: number; upload_id: string },
  ): Promise<Reply> {
    const { chunk, ...more } = typeof which === 'number' ? { chunk: which } : which;
    return who.call('uploadForLink', {
      query: { filename, chunks: String(chunks.length), chunk: String(chunk), ...more },
      bytes: chunks[chunk]!,
    });
  }

  /** A chunk that is stored but does not complete the file; returns the upload's id. */
  async function sendOne(...args: Parameters<typeof send>): Promise<string> {
    const reply = await send(...args);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.text, '');
    return reply.headers.get('upload-id')!;
  }

  /** A chunk that completes the file, which then has exactly these bytes. */
  async function sendLast(whole: Bytes[], ...args: Parameters<typeof send>): Promise<string> {
    const reply = await send(...args);
    assert.equal(reply.status, 200, reply.text);
    const { attachment } = wireForm(attachmentAnswer, reply.body);
    const bytes = Buffer.concat(whole);
    assert.equal(attachment.size, bytes.length);
    assert.equal(attachment.checksum, sha256Of(bytes));
    assert.equal(attachment.crc32, crc32Of(bytes));
    assert.equal(attachment.processed, true);
    assert.deepEqual(await contentOf(app, attachment.id), bytes);
    return attachment.id;
  }

  async function refusedChunk(status: number, code: string, ...args: Parameters<typeof send>): Promise<Reply> {
    return assertRefused(await send(...args), status, code);
  }

  test('refuses numbers that are invalid or out of bounds', async () => {
    const wrong: Record<string, string>[] = [
      { chunks: '0', chunk: '0' },
      { chunks: '10001', chunk: '0' },
      { chunks: '3' },
      { chunk: '0' },
      { chunks: '3', chunk: '3' },
      { chunks: '3', chunk: '' },
      ...['-1', '1e3', '0x1', '1.0', '+1', 'one', '99999999999999999999', 'Infinity'].flatMap((number) => [
        { chunks: '3', chunk: number },
        { chunks: number, chunk: '0' },
      ]),
    ];
    for (const query of wrong)
      await alice.refused(422, 'upload.bad_pieces', 'uploadForLink', {
        query: { filename: 'a.bin', ...query },
        bytes: 'x',
      });
  });

  test('refuses a chunk above the largest permitted size with 413, announced or not', async () => {
    const chunks = [someBytes(maxChunkBytes + 1), someBytes(1)];
    const name = freshName();
    await refusedChunk(413, 'upload.piece_too_large', alice, name, chunks, 0);
    const target = `POST /link/attachments/upload?filename=${name}&chunks=2&chunk=0`;
    const reply = await ask(
      app.url,
      target,
      [basic(alice.key), 'Transfer-Encoding: chunked'],
      chunked(someBytes(maxChunkBytes), someBytes(200_000)),
    );
    assert.equal(reply.status, 413);
    const fitting = [someBytes(maxChunkBytes), someBytes(1)];
    await sendOne(alice, name, fitting, 0);
    await sendLast(fitting, alice, name, fitting, 1);
  });

  test('returns the same 404 for an upload of another user and for an unknown one', async () => {
    const chunks = cutInto(someBytes(1000), 2);
    const name = freshName();
    const theirs = await sendOne(bob, name, chunks, 0);
    const bodies = [];
    for (const id of [theirs, 'NoSuchUploadNoSuchUplo', 'short']) {
      const { body } = await alice.refused(404, 'upload.not_found', 'getUpload', { params: { id } });
      bodies.push({ ...(body as object), request_id: '' });
    }
    for (const id of [theirs, 'NoSuchUploadNoSuchUplo']) {
      const { body } = await refusedChunk(404, 'upload.not_found', alice, name, chunks, { chunk: 1, upload_id: id });
      bodies.push({ ...(body as object), request_id: '' });
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
    await refusedChunk(422, 'request.invalid', alice, name, chunks, { chunk: 1, upload_id: 'short' });
    await sendLast(chunks, bob, name, chunks, 1);
  });

  test('refuses an upload id with another name, another count or another route', async () => {
    const chunks = cutInto(someBytes(1000), 2);
    const name = freshName();
    const id = await sendOne(alice, name, chunks, 0);
    await refusedChunk(422, 'upload.mismatch', alice, 'other.bin', chunks, { chunk: 1, upload_id: id });
    await refusedChunk(422, 'upload.mismatch', alice, name, cutInto(someBytes(1000), 3), { chunk: 1, upload_id: id });
    await alice.refused(422, 'upload.mismatch', 'uploadForMessage', {
      query: { filename: name, chunks: '2', chunk: '1', upload_id: id },
      bytes: chunks[1]!,
    });
    await sendLast(chunks, alice, name, chunks, { chunk: 1, upload_id: id });
  });

  test('refuses other bytes for the same chunk within a minute as a conflict, and accepts nothing more', async () => {
    const [first, second] = [cutInto(someBytes(900, 1), 3), cutInto(someBytes(900, 2), 3)];
    const name = freshName();
    await sendOne(alice, name, first, 0);
    app.clock.advance(minuteMs - 1);
    await refusedChunk(422, 'upload.conflict', alice, name, second, 0);
    await refusedChunk(422, 'upload.conflict', alice, name, first, 1);
    await refusedChunk(422, 'upload.conflict', alice, name, second, 2);
    await refusedChunk(422, 'upload.conflict', alice, name, first, 0);
  });

  test('starts over after a conflict and a minute of rest, with the old bytes or with new ones', async () => {
    const [first, second] = [cutInto(someBytes(900, 1), 2), cutInto(someBytes(900, 2), 2)];
    for (const again of [first, second]) {
      const name = freshName();
      await sendOne(alice, name, first, 0);
      await refusedChunk(422, 'upload.conflict', alice, name, second, 0);
      app.clock.advance(minuteMs);
      await sendOne(alice, name, again, 0);
      await sendLast(again, alice, name, again, 1);
    }
  });

  test('does not complete a file with a conflict while its last chunk is being sent', async () => {
    const [first, second] = [cutInto(someBytes(900, 1), 2), cutInto(someBytes(900, 2), 2)];
    const name = freshName();
    await sendOne(alice, name, first, 0);
    const line = await dial(app.url);
    const target = `POST /link/attachments/upload?filename=${name}&chunks=2&chunk=1`;
    await line.write(head(app.url, target, [basic(alice.key), `Content-Length: ${first[1]!.length}`]));
    await vault.receiving(1);
    await refusedChunk(422, 'upload.conflict', alice, name, second, 0);
    await line.write(first[1]!);
    const reply = await line.reply();
    line.cut();
    assert.equal(reply.status, 422, reply.text);
    assert.equal((reply.body as { code: string }).code, 'upload.conflict');
  });

  test('stores a chunk when another process has started the upload over since it was read', async () => {
    const [first, second] = [cutInto(someBytes(900, 41), 2), cutInto(someBytes(900, 42), 2)];
    const name = freshName();
    const id = await sendOne(alice, name, first, 0);
    await refusedChunk(422, 'upload.conflict', alice, name, second, 0);
    const { ctx } = app.app;
    const asSeen = (await findUpload(ctx.db.read, id))!;
    app.clock.advance(minuteMs);
    await sendOne(alice, name, second, 0);
    const current = (await findUpload(ctx.db.read, id))!;
    assert.notEqual(current.begunAt, asSeen.begunAt);
    const opened = await resolveConflict(ctx, asSeen);
    assert.deepEqual([opened.hasConflict, opened.begunAt], [false, current.begunAt]);
  });

  test('starts over with other bytes after a minute of rest, and deletes the old ones', async () => {
    const [first, second] = [cutInto(someBytes(900, 3), 3), cutInto(someBytes(900, 4), 3)];
    const name = freshName();
    await app.app.jobs.runOnce('remove-erased');
    const before = await chargeOf(app, alice.email);
    const blobs = (await storedBlobs(app)).length;
    await sendOne(alice, name, first, 0);
    await sendOne(alice, name, first, 1);
    app.clock.advance(minuteMs);
    await sendOne(alice, name, second, 1);
    await sendOne(alice, name, second, 0);
    await sendLast(second, alice, name, second, 2);
    assert.equal((await chargeOf(app, alice.email)).storedBytes, before.storedBytes + 900);
    await app.app.jobs.runOnce('remove-erased');
    assert.equal((await storedBlobs(app)).length, blobs + 3);
  });

  test('does not store an interrupted chunk, which can be sent again', async () => {
    const chunks = cutInto(someBytes(90_000), 2);
    const name = freshName();
    const id = await sendOne(alice, name, chunks, 0);
    const line = await dial(app.url);
    const target = `POST /link/attachments/upload?filename=${name}&chunks=2&chunk=1`;
    await line.write(head(app.url, target, [basic(alice.key), `Content-Length: ${chunks[1]!.length}`]));
    await line.write(chunks[1]!.subarray(0, 10_000));
    await vault.receiving(1);
    line.cut();
    await vault.idle();
    const { body } = await alice.expect(200, 'getUpload', { params: { id } });
    assert.deepEqual(wireForm(uploadStateAnswer, body).upload.received, [0]);
    await sendLast(chunks, alice, name, chunks, 1);
  });

  test('returns the same file for the last chunk again, after a lost reply, for an hour', async () => {
    const chunks = cutInto(someBytes(900, 31), 3);
    const name = freshName();
    for (const chunk of [2, 0]) await sendOne(alice, name, chunks, chunk);
    const id = await sendLast(chunks, alice, name, chunks, 1);
    const blobs = await storedBlobs(app);
    const charge = await chargeOf(app, alice.email);
    app.clock.advance(60 * minuteMs - 1);
    assert.equal(await sendLast(chunks, alice, name, chunks, 1), id);
    // Without an announced length too.
    const reply = await ask(
      app.url,
      `POST /link/attachments/upload?filename=${name}&chunks=3&chunk=1`,
      [basic(alice.key), 'Transfer-Encoding: chunked'],
      chunked(chunks[1]!),
    );
    assert.equal(wireForm(attachmentAnswer, reply.body).attachment.id, id);
    await vault.idle();
    assert.deepEqual(await storedBlobs(app), blobs);
    assert.deepEqual(await chargeOf(app, alice.email), charge);
    app.clock.advance(1);
    assert.notEqual(await sendOne(alice, name, chunks, 1), id);
  });

  test('does not return the file for other bytes, another chunk, or another user', async () => {
    const [chunks, others] = [cutInto(someBytes(900, 32), 3), cutInto(someBytes(900, 33), 3)];
    const name = freshName();
    for (const chunk of [0, 1]) await sendOne(alice, name, chunks, chunk);
    const id = await sendLast(chunks, alice, name, chunks, 2);
    // Of the same length: its bytes become the first of the next upload, and none of them is lost.
    const next = await sendOne(alice, name, others, 2);
    assert.notEqual(next, id);
    await sendOne(alice, name, others, 0);
    assert.equal(await sendLast(others, alice, name, others, 1), next);
    assert.notEqual(await sendOne(bob, name, others, 1), next);
  });

  test('assigns the last chunk of an upload to the next one of the same name once that has begun', async () => {
    const chunks = cutInto(someBytes(900, 34), 2);
    const name = freshName();
    await sendOne(alice, name, chunks, 0);
    const first = await sendLast(chunks, alice, name, chunks, 1);
    await sendOne(alice, name, chunks, 0);
    assert.notEqual(await sendLast(chunks, alice, name, chunks, 1), first);
  });

  test('begins a new upload with the last chunk of a deleted file', async () => {
    const chunks = cutInto(someBytes(900, 35), 2);
    const name = freshName();
    await sendOne(alice, name, chunks, 0);
    const id = await sendLast(chunks, alice, name, chunks, 1);
    await alice.expect(200, 'deleteAttachment', { params: { id } });
    assert.notEqual(await sendOne(alice, name, chunks, 1), id);
    await app.app.jobs.runOnce('remove-erased');
  });

  test('accepts chunks in any order, and the checksum is that of the whole', async () => {
    const chunks = cutInto(someBytes(150_000, 5), 4);
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
      [1, 2, 3, 0],
      [0, 2, 1, 3],
    ]) {
      const name = freshName();
      for (const chunk of order.slice(0, -1)) await sendOne(alice, name, chunks, chunk);
      await sendLast(chunks, alice, name, chunks, order.at(-1)!);
    }
  });

  test('accepts all chunks concurrently, also the first ones: one answer has the file, the others are empty', async () => {
    const chunks = cutInto(someBytes(300_000, 6), 12);
    const name = freshName();
    const replies = await Promise.all(chunks.map((_, chunk) => send(alice, name, chunks, chunk)));
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const whole = replies.filter((reply) => reply.text !== '');
    assert.equal(whole.length, 1);
    const { attachment } = wireForm(attachmentAnswer, whole[0]!.body);
    assert.equal(attachment.checksum, sha256Of(someBytes(300_000, 6)));
    assert.equal(new Set(replies.map((reply) => reply.headers.get('upload-id'))).size, 1);
    assert.deepEqual(await contentOf(app, attachment.id), Buffer.from(someBytes(300_000, 6)));
  });

  test('changes nothing for the same chunk sent again, also concurrently', async () => {
    const chunks = cutInto(someBytes(1000, 7), 2);
    const name = freshName();
    const before = await chargeOf(app, alice.email);
    const blobs = (await storedBlobs(app)).length;
    const ids = await Promise.all([0, 0, 0].map((chunk) => sendOne(alice, name, chunks, chunk)));
    ids.push(await sendOne(alice, name, chunks, 0));
    assert.equal(new Set(ids).size, 1);
    await sendLast(chunks, alice, name, chunks, 1);
    assert.equal((await chargeOf(app, alice.email)).storedBytes, before.storedBytes + 1000);
    assert.equal((await storedBlobs(app)).length, blobs + 2);
  });

  test('returns the finished file for a chunk sent again by a client that names the upload', async () => {
    const chunks = cutInto(someBytes(1000, 8), 2);
    const name = freshName();
    const id = await sendOne(alice, name, chunks, { chunk: 0, upload_id: 'new' });
    await sendLast(chunks, alice, name, chunks, { chunk: 1, upload_id: id });
    await sendLast(chunks, alice, name, chunks, { chunk: 1, upload_id: id });
    await alice.expect(200, 'deleteAttachment', { params: { id } });
    await refusedChunk(404, 'upload.not_found', alice, name, chunks, { chunk: 1, upload_id: id });
    await alice.refused(404, 'upload.not_found', 'getUpload', { params: { id } });
  });

  test('completes a file with a single chunk', async () => {
    const chunks = [someBytes(1000, 9)];
    await sendLast(chunks, alice, freshName(), chunks, 0);
    await sendLast(chunks, alice, freshName(), chunks, { chunk: 0, upload_id: 'new' });
  });

  test('counts empty chunks as chunks', async () => {
    const chunks = [new Uint8Array(), someBytes(10), new Uint8Array()];
    const name = freshName();
    for (const chunk of [2, 0]) await sendOne(alice, name, chunks, chunk);
    await sendLast(chunks, alice, name, chunks, 1);
  });

  test('detects the type in the first chunk, in any order, unless the client names it', async () => {
    const chunks = [samples.png, someBytes(100)];
    const found = freshName();
    await sendOne(alice, found, chunks, 1);
    const { body } = await send(alice, found, chunks, 0);
    assert.equal(wireForm(attachmentAnswer, body).attachment.content_type, 'image/png');
    const said = freshName();
    const query = (chunk: string) => ({ filename: said, chunks: '2', chunk });
    const headers = { 'content-type': 'image/x-plan' };
    await alice.expect(200, 'uploadForLink', { query: query('0'), bytes: chunks[0]!, headers });
    const last = await alice.expect(200, 'uploadForLink', { query: query('1'), bytes: chunks[1]!, headers });
    assert.equal(wireForm(attachmentAnswer, last.body).attachment.content_type, 'image/x-plan');
  });

  test('keeps uploads of one name by two people separate', async () => {
    const [hers, his] = [cutInto(someBytes(2000, 10), 2), cutInto(someBytes(2000, 11), 2)];
    const name = freshName();
    await sendOne(alice, name, hers, 0);
    await sendOne(bob, name, his, 1);
    await sendLast(hers, alice, name, hers, 1);
    await sendLast(his, bob, name, his, 0);
  });

  test('keeps concurrent uploads of one name separate when they differ in number, route or id', async () => {
    const name = freshName();
    const [two, three, four] = [2, 3, 4].map((count) => cutInto(someBytes(2000, 20 + count), count)) as [
      Bytes[],
      Bytes[],
      Bytes[],
    ];
    const another = cutInto(someBytes(2000, 30), 2);
    await sendOne(alice, name, two, 0);
    await sendOne(alice, name, three, 0);
    const ownId = await sendOne(alice, name, another, { chunk: 0, upload_id: 'new' });
    const query = { filename: name, chunks: '4' };
    for (const chunk of [0, 1, 2])
      await alice.expect(200, 'uploadForMessage', { query: { ...query, chunk: String(chunk) }, bytes: four[chunk]! });
    await sendOne(alice, name, three, 1);
    await sendLast(two, alice, name, two, 1);
    await sendLast(another, alice, name, another, { chunk: 1, upload_id: ownId });
    await sendLast(three, alice, name, three, 2);
    const { body } = await alice.expect(200, 'uploadForMessage', { query: { ...query, chunk: '3' }, bytes: four[3]! });
    assert.equal(wireForm(attachmentAnswer, body).attachment.checksum, sha256Of(Buffer.concat(four)));
  });

  test('returns the chunks of a running upload', async () => {
    const chunks = cutInto(someBytes(3000, 40), 4);
    const name = freshName();
    const id = await sendOne(alice, name, chunks, 2);
    await sendOne(alice, name, chunks, 0);
    const { body } = await alice.expect(200, 'getUpload', { params: { id } });
    const { expires_at, ...rest } = wireForm(uploadStateAnswer, body).upload;
    assert.deepEqual(rest, {
      id,
      filename: name,
      chunks: 4,
      received: [0, 2],
      received_bytes: chunks[0]!.length + chunks[2]!.length,
      state: 'open',
    });
    // The clock of an external service is set to the millisecond only roughly.
    const differenceMs = Math.abs(Date.parse(expires_at) - app.clock.now() - 24 * 3_600_000);
    assert.ok(differenceMs <= (isOutside ? 1_000 : 0), expires_at);
    await sendOne(alice, name, chunks, 1);
    await sendLast(chunks, alice, name, chunks, 3);
    const after = await alice.expect(200, 'getUpload', { params: { id } });
    assert.equal(wireForm(uploadStateAnswer, after.body).upload.state, 'ready');
  });

  test('continues after a restart of the service', async () => {
    const chunks = cutInto(someBytes(100_000, 41), 3);
    const name = freshName();
    await sendOne(alice, name, chunks, 0);
    await sendOne(alice, name, chunks, 1);
    await app.restart();
    await sendLast(chunks, alice, name, chunks, 2);
  });

  test('ends after a day without a chunk: key, bytes and charge are deleted', async () => {
    const carol = await app.person('carol');
    const chunks = cutInto(someBytes(50_000, 42), 3);
    const name = freshName();
    const blobs = await storedBlobs(app);
    const id = await sendOne(carol, name, chunks, 0);
    app.clock.advance(23 * 3_600_000);
    await sendOne(carol, name, chunks, 1);
    app.clock.advance(23 * 3_600_000);
    await app.app.jobs.runOnce('abandon-uploads');
    await carol.expect(200, 'getUpload', { params: { id } });
    app.clock.advance(3_600_000 + 1);
    await app.app.jobs.runOnce('abandon-uploads');
    assert.equal((await uploadRow(app, id)).data_key_wrapped, null);
    assert.deepEqual(await chargeOf(app, carol.email), { storedBytes: 0, reservedBytes: 0 });
    await carol.refused(404, 'upload.not_found', 'getUpload', { params: { id } });
    await refusedChunk(404, 'upload.not_found', carol, name, chunks, { chunk: 2, upload_id: id });
    await app.app.jobs.runOnce('remove-erased');
    const left = await storedBlobs(app);
    assert.deepEqual(
      left.filter((key) => !blobs.includes(key)),
      [],
    );
    for (const chunk of [0, 1]) await sendOne(carol, name, chunks, chunk);
    await sendLast(chunks, carol, name, chunks, 2);
  });

  test('keeps one key for the finished file, and none for the upload', async () => {
    const chunks = cutInto(someBytes(1000, 43), 2);
    const name = freshName();
    await sendOne(alice, name, chunks, 1);
    const id = await sendLast(chunks, alice, name, chunks, 0);
    assert.equal((await uploadRow(app, id)).data_key_wrapped, null);
    assert.notEqual((await attachmentRow(app, id)).data_key_wrapped, null);
  });
});
