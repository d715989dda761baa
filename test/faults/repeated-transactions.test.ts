// A transaction may be repeated (deadlock, collision), so it has no outside effects. Here each is rolled back once and
// repeated.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Tx } from '#server/db/schema/schema.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { chargeOf, contentOf, storedBlobs } from '#test/kit/inside.ts';
import { inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { ask, basic, chunked } from '#test/kit/raw-http.ts';

class RunAgain extends Error {}

const megabyte = 1024 * 1024;
const content = Buffer.from(someBytes(300_000));

describe('When every transaction runs twice', () => {
  let app: TestApp;
  let alice: ApiClient;
  before(async () => {
    app = await startTestApp(sqliteAndDisk, { environment: { WAYBILL_ROLE: 'web' } });
    const group = await app.group('One megabyte', { storage_quota: 1 });
    alice = await app.person('alice', { group });
    const { db } = app.app.ctx;
    const write = db.write.bind(db);
    db.write = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> => {
      const first = write(async (tx) => {
        await work(tx);
        throw new RunAgain();
      });
      await first.catch((error: unknown) => {
        if (!(error instanceof RunAgain)) throw error;
      });
      return write(work);
    };
  });
  after(() => app.close());

  const charge = () => chargeOf(app, alice.email);

  test('a file without an announced length is charged once, and its reservation is released', async () => {
    const target = 'POST /link/attachments/upload?filename=a.bin';
    const upload = (bytes: Uint8Array) =>
      ask(app.url, target, [basic(alice.key), 'Transfer-Encoding: chunked'], chunked(bytes));
    const reply = await upload(content);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await charge(), { storedBytes: content.length, reservedBytes: 0 });
    assert.equal((await upload(someBytes(megabyte))).status, 422, 'too much is still refused');
    assert.deepEqual(await charge(), { storedBytes: content.length, reservedBytes: 0 });
    const { id } = (reply.body as { attachment: { id: string } }).attachment;
    await alice.expect(200, 'deleteAttachment', { params: { id } });
    assert.deepEqual(await charge(), { storedBytes: 0, reservedBytes: 0 });
  });

  test('a file in chunks is complete, with its checksum, and charged once', async () => {
    const half = content.length / 2;
    const chunk = (number: number) =>
      alice.expect(200, 'uploadForLink', {
        query: { filename: 'chunks.bin', chunks: '2', chunk: String(number) },
        bytes: new Uint8Array(content.subarray(number * half, (number + 1) * half)),
      });
    await chunk(0);
    const { attachment } = (await chunk(1)).body as { attachment: { id: string; processed: boolean } };
    assert.ok(attachment.processed);
    assert.deepEqual(await contentOf(app, attachment.id), content);
    assert.deepEqual(await charge(), { storedBytes: content.length, reservedBytes: 0 });
    await alice.expect(200, 'deleteAttachment', { params: { id: attachment.id } });
  });

  test('files inside a message are stored once, and those of a refused one are removed', async () => {
    const attachments = [inlineFile('a.bin', content), inlineFile('b.txt', 'small')];
    const known = await storedBlobs(app);
    await alice.refused(422, 'message.attachment_unknown', 'sendMessage', {
      body: { message: { recipients: ['ben@harbour.example'], attachments: [...attachments, 'A'.repeat(22)] } },
    });
    assert.deepEqual(await storedBlobs(app), known);
    assert.deepEqual(await charge(), { storedBytes: 0, reservedBytes: 0 });
    const { id } = await sendMessage(alice, { recipients: ['ben@harbour.example'], attachments });
    const files = (await readMessage(alice, id)).attachments;
    assert.deepEqual(await contentOf(app, files[0]!.id), content);
    assert.deepEqual(await charge(), { storedBytes: content.length + 5, reservedBytes: 0 });
    assert.equal((await storedBlobs(app)).length, known.length + 2);
  });
});
