// Edge cases of uploads that the model found, or cannot reach.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { attachmentAnswer, attachmentsAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient, Reply } from '#test/kit/client.ts';
import { clickDownload, download } from '#test/kit/downloads.ts';
import { eventually } from '#test/kit/eventually.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { assertInside } from '#test/kit/outside.ts';
import { wireForm } from '../kit/wire-form.ts';

const minuteMs = 60_000;
const megabyte = 1024 * 1024;

onEachEngine('uploads in edge cases', (start) => {
  let app: TestApp;
  let person: ApiClient;
  let count = 0;
  /** While set, reads of stored bytes wait, and so does sealing out of order. */
  let readingGate: Promise<void> | null = null;

  before(async () => {
    app = await start({
      environment: { WAYBILL_ROLE: 'web' },
      canRunOutside: true,
      wrapVault: (vault) => ({
        ...vault,
        async *read(blob, range) {
          await readingGate;
          yield* vault.read(blob, range);
        },
      }),
    });
    person = await app.person('person');
  });
  after(() => app.close());

  const freshName = () => `file${count++}.bin`;
  const send = (name: string, number: number, bytes: Buffer<ArrayBuffer>, more: Record<string, string> = {}) =>
    person.call('uploadForLink', {
      query: { filename: name, chunks: '2', chunk: String(number), ...more },
      bytes,
    });
  const fileOf = (reply: Reply) => wireForm(attachmentAnswer, reply.body).attachment;
  const bytesBehind = async (attachmentId: string) => {
    const link = await linkTo(person, attachmentId);
    return (await download(app.url, link)).bytes;
  };

  test('a chunk begun before its upload was started over is refused, not mixed in', async () => {
    const name = freshName();
    const [ours, theirs] = [randomBytes(1000), randomBytes(1000)];
    assert.equal((await send(name, 0, ours)).status, 200);
    const path = `/link/attachments/upload?filename=${name}&chunks=2&chunk=1`;
    const slow = await holdUpload(person, path, { lengthBytes: ours.length });
    await slow.send(ours.subarray(0, 500));
    app.clock.advance(minuteMs);
    assert.equal((await send(name, 0, theirs)).status, 200);
    const late = await slow.finish(ours.subarray(500));
    assert.deepEqual([late.status, JSON.parse(late.text).code], [422, 'upload.closed']);
    const file = fileOf(await send(name, 1, theirs));
    assert.deepEqual(await bytesBehind(file.id), Buffer.concat([theirs, theirs]));
  });

  test('a disputed upload refuses both sides, then starts over for the next sender after a minute of silence', async () => {
    const name = freshName();
    const [ours, theirs] = [randomBytes(1000), randomBytes(1000)];
    assert.equal((await send(name, 0, ours)).status, 200);
    assert.equal((await send(name, 0, theirs)).status, 422);
    assert.equal((await send(name, 1, ours)).status, 422, 'the other side hears of it as well');
    assert.equal((await send(name, 0, ours)).status, 422);
    app.clock.advance(minuteMs);
    assert.equal((await send(name, 0, ours)).text, '');
    const file = fileOf(await send(name, 1, ours));
    assert.deepEqual(await bytesBehind(file.id), Buffer.concat([ours, ours]));
  });

  test('the completing chunk sent several times simultaneously is answered with the same file', async () => {
    const name = freshName();
    const bytes = randomBytes(70_000);
    const first = await send(name, 0, bytes);
    const upload_id = first.headers.get('upload-id')!;
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(name, 1, bytes, { upload_id })));
    assert.deepEqual([...new Set(replies.map((reply) => fileOf(reply).id))], [upload_id]);
    assert.deepEqual(await bytesBehind(upload_id), Buffer.concat([bytes, bytes]));
  });

  test('a chunk sent again to a finished upload is compared with what is stored', async () => {
    const name = freshName();
    const bytes = randomBytes(1000);
    const upload_id = (await send(name, 1, bytes)).headers.get('upload-id')!;
    await send(name, 0, bytes, { upload_id });
    const other = await send(name, 0, randomBytes(1000), { upload_id });
    assert.deepEqual([other.status, (other.body as { code: string }).code], [422, 'upload.conflict']);
    assert.equal(fileOf(await send(name, 0, bytes, { upload_id })).id, upload_id);
    assert.deepEqual(await bytesBehind(upload_id), Buffer.concat([bytes, bytes]));
  });

  test('many uploads of one name by people who name their uploads are never mixed', async () => {
    const name = freshName();
    const contents = Array.from({ length: 6 }, () => randomBytes(5000));
    await Promise.all(
      contents.map(async (bytes) => {
        const first = await send(name, 0, bytes, { upload_id: 'new' });
        const upload_id = first.headers.get('upload-id')!;
        const file = fileOf(await send(name, 1, bytes, { upload_id }));
        assert.deepEqual(await bytesBehind(file.id), Buffer.concat([bytes, bytes]));
      }),
    );
  });

  test('an unfinished file cannot be downloaded, and leaves no key when it is deleted', async () => {
    const gate = Promise.withResolvers<void>();
    assertInside();
    readingGate = gate.promise;
    const name = freshName();
    const upload_id = (await send(name, 1, randomBytes(1000))).headers.get('upload-id')!;
    const completing = send(name, 0, randomBytes(1000), { upload_id });
    const { db } = app.app.ctx;
    try {
      await eventually('all chunks are there', () =>
        db.read.selectFrom('attachments').select('id').where('id', '=', upload_id).executeTakeFirst().then(Boolean),
      );
      const { body } = await person.expect(200, 'listAttachments');
      const listed = wireForm(attachmentsAnswer, body).attachments.find((file) => file.id === upload_id);
      assert.deepEqual([listed?.processed, listed?.available], [false, false]);
      const link = await person.call('createFileLink', { body: { link: { attachment: upload_id } } });
      if (link.status === 200) {
        const id = wireForm(fileLinkAnswer, link.body).link.id;
        assert.equal((await clickDownload(app.url, id)).path, null, 'no ticket is handed out');
        await person.expect(200, 'deleteFileLink', { params: { id } });
      } else await person.expect(200, 'deleteAttachment', { params: { id: upload_id } });
      const kept = await db.read.selectFrom('uploads').selectAll().where('id', '=', upload_id).executeTakeFirst();
      assert.equal(kept?.data_key_wrapped ?? null, null, 'the upload keeps a copy of the key');
      const file = await db.read.selectFrom('attachments').selectAll().where('id', '=', upload_id).executeTakeFirst();
      assert.deepEqual([file?.state, file?.data_key_wrapped], ['erased', null]);
    } finally {
      readingGate = null;
      gate.resolve();
      await completing;
    }
    app.clock.advance(2 * minuteMs);
    await app.app.jobs.runOnce('finish-uploads');
    const rows = await db.read.selectFrom('uploads').select('id').where('state', '=', 'sealing').execute();
    assert.deepEqual(rows, [], 'the job has no row left to retry');
  });

  test('the job finishes an interrupted sealing, with the right checksums', async () => {
    const gate = Promise.withResolvers<void>();
    assertInside();
    readingGate = gate.promise;
    const name = freshName();
    const bytes = randomBytes(70_000);
    const upload_id = (await send(name, 1, bytes)).headers.get('upload-id')!;
    const completing = send(name, 0, bytes, { upload_id });
    const { db } = app.app.ctx;
    await eventually('all chunks are there', () =>
      db.read.selectFrom('attachments').select('id').where('id', '=', upload_id).executeTakeFirst().then(Boolean),
    );
    readingGate = null;
    // The first attempt still runs, and may renew its lease between the two lines.
    await eventually('the job takes it up', async () => {
      app.clock.advance(2 * minuteMs);
      return (await app.app.jobs.runOnce('finish-uploads')) === '1 upload finished';
    });
    assert.deepEqual(await bytesBehind(upload_id), Buffer.concat([bytes, bytes]));
    gate.resolve();
    const file = fileOf(await completing);
    assert.equal(file.processed, true);
    assert.equal(file.checksum.length, 64);
  });

  test('quota holds for the sum of parallel uploads, announced or not, and releases what broke off', async () => {
    const group = await app.group('Small', { storage_quota: 1 });
    const limited = await app.person('limited', { group });
    const chunk = randomBytes(200 * 1024);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        limited.call('uploadForLink', {
          query: { filename: `part${index}.bin` },
          bytes: index % 2 === 0 ? chunk : new Blob([chunk]).stream(),
        }),
      ),
    );
    const stored = replies.filter((reply) => reply.status === 200).length;
    assert.ok(stored * chunk.length <= megabyte, `${stored} uploads were taken`);
    assert.ok(replies.every((reply) => reply.status === 200 || reply.status === 422));
    await eventually('promised bytes are given back', async () => (await quotaOf(app, 'limited')).reserved_bytes === 0);
    assert.equal((await quotaOf(app, 'limited')).stored_bytes, stored * chunk.length);
  });

  test('a small file of unannounced length fits into a small quota, and a large one is stopped during the upload', async () => {
    const group = await app.group('Tiny', { storage_quota: 1 });
    const limited = await app.person('tiny', { group });
    const small = await holdUpload(limited, '/link/attachments/upload?filename=small.bin', { lengthBytes: null });
    for (let sent = 0; sent < 20; sent++) {
      await small.send(randomBytes(10_000));
      await app.anonymous.fetch('/healthz'); // one turn of the server between chunks
    }
    assert.equal((await small.finish()).status, 200);
    const large = await holdUpload(limited, '/link/attachments/upload?filename=large.bin', { lengthBytes: null });
    // Far more than the quota, and then silence: the refusal must not wait for the rest of the body.
    for (let sent = 0; sent < 40; sent++) await large.send(randomBytes(100_000));
    const { status, text } = await large.answered;
    large.cut();
    assert.deepEqual([status, JSON.parse(text).code], [422, 'attachment.quota_full']);
    await eventually('promised bytes are given back', async () => (await quotaOf(app, 'tiny')).reserved_bytes === 0);
    assert.equal((await quotaOf(app, 'tiny')).stored_bytes, 200_000);
  });
});

async function linkTo(person: ApiClient, attachment: string): Promise<string> {
  const { body } = await person.expect(200, 'createFileLink', { body: { link: { attachment } } });
  return wireForm(fileLinkAnswer, body).link.id;
}

function quotaOf(app: TestApp, name: string) {
  return app.app.ctx.db.read
    .selectFrom('users')
    .select(['stored_bytes', 'reserved_bytes'])
    .where('id', '=', `${name}-example-com`)
    .executeTakeFirstOrThrow();
}
