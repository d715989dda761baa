import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { type attachment, attachmentAnswer } from '#contract/attachments.ts';
import { problem } from '#contract/problems.ts';
import { onEachEngine, testOnce } from '#test/kit/app.ts';
import { assertRefused, type Reply } from '#test/kit/client.ts';
import { cutInto, samples, sha256Of, someBytes } from '#test/kit/content.ts';
import { contentOf, fileRows, storedBlobs } from '#test/kit/inside.ts';
import { ask, basic, chunked, dial, head, type RawReply } from '#test/kit/raw-http.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { watchUploads } from '#test/kit/watched-uploads.ts';
import { wireForm } from '../kit/wire-form.ts';

type Bytes = Uint8Array<ArrayBuffer>;
const mostBytes = 100 * 1024;
const formType = 'Content-Type: multipart/form-data; boundary=XX';

function part(disposition: string, content: string | Uint8Array, type?: string): Buffer {
  const lines = [`--XX`, `Content-Disposition: form-data; ${disposition}`];
  if (type !== undefined) lines.push(`Content-Type: ${type}`);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes, Buffer.from('\r\n')]);
}
const end = Buffer.from('--XX--\r\n');

onEachEngine('Uploading by form', (start) => {
  const vault = watchUploads();
  const app = useApp(start, {
    wrapVault: vault.wrap,
    canRunOutside: true,
    environment: { WAYBILL_FORM_UPLOAD_MAX: '100KiB' },
  });
  const alice = usePerson(app, 'alice');

  function post(file: Bytes | string, fields: Record<string, string> = {}, accept = '*/*', query = ''): Promise<Reply> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('Filedata', new Blob([file]), 'from-form.bin');
    return alice.fetch(`/attachments${query}`, { method: 'POST', body: form, headers: { accept } });
  }

  async function postJson(...args: Parameters<typeof post>): Promise<z.input<typeof attachment>> {
    const [file, fields, , query] = args;
    const reply = await post(file, fields, 'application/json', query);
    assert.equal(reply.status, 200, reply.text);
    return wireForm(attachmentAnswer.strict(), reply.body).attachment;
  }

  function postRaw(body: Buffer, headers: string[] = []): Promise<RawReply> {
    const all = [basic(alice.key), formType, `Content-Length: ${body.length}`, ...headers];
    return ask(app.url, 'POST /attachments', all, body);
  }

  /** Refused with this code, and nothing is stored. */
  async function refused(status: number, code: string, send: () => Promise<Reply | RawReply>): Promise<void> {
    const [rows, blobs] = [await fileRows(app), await storedBlobs(app)];
    const reply = assertRefused(await send(), status, code);
    problem.strict().parse(reply.body);
    await vault.idle();
    assert.deepEqual(await fileRows(app), rows);
    assert.deepEqual(await storedBlobs(app), blobs);
    assert.equal(await app.app.ctx.blobs.removeUnfinished(Date.now() + 60_000, async () => false), 0);
  }

  testOnce('is refused with 401 without a key', async () => {
    const form = new FormData();
    form.append('Filedata', new Blob(['x']), 'a.txt');
    await app.anonymous.refused(401, 'credentials.invalid', 'uploadForm', { bytes: form });
  });

  testOnce('refuses a body that is no form', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'multipart/mixed; boundary=XX'])
      await refused(422, 'request.bad_form', () =>
        ask(app.url, 'POST /attachments', [basic(alice.key), `Content-Type: ${type}`, 'Content-Length: 2'], '{}'),
      );
    await refused(422, 'request.bad_form', () =>
      ask(app.url, 'POST /attachments', [basic(alice.key), 'Content-Length: 0']),
    );
  });

  testOnce('refuses a form without the field Filedata', async () => {
    for (const body of [
      Buffer.concat([part('name="name"', 'a.txt'), end]),
      Buffer.concat([part('name="Otherdata"; filename="a.txt"', 'x'), end]),
      Buffer.concat([part('name="Filedata"', 'not a file'), end]),
      end,
    ])
      await refused(422, 'attachment.no_file', () => postRaw(body));
  });

  test('refuses a truncated form, wherever it breaks', async () => {
    const whole = Buffer.concat([
      part('name="name"', 'a.txt'),
      part('name="Filedata"; filename="a.txt"', someBytes(50_000)),
      end,
    ]);
    for (const length of [10, 60, 150, 200, 30_000, whole.length - end.length, whole.length - 4])
      await refused(422, 'request.bad_form', () => postRaw(whole.subarray(0, length)));
  });

  test('refuses invalid chunk numbers', async () => {
    for (const fields of [
      { chunks: '2', chunk: '2' },
      { name: 'a.bin', chunks: '2', chunk: '2' },
      { chunks: '1e3', chunk: '0' },
      { chunk: '0' },
      { chunks: '2' },
    ])
      await refused(422, 'upload.bad_pieces', () => post('x', fields as unknown as Record<string, string>));
  });

  testOnce('refuses a blocked extension', async () => {
    await refused(422, 'attachment.extension_not_permitted', () => post(someBytes(90_000), { name: 'a.exe' }));
  });

  testOnce('accepts a larger form from a program than from people without script, announced or not', async () => {
    const bytes = someBytes(3 * mostBytes);
    assert.equal((await postJson(bytes)).size, bytes.length);
    const body = chunked(part('name="Filedata"; filename="a.bin"', bytes), end);
    const headers = [basic(alice.key), formType, 'Transfer-Encoding: chunked'];
    const reply = await ask(app.url, 'POST /attachments', headers, body);
    assert.deepEqual(await contentOf(app, reply.text), Buffer.from(bytes));
  });

  /** As the first command line sends it: the file, then its fields. */
  function postFileFirst(file: Uint8Array, fields: Record<string, string>): Promise<RawReply> {
    const after = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value));
    return postRaw(Buffer.concat([part('name="Filedata"; filename="local.tmp"', file), ...after, end]));
  }

  test('reads fields after the file, and joins the chunks in whatever order they come', async () => {
    const bytes = someBytes(200_000, 5);
    const chunks = cutInto(bytes, 3);
    const blobs = (await storedBlobs(app)).length;
    for (const chunk of [2, 0]) {
      const reply = await postFileFirst(chunks[chunk]!, { name: 'late.bin', chunk: String(chunk), chunks: '3' });
      assert.deepEqual([reply.status, reply.text], [200, '']);
    }
    const last = await postFileFirst(chunks[1]!, { chunks: '3', chunk: '1', name: 'late.bin' });
    assert.match(last.text, /^[A-Za-z0-9]{22}$/);
    assert.deepEqual(await contentOf(app, last.text), Buffer.from(bytes));
    const { body } = await alice.expect(200, 'listAttachments');
    const named = (body as { attachments: { filename: string }[] }).attachments.filter(
      ({ filename }) => filename === 'late.bin' || filename === 'local.tmp',
    );
    assert.equal(named.length, 1);
    await vault.idle();
    assert.equal((await storedBlobs(app)).length, blobs + 3);
  });

  test('reserves storage once for a chunk whose number follows it', async () => {
    const group = await app.group('One megabyte', { storage_quota: 1 });
    const narrow = await app.person('narrow', { group });
    const after = Object.entries({ name: 'late.bin', chunk: '0', chunks: '2' });
    const fields = after.map(([name, value]) => part(`name="${name}"`, value));
    const body = Buffer.concat([part('name="Filedata"; filename="local.tmp"', someBytes(700_000, 6)), ...fields, end]);
    const headers = [basic(narrow.key), formType, `Content-Length: ${body.length}`];
    const reply = await ask(app.url, 'POST /attachments', headers, body);
    assert.deepEqual([reply.status, reply.text], [200, '']);
  });

  test('applies a name after the file, and stores nothing if it is refused', async () => {
    const reply = await postFileFirst(someBytes(10), { name: 'after.txt' });
    assert.equal(
      (await app.app.ctx.db.read.selectFrom('attachments').select('id').where('id', '=', reply.text).execute()).length,
      1,
    );
    await refused(422, 'attachment.extension_not_permitted', () => postFileFirst(someBytes(10), { name: 'a.exe' }));
    for (const fields of [
      { name: 'a.bin', chunk: '3', chunks: '3' },
      { name: 'a.bin', chunk: '0' },
    ])
      await refused(422, 'upload.bad_pieces', () =>
        postFileFirst(someBytes(10), fields as unknown as Record<string, string>),
      );
  });

  testOnce('stores nothing of a client that disconnects in the middle', async () => {
    const [rows, blobs] = [await fileRows(app), await storedBlobs(app)];
    const line = await dial(app.url);
    await line.write(head(app.url, 'POST /attachments', [basic(alice.key), formType, 'Content-Length: 90000']));
    await line.write(part('name="Filedata"; filename="a.bin"', someBytes(40_000)).subarray(0, 30_000));
    await vault.receiving(1);
    line.cut();
    await vault.idle();
    assert.deepEqual(await fileRows(app), rows);
    assert.deepEqual(await storedBlobs(app), blobs);
    assert.equal(await app.app.ctx.blobs.removeUnfinished(Date.now() + 60_000, async () => false), 0);
  });

  testOnce('returns the bare id as text, and JSON on request', async () => {
    const bytes = someBytes(70_000);
    const text = await post(bytes);
    assert.equal(text.status, 200);
    assert.match(text.text, /^[A-Za-z0-9]{22}$/);
    assert.match(text.headers.get('content-type')!, /^text\/plain/);
    assert.equal(text.headers.get('upload-id'), text.text);
    assert.deepEqual(await contentOf(app, text.text), Buffer.from(bytes));
    const json = await postJson(bytes);
    assert.equal(json.checksum, sha256Of(bytes));
    assert.equal(json.filename, 'from-form.bin');
    await alice.expect(200, 'createFileLink', { body: { link: { attachment: text.text } } });
  });

  testOnce('takes the name from the field "name", else from the query, else from the file, and cleans it', async () => {
    assert.equal((await postJson('x', { name: '../up/a b.txt' }, '', '?filename=q.txt')).filename, 'a b.txt');
    assert.equal((await postJson('x', {}, '', '?filename=q.txt')).filename, 'q.txt');
    assert.equal((await postJson('x', {}, '', '?name=n.txt')).filename, 'n.txt');
    const raw = await postRaw(
      Buffer.concat([part('name="Filedata"; filename="C:\\dir\\caf\u00e9.txt"', 'x', 'text/plain'), end]),
      ['Accept: application/json'],
    );
    assert.equal(wireForm(attachmentAnswer, raw.body).attachment.filename, 'caf\u00e9.txt');
  });

  test('takes the type from the part, else detects it from the bytes', async () => {
    const typed = (type: string) =>
      postRaw(Buffer.concat([part('name="Filedata"; filename="a"', samples.png, type), end]), [
        'Accept: application/json',
      ]);
    for (const [said, stored] of [
      ['image/x-plan', 'image/x-plan'],
      ['application/octet-stream', 'image/png'],
    ] as const)
      assert.equal(wireForm(attachmentAnswer, (await typed(said)).body).attachment.content_type, stored);
  });

  test('accepts an empty file, and ignores what follows it in the form', async () => {
    const reply = await postRaw(
      Buffer.concat([
        part('name="Filedata"; filename="empty.txt"', '', 'text/plain'),
        part('name="later"', 'x'),
        part('name="Filedata"; filename="second.txt"', 'y'),
        end,
      ]),
    );
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await contentOf(app, reply.text), Buffer.alloc(0));
  });

  test('returns an empty answer for a chunk that does not complete the file, and the id for the last one', async () => {
    const bytes = someBytes(150_000, 3);
    const chunks = cutInto(bytes, 3);
    for (const accept of ['*/*', 'application/json']) {
      const name = `chunks-${accept.length}.bin`;
      for (const chunk of ['0', '2']) {
        const reply = await post(chunks[Number(chunk)]!, { name, chunk, chunks: '3' }, accept);
        assert.equal(reply.status, 200);
        assert.equal(reply.text, '');
        assert.match(reply.headers.get('upload-id')!, /^[A-Za-z0-9]{22}$/);
      }
      const last = await post(chunks[1]!, { name, chunk: '1', chunks: '3' }, accept);
      const id = accept === '*/*' ? last.text : wireForm(attachmentAnswer, last.body).attachment.id;
      assert.equal(last.headers.get('upload-id'), id);
      assert.deepEqual(await contentOf(app, id), Buffer.from(bytes));
    }
  });

  test('joins chunks by form and raw chunks in one upload', async () => {
    const chunks = cutInto(someBytes(1000, 4), 2);
    assert.equal((await post(chunks[0]!, { name: 'both.bin', chunk: '0', chunks: '2' })).text, '');
    const { body } = await alice.expect(200, 'uploadForMessage', {
      query: { filename: 'both.bin', chunk: '1', chunks: '2' },
      bytes: chunks[1]!,
    });
    assert.equal(wireForm(attachmentAnswer, body).attachment.checksum, sha256Of(Buffer.concat(chunks)));
  });
});
