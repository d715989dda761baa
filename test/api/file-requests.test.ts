import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { inboxAnswer } from '#contract/messages.ts';
import { answerRequest } from '#server/actions/submissions/submissions.ts';
import { findFileRequest } from '#server/db/file-requests/file-requests.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { cutInto, sha256Of, someBytes } from '#test/kit/content.ts';
import { attachmentRow, chargeOf, storedBlobs } from '#test/kit/inside.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import {
  browserOf,
  browserProving,
  fileUrlOf,
  newPerson,
  readMessage,
  sendMessage,
  tracesOf,
} from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const ben = 'ben@harbour.example';
const day = 86_400_000;

onEachDatabase('File Requests', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  async function ask(more: Record<string, unknown> = {}, client = alice) {
    const request = {
      recipient: ben,
      subject: 'Your drawings',
      message: 'Please send them.',
      send_email: false,
      ...more,
    };
    const { body } = await client.expect(200, 'createFileRequest', { body: { request } });
    return wireForm(fileRequestAnswer, body).request;
  }

  const refused = async (client: ApiClient, code: string, ...requests: Record<string, unknown>[]) => {
    const before = await tracesOf(app);
    const { rows } = await countRequests();
    for (const request of requests) await client.refused(422, code, 'createFileRequest', { body: { request } });
    assert.deepEqual(await tracesOf(app), before);
    assert.equal((await countRequests()).rows, rows);
  };
  const countRequests = () =>
    app.app.ctx.db.read
      .selectFrom('file_requests')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();

  async function handIn(
    id: string,
    name = 'plan.txt',
    bytes: Uint8Array<ArrayBuffer> | string = 'the plan',
  ): Promise<string> {
    const reply = await app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: { filename: name },
      bytes,
    });
    return wireForm(attachmentAnswer, reply.body).attachment.id;
  }

  const submit = (id: string, files: string[], note = ''): Promise<PageReply> =>
    new Browser(app.url).send(`/requests/${id}`, [
      ['note', note],
      ...files.map((file): [string, string] => ['attachments', file]),
    ]);

  /** The reference of the created message, from the page of the delivery; null for every other page. */
  const referenceOf = (reply: PageReply): string | null =>
    reply.status === 200 ? (/>([A-Za-z0-9]{22})<\/code>/.exec(reply.text)?.[1] ?? null) : null;
  const isDelivered = (reply: PageReply) => referenceOf(reply) !== null;
  const messageOf = (reply: PageReply, client = alice) => readMessage(client, referenceOf(reply)!);

  async function inbox(client: ApiClient) {
    return wireForm(inboxAnswer, (await client.expect(200, 'listInbox')).body).messages;
  }

  test('an answer counts as confirmed only when its address was proven, which the link alone does not do', async () => {
    const password = 'grey otters under a paper moon';
    await newPerson(app, 'cora', { password });
    const answer = async (browser: Browser, recipient: string) => {
      const { id } = await ask({ recipient });
      const reply = await browser.send(`/requests/${id}`, [['attachments', await handIn(id)]]);
      const row = await app.app.ctx.db.read
        .selectFrom('messages')
        .select('is_sender_confirmed')
        .where('id', '=', referenceOf(reply)!)
        .executeTakeFirstOrThrow();
      return row.is_sender_confirmed === 1;
    };
    assert.equal(await answer(new Browser(app.url), ben), false);
    assert.equal(await answer(await browserProving(app, 'dora@harbour.example'), ben), false);
    assert.equal(await answer(await browserProving(app, 'dora@harbour.example', ben), ben), true);
    assert.equal(await answer(await browserOf(app, 'cora@example.com', password), 'cora@example.com'), true);
    assert.equal(await answer(await browserOf(app, 'cora@example.com', password), ben), false);
  });

  testOnce('without a key, or in a group that cannot ask, a request is refused', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'createFileRequest', {
      body: { request: { recipient: ben } },
    });
    const group = await app.group('No requests', { can_use_file_requests: false });
    await refused(await newPerson(app, 'mute', { group }), 'request.not_permitted', { recipient: ben });
  });

  testOnce('a request without a recipient, or with more than one plain address, is refused', async () => {
    await refused(alice, 'request.invalid', {}, { recipient: null }, { recipient: [ben] }, { recipient: 7 });
    const hostile = ['', 'ben', 'Ben <ben@harbour.example>', `${ben}, eve@quay.example`, `${ben}\r\nBcc: x@y.example`];
    await refused(alice, 'user.bad_email', ...hostile.map((recipient) => ({ recipient })));
  });

  test('hostile subjects and texts, wrong dates and locked settings are refused', async () => {
    const subjects = ['a\r\nBcc: x@y.example', 'a\u0001'];
    await refused(alice, 'message.bad_subject', ...subjects.map((subject) => ({ recipient: ben, subject })));
    await refused(alice, 'message.subject_too_long', { recipient: ben, subject: 'é'.repeat(500) });
    await refused(alice, 'message.bad_body', { recipient: ben, message: 'a\u0001' });
    await refused(alice, 'request.bad_json', { recipient: `${ben}\0` }, { recipient: ben, subject: '\0' });
    await refused(alice, 'request.expiry_past', { recipient: ben, expires_at: '2026-11-15' });
    await refused(alice, 'request.bad_date', { recipient: ben, expires_at: '2026-02-30' });
    await refused(alice, 'request.expiry_too_late', { recipient: ben, expires_at: '2099-01-01' });
    await refused(alice, 'request.invalid', { recipient: ben, multiuse: 'often' });
    const group = await app.group('Single use', { file_request_multiuse_can_change: false });
    const single = await newPerson(app, 'single', { group });
    await refused(single, 'message.setting_locked', { recipient: ben, multiuse: true });
    await ask({ multiuse: false }, single);
  });

  testOnce('a NUL character is refused, the text "\\u0000" is not', async () => {
    await refused(alice, 'request.bad_json', { recipient: ben, subject: 'a\0b' });
    assert.match((await ask({ subject: 'Drawings \\u0000' })).id, /^\w{22}$/);
  });

  testOnce('a body that is no JSON is refused with 422', async () => {
    for (const [bytes, type] of [
      ['{', 'application/json'],
      ['request[recipient]=ben', 'application/x-www-form-urlencoded'],
    ] as const) {
      const reply = await alice.call('createFileRequest', { bytes, headers: { 'content-type': type } });
      assert.equal(reply.status, 422);
    }
  });

  testOnce('the answer has every field, the address ends in the id, and the defaults of the group apply', async () => {
    const reply = await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'BEN@harbour.example', subject: 'Drawings', message: 'Please' } },
    });
    const { request } = reply.body as { request: Record<string, unknown> };
    assert.deepEqual(Object.keys(request), ['id', 'url', 'expires_at', 'created_at', 'subject', 'message']);
    assert.equal(request.url, `${app.url}/requests/${request.id}`);
    assert.equal(request.expires_at, '2026-11-30');
    assert.equal(request.created_at, new Date(app.clock.now()).toISOString());
    assert.deepEqual([request.subject, request.message], ['Drawings', 'Please']);
    const few = await ask({ subject: undefined, message: undefined, expires_at: '2026-11-20', multiuse: 'true' });
    assert.deepEqual([few.expires_at, few.subject, few.message], ['2026-11-20', '', '']);
  });

  testOnce('the copy of a request leads its asker to the request, and has no link to answer it', async () => {
    const { id } = await ask({ send_email: true, bcc_myself: true, message: 'From Tuesday' });
    const mails = (await mailbox.postAbout(app, id)).map(({ kind, to }) => `${kind} ${to}`);
    assert.deepEqual(mails.toSorted(), [`file-request ${ben}`, `request-copy ${alice.email}`]);
    const { mail } = mailbox.transport.sent.findLast((one) => one.mail.to === alice.email)!;
    assert.equal(mail.subject, 'Asked: Your drawings');
    assert.ok(mail.text.includes(`See your request:\n${app.url}/app/requests/${id}`), mail.text);
    assert.match(mail.text, /You asked ben@harbour\.example for files[\s\S]*> From Tuesday/);
    assert.ok(!(mail.text + mail.html).includes(`${app.url}/requests/`), mail.text);
  });

  testOnce('mail is sent unless it is switched off, and to the sender too on request', async () => {
    const kinds = async (more: Record<string, unknown>) => {
      const { id } = await ask({ send_email: undefined, ...more });
      return (await mailbox.postAbout(app, id)).map(({ kind, to }) => `${kind} ${to}`).sort();
    };
    assert.deepEqual(await kinds({}), [`file-request ${ben}`]);
    assert.deepEqual(await kinds({ send_email: 'true', bcc_myself: 'true' }), [
      `file-request ${ben}`,
      `request-copy ${alice.email}`,
    ]);
    assert.deepEqual(await kinds({ send_email: false, bcc_myself: true }), []);
    const { id, url } = await ask({ send_email: true, subject: 'Drawings of <b>the</b> quay' });
    const [mail] = await mailbox.postAbout(app, id);
    assert.ok(mail!.text.includes(url));
    assert.doesNotMatch(mail!.html, /<b>the<\/b>/);
    assert.equal(mail!.replyTo, alice.email);
  });

  test('the same request under one Idempotency-Key is created once', async () => {
    const headers = { 'idempotency-key': 'ask-1' };
    const body = { request: { recipient: ben } };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => alice.expect(200, 'createFileRequest', { body, headers })),
    );
    const ids = replies.map((reply) => wireForm(fileRequestAnswer, reply.body).request.id);
    assert.equal(new Set(ids).size, 1);
    assert.equal((await mailbox.postAbout(app, ids[0]!)).length, 1);
    await alice.refused(422, 'idempotency.key_reused', 'createFileRequest', {
      body: { request: { recipient: 'cleo@pier.example' } },
      headers,
    });
  });

  testOnce('a request that never existed is unknown, for pages, uploads and states', async () => {
    const id = 'A'.repeat(22);
    assert.equal((await new Browser(app.url).get(`/requests/${id}`)).status, 404);
    assert.equal((await submit(id, [])).status, 404);
    const before = await storedBlobs(app);
    await app.anonymous.refused(404, 'request.not_found', 'uploadForRequest', {
      params: { id },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
    await app.anonymous.refused(404, 'request.not_found', 'getRequestUpload', { params: { id, upload: id } });
    assert.deepEqual(await storedBlobs(app), before);
  });

  test('a form from a foreign page is refused, and its files are not stored', async () => {
    const { id } = await ask();
    const file = await handIn(id);
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
      const reply = await new Browser(app.url).send(`/requests/${id}`, { attachments: file }, headers);
      assert.equal(reply.status, 403);
    }
    assert.ok(isDelivered(await submit(id, [file])));
  });

  testOnce(
    'a form without files, or with files of another upload, is refused and leaves the request open',
    async () => {
      const { id } = await ask();
      const other = await ask();
      const own = await alice.upload('ledger.txt', 'own', 'uploadForMessage');
      const foreign = await handIn(other.id);
      assert.equal((await submit(id, [])).status, 422);
      const mine = await handIn(id);
      for (const file of [own.id, foreign, 'A'.repeat(22)]) {
        const before = await tracesOf(app);
        const reply = await submit(id, [mine, file]);
        assert.equal(reply.status, 422);
        assert.doesNotMatch(reply.words, /ledger/, 'names of other files are not shown');
        assert.deepEqual(await tracesOf(app), before);
      }
      assert.ok(isDelivered(await submit(id, [mine])));
      assert.ok(isDelivered(await submit(other.id, [foreign])), 'the file of the other request is kept');
      await sendMessage(alice, { recipients: [ben], attachments: [own.id] });
    },
  );

  testOnce('refused files are named, and the others are kept for the next attempt', async () => {
    const { id } = await ask();
    const browser = new Browser(app.url);
    const first = await browser.sendFiles(`/requests/${id}`, { note: 'my note' }, [
      { name: 'good.txt', bytes: 'good' },
      { name: 'virus.exe', bytes: 'bad' },
    ]);
    assert.equal(first.status, 422);
    assert.match(
      first.words,
      /virus\.exe was not added\. \.exe files can’t be sent here\./,
      'with the same sentence as the script',
    );
    assert.match(first.text, /my note/);
    const kept = Browser.hidden(first, 'attachments');
    const message = await messageOf(await browser.send(`/requests/${id}`, { attachments: kept, note: 'my note' }));
    assert.deepEqual([message.attachments.map(({ filename }) => filename), message.message], [['good.txt'], 'my note']);
  });

  testOnce('an empty file is refused by the plain form as by the script, in the language of the reader', async () => {
    const { id } = await ask();
    const browser = new Browser(app.url);
    const files = [
      { name: 'empty.txt', bytes: '' },
      { name: 'good.txt', bytes: 'good' },
    ];
    const english = await browser.sendFiles(`/requests/${id}`, {}, files);
    assert.equal(english.status, 422);
    assert.match(english.words, /empty\.txt was not added\. It is empty\./);
    assert.equal(english.text.match(/name="attachments"/g)?.length, 1);
    await browser.submitFiles(`/requests/${id}`, {}, [{ name: 'leer.txt', bytes: '' }]);
    const german = await browser.get(`/requests/${id}`, { 'accept-language': 'de' });
    assert.match(german.words, /leer\.txt wurde nicht hinzugefügt/);
  });

  test('a note with control characters is refused with a sentence and uses up nothing', async () => {
    const { id } = await ask();
    const file = await handIn(id);
    assert.equal((await submit(id, [file], 'a\0b')).status, 422);
    const message = await messageOf(await submit(id, [file], 'line one\r\nline two'));
    assert.equal(message.message, 'line one\nline two');
  });

  testOnce('more than the owner may receive is refused', async () => {
    const group = await app.group('Small', { message_max_size: 1 });
    const small = await newPerson(app, 'small', { group });
    const { id } = await ask({}, small);
    const files = [await handIn(id, 'a.bin', someBytes(600_000, 1)), await handIn(id, 'b.bin', someBytes(600_000, 2))];
    assert.equal((await submit(id, files)).status, 422);
    assert.ok(isDelivered(await submit(id, files.slice(0, 1))));
  });

  test('opening the page changes nothing', async () => {
    const { id } = await ask();
    const before = await tracesOf(app);
    for (let count = 0; count < 3; count++) {
      const reply = await new Browser(app.url).get(`/requests/${id}`);
      assert.equal(reply.status, 200);
      assert.match(reply.text, /Your drawings/);
      await new Browser(app.url).head(`/requests/${id}`);
    }
    assert.deepEqual(await tracesOf(app), before);
  });

  testOnce('files come by a plain form, without script, and become a message to the owner only', async () => {
    const { id } = await ask({ subject: 'Plans <i>now</i>' });
    const bytes = someBytes(100_000);
    const reply = await new Browser(app.url).sendFiles(`/requests/${id}`, { note: 'Here you are.' }, [
      { name: 'Plan – Süd.bin', bytes },
      { name: 'second.txt', bytes: 'x' },
      { name: '', bytes: '' },
    ]);
    assert.ok(isDelivered(reply), reply.text.slice(0, 500));
    assert.match(reply.text, new RegExp(sha256Of(bytes)));
    const message = await messageOf(reply);
    assert.ok((await inbox(alice)).some((received) => received.id === message.id));
    assert.deepEqual(
      [
        message!.sender,
        message!.recipients,
        message!.subject,
        message!.message,
        message!.authorization,
        message!.private_message,
      ],
      [ben, [alice.email], 'Plans <i>now</i>', 'Here you are.', 3, false],
    );
    assert.deepEqual(
      message!.attachments.map(({ filename, checksum }) => [filename, checksum]),
      [
        ['Plan – Süd.bin', sha256Of(bytes)],
        ['second.txt', sha256Of('x')],
      ],
    );
    const response = await alice.fetch(await fileUrlOf(alice, message!.id));
    assert.equal(response.status, 200);
    const mails = (await mailbox.postAbout(app, message!.id)).map(({ kind, to }) => `${kind} ${to}`).sort();
    assert.deepEqual(mails, [`files-received ${alice.email}`, `uploader-receipt ${ben}`]);
  });

  testOnce('files come in chunks by script, and the state of an upload returns only the received ones', async () => {
    const { id } = await ask();
    const bytes = someBytes(90_000);
    const chunks = cutInto(bytes, 3);
    const query = (chunk: number) => ({ filename: 'pieces.bin', chunks: '3', chunk: String(chunk) });
    const first = await app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: query(2),
      bytes: chunks[2]!,
    });
    const upload = first.headers.get('upload-id')!;
    const state = await app.anonymous.expect(200, 'getRequestUpload', { params: { id, upload } });
    assert.deepEqual((state.body as { upload: { received: number[] } }).upload.received, [2]);
    const other = await ask();
    assert.equal((await app.anonymous.call('getRequestUpload', { params: { id: other.id, upload } })).status, 404);
    await app.anonymous.expect(200, 'uploadForRequest', { params: { id }, query: query(0), bytes: chunks[0]! });
    const last = await app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: query(1),
      bytes: chunks[1]!,
    });
    const file = wireForm(attachmentAnswer, last.body).attachment;
    assert.equal(file.checksum, sha256Of(bytes));
    assert.equal((await messageOf(await submit(id, [file.id]))).attachments[0]!.checksum, sha256Of(bytes));
  });

  testOnce(
    'visitors who hand files in can read nothing back, and the owner has them only after the delivery',
    async () => {
      const { id } = await ask();
      const file = await handIn(id, 'secret.txt');
      const listed = await alice.expect(200, 'listAttachments');
      assert.ok(!listed.text.includes(file));
      await alice.refused(422, 'link.attachment_unknown', 'createFileLink', { body: { link: { attachment: file } } });
      for (const path of [
        `/requests/${id}/attachments/${file}`,
        `/attachments/${file}`,
        `/requests/${id}/${file}`,
        `/dl/${file}/secret.txt`,
      ]) {
        const reply = await app.anonymous.fetch(path, { headers: { accept: 'application/json' } });
        assert.ok(reply.status >= 400, path);
      }
      assert.doesNotMatch((await new Browser(app.url).get(`/requests/${id}`)).words, /secret/);
      const { id: messageId } = await messageOf(await submit(id, [file]));
      const visit = await new Browser(app.url).get(`/message/${messageId}`);
      assert.doesNotMatch(visit.words, /secret/);
      assert.equal((await app.anonymous.fetch(await fileUrlOf(alice, messageId))).status, 401);
    },
  );

  test('a request for one use closes with its answer: page, form and uploads', async () => {
    const { id } = await ask();
    assert.ok(isDelivered(await submit(id, [await handIn(id)])));
    assert.equal((await new Browser(app.url).get(`/requests/${id}`)).status, 410);
    assert.equal((await submit(id, ['A'.repeat(22)])).status, 410);
    const late = await new Browser(app.url).sendFiles(`/requests/${id}`, {}, [{ name: 'a.txt', bytes: 'x' }]);
    assert.equal(late.status, 410);
    const before = await storedBlobs(app);
    await app.anonymous.refused(410, 'request.closed', 'uploadForRequest', {
      params: { id },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
    assert.deepEqual(await storedBlobs(app), before);
  });

  test('of 20 concurrent answers to one request one is delivered, and the files of the others are erased', async () => {
    const { id } = await ask();
    const files: string[] = [];
    for (let number = 0; number < 20; number++) files.push(await handIn(id, `${number}.txt`, `answer ${number}`));
    const before = (await inbox(alice)).length;
    const replies = await Promise.all(files.map((file) => submit(id, [file])));
    assert.equal(replies.filter(isDelivered).length, 1);
    assert.equal(replies.filter(({ status }) => status === 410).length, 19);
    assert.equal((await inbox(alice)).length, before + 1);
    const winner = files[replies.findIndex(isDelivered)]!;
    for (const file of files) {
      const row = await attachmentRow(app, file);
      assert.deepEqual([row.state, row.reference_count], file === winner ? ['ready', 1] : ['erased', 0], file);
    }
    assert.equal((await mailbox.postAbout(app, referenceOf(replies.find(isDelivered)!)!)).length, 2);
  });

  test('of concurrent forms with files one is delivered, and nothing of the others is stored', async () => {
    const { id } = await ask();
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        new Browser(app.url).sendFiles(`/requests/${id}`, {}, [
          { name: `${number}.bin`, bytes: someBytes(100_000, number + 1) },
          { name: 'more.txt', bytes: 'x' },
        ]),
      ),
    );
    assert.equal(replies.filter(isDelivered).length, 1);
    const left = await app.app.ctx.db.read
      .selectFrom('attachments')
      .select('id')
      .where('source', '=', `request:${id}`)
      .where('state', '<>', 'erased')
      .execute();
    assert.deepEqual(left, []);
  });

  test('concurrent forms with the same file deliver it once, and all lead to the same receipt', async () => {
    const { id } = await ask({ multiuse: true });
    const file = await handIn(id);
    const replies = await Promise.all(Array.from({ length: 10 }, () => submit(id, [file])));
    assert.equal(new Set(replies.map(referenceOf)).size, 1);
    assert.ok(isDelivered(replies[0]!));
    assert.equal(
      (await inbox(alice)).filter(({ attachments }) => attachments.some((one) => one.id === file)).length,
      1,
    );
    assert.equal((await attachmentRow(app, file)).reference_count, 1);
  });

  testOnce('a refused answer keeps the uploaded files, so that the next one can deliver them', async () => {
    const { id } = await ask();
    const file = await handIn(id);
    assert.ok(!isDelivered(await submit(id, [file, 'A'.repeat(22)])));
    assert.equal((await attachmentRow(app, file)).state, 'ready');
    assert.ok(isDelivered(await submit(id, [file])));
  });

  test('a file that arrived after another answer closed the request is erased when its own answer is refused', async () => {
    const { ctx } = app.app;
    const { id } = await ask();
    const asSeen = (await findFileRequest(ctx.db.read, id))!;
    assert.ok(isDelivered(await submit(id, [await handIn(id)])));
    // Its bytes were being uploaded when the request was closed.
    const { id: late } = await alice.upload('late.txt', 'too late');
    const source = `request:${id}`;
    await ctx.db.write((tx) => tx.updateTable('attachments').set({ source }).where('id', '=', late).execute());
    const submission = {
      attachmentIds: [late],
      sender: { address: ben, name: '', isConfirmed: false },
      subject: '',
      note: '',
    };
    await assert.rejects(answerRequest(ctx, systemCaller, asSeen, submission), { code: 'request.closed' });
    assert.equal((await attachmentRow(app, late)).state, 'erased');
  });

  testOnce('a Send whose answer was lost can be repeated, and leads to the permanent receipt', async () => {
    const { id } = await ask();
    const file = await handIn(id, 'plan.txt', 'the plan');
    const fields = { note: 'Here.', attachments: file };
    const first = await new Browser(app.url).submit(`/requests/${id}`, fields);
    assert.equal(first.status, 303);
    assert.match(first.location!, /^\/delivered\/[A-Za-z0-9]{22}$/);
    const again = await new Browser(app.url).submit(`/requests/${id}`, fields);
    assert.deepEqual([again.status, again.location], [303, first.location]);
    const stranger = await new Browser(app.url).submit(`/requests/${id}`, { attachments: 'A'.repeat(22) });
    assert.equal(stranger.location, `/requests/${id}`, 'others see the closed page');
    app.clock.advance(90 * day - 1);
    const page = await new Browser(app.url).get(first.location!);
    assert.equal(page.status, 200);
    assert.match(page.text, new RegExp(sha256Of(new TextEncoder().encode('the plan'))));
    assert.match(page.words, /plan\.txt/);
    assert.ok(!first.location!.includes(referenceOf(page)!), 'the reference in mails is not the address of the page');
    app.clock.advance(1);
    assert.equal((await new Browser(app.url).get(first.location!)).status, 404);
  });

  testOnce('a request for many uses accepts answer after answer', async () => {
    const { id } = await ask({ multiuse: true });
    const before = (await inbox(alice)).length;
    for (let count = 0; count < 3; count++) {
      app.clock.advance(1000);
      assert.ok(isDelivered(await submit(id, [await handIn(id, `${count}.txt`)])));
    }
    assert.equal((await inbox(alice)).length, before + 3);
    assert.equal((await new Browser(app.url).get(`/requests/${id}`)).status, 200);
  });

  testOnce('one request accepts thirty answers an hour, and another request is not limited by it', async () => {
    const { id } = await ask({ multiuse: true });
    for (let count = 0; count < 30; count++) assert.ok(isDelivered(await submit(id, [await handIn(id)])));
    const file = await handIn(id);
    assert.equal((await submit(id, [file])).status, 422);
    const other = await ask();
    assert.ok(isDelivered(await submit(other.id, [await handIn(other.id)])));
    app.clock.advance(3_600_000);
    assert.ok(isDelivered(await submit(id, [file])));
  });

  testOnce('a request ends with its day, also for files that are uploaded already', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const { id } = await ask({ expires_at: today, multiuse: true });
    const file = await handIn(id);
    app.clock.set(Date.parse(`${today}T23:59:59.999Z`));
    const inTime = await handIn(id);
    assert.ok(isDelivered(await submit(id, [inTime])));
    app.clock.advance(1);
    assert.equal((await submit(id, [file])).status, 410);
    assert.equal((await new Browser(app.url).get(`/requests/${id}`)).status, 410);
    await app.anonymous.refused(410, 'request.closed', 'uploadForRequest', {
      params: { id },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
  });

  testOnce('a disabled owner receives nothing, and receives again when enabled', async () => {
    const asker = await newPerson(app, 'flicker');
    const { id } = await ask({}, asker);
    const file = await handIn(id);
    const disable = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: 'flicker-example-com' }, body: { user: { disabled } } });
    await disable(true);
    assert.equal((await new Browser(app.url).get(`/requests/${id}`)).status, 410);
    assert.equal((await submit(id, [file])).status, 410);
    await app.anonymous.refused(410, 'request.closed', 'uploadForRequest', {
      params: { id },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
    await disable(false);
    assert.ok(isDelivered(await submit(id, [file])));
  });

  testOnce('the group decides whether colleagues may open the answer', async () => {
    const reader = await newPerson(app, 'reader');
    for (const [file_request_permission, status] of [
      [2, 200],
      [3, 404],
    ] as const) {
      const group = await app.group(`Permission ${file_request_permission}`, { file_request_permission });
      const asker = await newPerson(app, `asker${file_request_permission}`, { group });
      const { id } = await ask({}, asker);
      assert.ok(isDelivered(await submit(id, [await handIn(id)])));
      const [message] = await inbox(asker);
      assert.equal(message!.authorization, file_request_permission);
      await reader.expect(status, 'getMessage', { params: { id: message!.id } });
      assert.equal((await asker.fetch(await fileUrlOf(asker, message!.id))).status, 200);
    }
  });

  test('submitted files count for the quota of the owner, who can withdraw them', async () => {
    const group = await app.group('Quota', { storage_quota: 1 });
    const asker = await newPerson(app, 'narrow', { group });
    const { id } = await ask({ multiuse: true }, asker);
    const file = await handIn(id, 'a.bin', someBytes(700_000));
    assert.equal((await chargeOf(app, asker.email)).storedBytes, 700_000);
    const { text } = await app.anonymous.refused(422, 'attachment.quota_full', 'uploadForRequest', {
      params: { id },
      query: { filename: 'b.bin' },
      bytes: someBytes(700_000),
    });
    assert.doesNotMatch(text, /your storage|administrator/i);
    assert.ok(isDelivered(await submit(id, [file])));
    const [message] = await inbox(asker);
    await asker.expect(200, 'deleteMessageAttachments', { params: { id: message!.id } });
    assert.deepEqual(await inbox(asker), []);
    assert.equal((await chargeOf(app, asker.email)).storedBytes, 0);
    assert.equal((await readMessage(asker, message!.id)).attachments[0]!.available, false);
    app.clock.advance(day);
  });
});
