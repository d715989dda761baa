import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { problem } from '#contract/problems.ts';
import { StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { onEachEngine, startTestApp } from '#test/kit/app.ts';
import { assertRefused } from '#test/kit/client.ts';
import { crc32Of, samples, sha256Of, someBytes } from '#test/kit/content.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { chargeOf, contentOf, fileRows, storedBlobs } from '#test/kit/inside.ts';
import { ask, basic, chunked, dial, head } from '#test/kit/raw-http.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { watchUploads } from '#test/kit/watched-uploads.ts';
import { wireForm } from '../kit/wire-form.ts';

const routes: EndpointName[] = ['uploadForLink', 'uploadForMessage', 'uploadLegacy', 'uploadLegacyJson'];
const path = '/link/attachments/upload';
const megabyte = 1024 * 1024;

onEachEngine('Uploading a file', (start) => {
  const vault = watchUploads();
  const app = useApp(start, { wrapVault: vault.wrap, canRunOutside: true });
  const alice = usePerson(app, 'alice');

  /** Uploads under a name written unchanged into the query; returns the stored name or the refusal's code. */
  async function storedName(rawName: string): Promise<string> {
    const reply = await alice.fetch(`${path}?filename=${rawName}`, { method: 'POST', body: 'x' });
    if (reply.status === 422) return wireForm(problem, reply.body).code;
    return wireForm(attachmentAnswer, reply.body).attachment.filename;
  }

  async function storedType(name: string, bytes: Uint8Array<ArrayBuffer>, header: string | null, parameter?: string) {
    const reply = await ask(
      app.url,
      `POST ${path}?filename=${name}${parameter === undefined ? '' : `&content_type=${parameter}`}`,
      [basic(alice.key), `Content-Length: ${bytes.length}`, ...(header === null ? [] : [`Content-Type: ${header}`])],
      bytes,
    );
    return wireForm(attachmentAnswer, reply.body).attachment.content_type;
  }

  test('is refused with 401 without a key, on every upload route', async () => {
    for (const route of routes)
      await app.anonymous.refused(401, 'credentials.invalid', route, { query: { filename: 'a.txt' }, bytes: 'x' });
  });

  test('is refused without a file name', async () => {
    for (const query of [{}, { filename: '' }, { name: '' }] as Record<string, string>[])
      await alice.refused(422, 'attachment.no_filename', 'uploadForLink', { query, bytes: 'x' });
  });

  test('is refused with a name with broken escapes, or not in UTF-8', async () => {
    for (const name of ['%zz.txt', '%ff.txt', '%e2%82.txt', 'a%', '%C0%AF', '%ed%a0%80'])
      assert.equal(await storedName(name), 'attachment.bad_filename', name);
  });

  test('is refused with a name of more than 4096 characters', async () => {
    await alice.refused(422, 'request.invalid', 'uploadForLink', { query: { filename: 'n'.repeat(4097) }, bytes: 'x' });
  });

  test('is refused for a blocked extension in any case, and only as the last one', async () => {
    for (const filename of ['virus.exe', 'VIRUS.EXE', 'letter.txt.ExE', '.exe', 'a.exe ', 'a.exe.', 'dir/a.exe'])
      await alice.refused(422, 'attachment.extension_not_permitted', 'uploadForLink', {
        query: { filename },
        bytes: 'x',
      });
    for (const filename of ['virus.exe.zip', 'exe', 'a.executable'])
      await alice.expect(200, 'uploadForLink', { query: { filename }, bytes: 'x' });
  });

  test('is refused for all but permitted extensions if a list permits them, also without extension', async () => {
    const group = await app.group('Only pictures', { permitted_extensions: 'PNG, .jpg' });
    const painter = await app.person('painter', { group });
    for (const filename of ['a.gif', 'png', 'a.png.txt', 'a.'])
      await painter.refused(422, 'attachment.extension_not_permitted', 'uploadForLink', {
        query: { filename },
        bytes: 'x',
      });
    for (const filename of ['a.png', 'b.JPG']) await painter.upload(filename, 'x');
  });

  test('is refused with 422 to users who may use neither links nor messages', async () => {
    const query = { filename: 'a.txt' };
    const neither = await app.person('neither', {
      group: await app.group('Neither', { can_use_filelinks: false, can_use_messages: false }),
    });
    const messages = await app.person('messages', { group: await app.group('M', { can_use_filelinks: false }) });
    const links = await app.person('links', { group: await app.group('L', { can_use_messages: false }) });
    for (const route of routes) await neither.refused(422, 'attachment.not_permitted', route, { query, bytes: 'x' });
    await messages.refused(422, 'attachment.not_permitted', 'uploadForLink', { query, bytes: 'x' });
    await messages.expect(200, 'uploadForMessage', { query, bytes: 'x' });
    await links.expect(200, 'uploadForLink', { query, bytes: 'x' });
    await links.expect(200, 'uploadForMessage', { query, bytes: 'x' });
  });

  test('is refused with 507 by a full store and with 503 by a failing one, before the body and in the middle of it', async () => {
    const before = await fileRows(app);
    const refused = (status: number, code: string) =>
      alice.refused(status, code, 'uploadForLink', { query: { filename: 'a.txt' }, bytes: someBytes(300_000) });
    try {
      for (const [state, status, code] of [
        ['no_uploads', 507, 'storage.full'],
        ['read_only', 503, 'storage.unavailable'],
        ['unreachable', 503, 'storage.unavailable'],
      ] as const) {
        vault.state = state;
        await refused(status, code);
        const form = new FormData();
        form.append('Filedata', new Blob(['x']), 'a.txt');
        assertRefused(await alice.fetch('/attachments', { method: 'POST', body: form }), status, code);
      }
      vault.state = null;
      vault.fault = new StoreFull();
      await refused(507, 'storage.full');
      vault.fault = new StoreUnavailable('a test says so');
      const reply = await refused(503, 'server.unavailable');
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
      assert.doesNotMatch(reply.text, /a test says so/);
    } finally {
      vault.state = null;
      vault.fault = null;
    }
    assert.deepEqual(await fileRows(app), before);
    await alice.upload('after.txt', 'x');
  });

  test('is refused before 100 Continue', async () => {
    const expecting = ['Expect: 100-continue', 'Content-Length: 50000000'];
    const wrong = await ask(app.url, `POST ${path}?filename=a.txt`, [basic('wrong'), ...expecting]);
    assert.equal(wrong.status, 401);
    const blocked = await ask(app.url, `POST ${path}?filename=a.exe`, [basic(alice.key), ...expecting]);
    assert.equal(blocked.status, 422);
    assert.equal(wireForm(problem, blocked.body).code, 'attachment.extension_not_permitted');
  });

  test('answers a wrong key with a large body with a 401 that can be read', async () => {
    const body = someBytes(4 * megabyte);
    const line = await dial(app.url);
    await line.write(head(app.url, `POST ${path}?filename=a.bin`, [basic('wrong'), `Content-Length: ${body.length}`]));
    // Writes without reading, like a client that reads the answer only at the end.
    void line.write(body);
    const reply = await line.reply();
    assert.equal(reply.status, 401);
    problem.strict().parse(reply.body);
    line.cut();
  });

  test('leaves no row, no bytes and no charge of a client that disconnects in the middle', async () => {
    const before = {
      rows: await fileRows(app),
      blobs: await storedBlobs(app),
      charge: await chargeOf(app, alice.email),
    };
    for (const framing of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
      const line = await dial(app.url);
      await line.write(head(app.url, `POST ${path}?filename=half.bin`, [basic(alice.key), framing]));
      const half = someBytes(400_000);
      await line.write(framing.startsWith('C') ? half : chunked(half).subarray(0, 300_000));
      await vault.receiving(1);
      line.cut();
      await vault.idle();
    }
    // Answered after the cut uploads were ended, on the same database.
    await alice.expect(200, 'listAttachments');
    assert.deepEqual(await fileRows(app), before.rows);
    assert.deepEqual(await storedBlobs(app), before.blobs);
    assert.deepEqual(await chargeOf(app, alice.email), before.charge);
    assert.equal(await app.app.ctx.blobs.removeUnfinished(Date.now() + 60_000, async () => false), 0);
  });

  test('stores a name without misleading characters', async () => {
    const table: [string, string][] = [
      ['report.pdf', 'report.pdf'],
      ['a+b%2Bc.txt', 'a b+c.txt'],
      ['..%2F..%2Fetc%2Fpasswd', 'passwd'],
      ['C%3A%5CUsers%5Cme%5Cplan.txt', 'plan.txt'],
      ['dir%2F', 'file'],
      ['nul%00byte.txt', 'nulbyte.txt'],
      ['line%0d%0abreak.txt', 'linebreak.txt'],
      ['invoice%E2%80%AEfdp.txt', 'invoicefdp.txt'],
      ['zero%E2%80%8Bwidth.txt', 'zerowidth.txt'],
      ['con', '_con'],
      ['NUL.txt', '_NUL.txt'],
      ['notes.txt%3Ahidden.js', 'notes.txt'],
      ['ends.txt...%20', 'ends.txt'],
      ['...', 'file'],
      ['%E2%82%AC.txt', '€.txt'],
      ['e%CC%81.txt', 'é.txt'],
      ['%252e.txt', '%2e.txt'],
      [`${'%C3%A4'.repeat(150)}.txt`, `${'ä'.repeat(125)}.txt`],
    ];
    for (const [sent, stored] of table) assert.equal(await storedName(sent), stored, sent);
  });

  test('accepts the parameter "name" instead of "filename", which comes first', async () => {
    for (const [query, filename] of [
      [{ name: 'old.txt' }, 'old.txt'],
      [{ name: 'old.txt', filename: 'new.txt' }, 'new.txt'],
    ] as const) {
      const { body } = await alice.expect(200, 'uploadLegacy', { query, bytes: 'x' });
      assert.equal(wireForm(attachmentAnswer, body).attachment.filename, filename);
    }
  });

  test('takes the content type from the header, else from the parameter, else from the bytes', async () => {
    assert.equal(await storedType('a.bin', samples.png, 'Text/CSV; charset=utf-8', 'image/gif'), 'text/csv');
    assert.equal(await storedType('a.bin', samples.png, null, 'image/gif'), 'image/gif');
    assert.equal(await storedType('a.bin', samples.png, null, 'not%20a%20type'), 'image/png');
    const found = { png: 'image/png', pdf: 'application/pdf', txt: 'text/plain', zip: 'application/zip' } as const;
    for (const kind of ['png', 'pdf', 'txt', 'zip'] as const)
      assert.equal(await storedType('a', samples[kind], null), found[kind]);
    assert.equal(await storedType('a.bin', new Uint8Array(), null), 'application/octet-stream');
  });

  test('ignores JSON and form types, and never parses the bytes', async () => {
    for (const header of [
      'application/json',
      'application/json; charset=utf-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/octet-stream',
    ])
      assert.equal(await storedType('a', samples.pdf, header), 'application/pdf', header);
    assert.equal(await storedType('a', samples.pdf, 'application/json', 'image/gif'), 'image/gif');
    const broken = new TextEncoder().encode('{"not": json');
    const file = await alice.upload('a.json', broken, 'uploadForLink', { 'content-type': 'application/json' });
    assert.deepEqual(await contentOf(app, file.id), Buffer.from(broken));
  });

  test('returns everything about the file, and its checksums are those of the bytes', async () => {
    const bytes = someBytes(200_001);
    const file = await alice.upload('Großer Plan.bin', bytes, 'uploadForMessage', { 'content-type': 'image/x-plan' });
    assert.deepEqual(file, {
      id: file.id,
      filename: 'Großer Plan.bin',
      size: 200_001,
      size_human: '195 KB',
      content_type: 'image/x-plan',
      checksum: sha256Of(bytes),
      crc32: crc32Of(bytes),
      assembled: true,
      virus_scan_required: false,
      virus_scanned: false,
      virus_scanned_at: null,
      actionscript: null,
      actionscript_scanned: false,
      actionscript_scanned_at: null,
      content_blocked: false,
      content_blocked_message: null,
      processed: true,
      processed_at: new Date(app.clock.now()).toISOString(),
      available: true,
      expires_at: '2026-11-18',
      created_at: new Date(app.clock.now()).toISOString(),
      messages: [],
      filelinks: [],
    });
    assert.deepEqual(await contentOf(app, file.id), Buffer.from(bytes));
  });

  test('accepts an empty file', async () => {
    const file = await alice.upload('empty.txt', '');
    assert.equal(file.size, 0);
    assert.equal(file.checksum, sha256Of(''));
    assert.equal(file.crc32, '00000000');
  });

  test('stores a body without Content-Length completely', async () => {
    const bytes = someBytes(150_000, 7);
    const reply = await ask(
      app.url,
      `POST ${path}?filename=a.bin`,
      [basic(alice.key), 'Transfer-Encoding: chunked'],
      chunked(bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)),
    );
    assert.equal(wireForm(attachmentAnswer, reply.body).attachment.checksum, sha256Of(bytes));
  });

  test('sends 100 Continue to a client that waits for it', async () => {
    const line = await dial(app.url);
    await line.write(
      head(app.url, `POST ${path}?filename=a.txt`, [basic(alice.key), 'Expect: 100-continue', 'Content-Length: 5']),
    );
    assert.equal((await line.reply()).status, 100);
    await line.write('hello');
    const reply = await line.reply();
    assert.equal(reply.status, 200);
    assert.equal(wireForm(attachmentAnswer, reply.body).attachment.checksum, sha256Of('hello'));
    line.cut();
  });

  test('accepts the absolute form of the address', async () => {
    const reply = await ask(
      app.url,
      `POST ${app.url}${path}?filename=absolute.txt`,
      [basic(alice.key), 'Content-Length: 5'],
      'hello',
    );
    assert.equal(wireForm(attachmentAnswer, reply.body).attachment.filename, 'absolute.txt');
  });

  test('creates a file on every route that a link can use', async () => {
    for (const route of routes) {
      const file = await alice.upload('any.txt', 'x', route);
      await alice.expect(200, 'createFileLink', { body: { link: { attachment: file.id } } });
    }
  });
});

test('is refused with 507 on a disk with too little space, and the log says why, with the request', async (context) => {
  const app = await startTestApp(sqliteAndDisk, { environment: { WAYBILL_MIN_FREE_SPACE: '1000TiB' } });
  try {
    const alice = await app.person('alice');
    const log = context.mock.method(app.app.ctx.log, 'warn');
    const query = { filename: 'a.txt' };
    const reply = await alice.refused(507, 'storage.full', 'uploadForLink', { query, bytes: 'x' });
    assert.deepEqual(await fileRows(app), { attachments: 0, parts: 0 });
    const [facts] = log.mock.calls[0]!.arguments as [{ requestId: string; err: string }, string];
    assert.equal(facts.requestId, (reply.body as { request_id: string }).request_id);
    assert.match(facts.err, /the store is full: \d+ bytes are free in .+, and WAYBILL_MIN_FREE_SPACE is \d+ bytes$/);
  } finally {
    await app.close();
  }
});
