import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import type { z } from 'zod';
import { downloadsAnswer } from '#contract/downloads.ts';
import { inboxAnswer, type message as messageSchema, sentAnswer } from '#contract/messages.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { crc32Of, sha256Of, someBytes } from '#test/kit/content.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { countersOf, fileUrlOf, inlineFile, newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { basic, dial, head } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

type MessageBody = z.input<typeof messageSchema>;
const ben = 'ben@harbour.example';
const day = 86_400_000;

onEachDatabase('Reading messages', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let bob: ApiClient;
  let carol: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    bob = await newPerson(app, 'bob');
    carol = await newPerson(app, 'carol');
  });

  const inbox = async (client: ApiClient, query: Record<string, string> = {}): Promise<MessageBody[]> =>
    wireForm(inboxAnswer, (await client.expect(200, 'listInbox', { query })).body).messages;
  const sent = async (client: ApiClient, query: Record<string, string> = {}): Promise<MessageBody[]> =>
    wireForm(sentAnswer, (await client.expect(200, 'listSent', { query })).body).sent;
  const log = async (client: ApiClient, id: string) =>
    wireForm(downloadsAnswer, (await client.expect(200, 'listMessageDownloads', { params: { id } })).body).downloads;
  const ids = (messages: MessageBody[]) => messages.map(({ id }) => id);

  async function sendFile(bytes: Uint8Array | string, more: Record<string, unknown> = {}) {
    const attachments = [inlineFile('plan.txt', bytes)];
    const { id } = await sendMessage(alice, { recipients: [bob.email], attachments, ...more });
    return { id, url: await fileUrlOf(alice, id) };
  }

  /** Checks that unknown items and those of others get the same refusal. */
  async function sameRefusal(
    calls: (() => Promise<{ status: number; body: unknown }>)[],
    status: number,
  ): Promise<void> {
    const bodies = new Set<string>();
    for (const call of calls) {
      const reply = await call();
      assert.equal(reply.status, status);
      const { request_id, ...rest } = reply.body as Record<string, unknown>;
      assert.equal(typeof request_id, 'string');
      bodies.add(JSON.stringify(rest));
    }
    assert.equal(bodies.size, 1, [...bodies].join('\n'));
  }

  testOnce('is refused with 401 without a key, in every way', async () => {
    const { id, url } = await sendFile('x');
    const withoutKey = app.anonymous;
    await withoutKey.refused(401, 'credentials.invalid', 'getMessage', { params: { id } });
    await withoutKey.refused(401, 'credentials.invalid', 'listInbox');
    await withoutKey.refused(401, 'credentials.invalid', 'listSent');
    await withoutKey.refused(401, 'credentials.invalid', 'listMessageDownloads', { params: { id } });
    await withoutKey.refused(401, 'credentials.invalid', 'deleteMessageAttachments', { params: { id } });
    assert.equal((await withoutKey.fetch(url)).status, 401);
  });

  testOnce('refuses a message of others like one that never existed', async () => {
    const { id } = await sendFile('x', { recipients: [ben] });
    const unknown = 'A'.repeat(22);
    for (const name of ['getMessage', 'deleteMessageAttachments', 'listMessageDownloads'] as const) {
      const tries = [id, unknown, 'x'].map((unknownId) => () => carol.call(name, { params: { id: unknownId } }));
      await sameRefusal(tries, 404);
    }
    await carol.expect(404, 'getMessage', { params: { id } });
    await alice.expect(200, 'getMessage', { params: { id } });
  });

  testOnce('permits a recipient the message, but neither its log nor withdrawing it', async () => {
    const { id } = await sendFile('x');
    await bob.expect(200, 'getMessage', { params: { id } });
    await bob.refused(404, 'message.not_found', 'listMessageDownloads', { params: { id } });
    await bob.refused(404, 'message.not_found', 'deleteMessageAttachments', { params: { id } });
    await bob.expect(200, 'getMessage', { params: { id } });
  });

  test('refuses wrong filters and names them', async () => {
    for (const name of ['listInbox', 'listSent'] as const)
      for (const [query, code] of [
        [{ sent_after: 'yesterday' }, 'messages.bad_sent_after'],
        [{ sent_after: '2026-02-30' }, 'messages.bad_sent_after'],
        [{ sent_after: '20260230' }, 'messages.bad_sent_after'],
        [{ sent_in_the_last: '-1' }, 'messages.bad_hours'],
        [{ sent_in_the_last: '1.5' }, 'messages.bad_hours'],
        [{ limit: 'all' }, 'messages.bad_limit'],
        [{ limit: '-1' }, 'messages.bad_limit'],
      ] as [Record<string, string>, string][])
        await alice.refused(422, code, name, { query });
  });

  testOnce('returns every key that clients read, and never null', async () => {
    const bytes = someBytes(2000);
    const { id } = await sendMessage(alice, {
      recipients: [bob.email],
      cc: [ben],
      subject: '',
      message: '',
      attachments: [inlineFile('Plan für Süd.txt', bytes, { content_type: 'text/plain' })],
    });
    for (const [client, hasBccs] of [
      [alice, true],
      [bob, false],
    ] as const) {
      const reply = await client.expect(200, 'getMessage', { params: { id } });
      assert.match(reply.text, /^\{"message":\{"id":"/);
      const { message } = reply.body as { message: Record<string, unknown> };
      const keys = [
        'id',
        'sender',
        'recipients',
        'ccs',
        ...(hasBccs ? ['bccs'] : []),
        'created_at',
        'expires_at',
        'expires_after',
        'size',
        'authorization',
        'authorization_description',
        'private_message',
        'url',
        'subject',
        'message',
        'attachments',
      ];
      assert.deepEqual(Object.keys(message), keys);
      for (const [key, value] of Object.entries(message)) assert.notEqual(value, null, key);
      const [attachment] = message.attachments as Record<string, unknown>[];
      const { url, id: attachmentId, ...rest } = attachment!;
      assert.deepEqual(rest, {
        filename: 'Plan für Süd.txt',
        size: 2000,
        size_human: '2 KB',
        content_type: 'text/plain',
        checksum: sha256Of(bytes),
        crc32: crc32Of(bytes),
        available: true,
      });
      assert.match(String(url), new RegExp(`^${app.url}/message/${id}/${attachmentId}/[A-Za-z0-9]{22}/[\\w.-]+$`));
    }
  });

  testOnce('returns an empty list and the size 0 for a message without files', async () => {
    const { id } = await sendMessage(alice, { recipients: [bob.email] });
    const message = await readMessage(bob, id);
    assert.deepEqual([message.attachments, message.size], [[], 0]);
  });

  testOnce('shows Bcc to the sender only, not even to the recipients in it', async () => {
    const { id } = await sendMessage(alice, { recipients: [bob.email], bcc: [carol.email, ben] });
    assert.deepEqual((await readMessage(alice, id)).bccs, [carol.email, ben]);
    assert.deepEqual((await sent(alice)).find((message) => message.id === id)!.bccs, [carol.email, ben]);
    for (const client of [bob, carol]) {
      const reply = await client.expect(200, 'getMessage', { params: { id } });
      assert.doesNotMatch(reply.text, /carol|ben@harbour|bccs/);
      const list = await client.expect(200, 'listInbox');
      assert.ok(list.text.includes(id));
      assert.doesNotMatch(list.text, /"bccs"/);
      assert.ok(!list.text.includes(ben) || ids(await inbox(client)).length > 1);
    }
  });

  test('returns the text of a private message by the read call, which counts and is reported to the sender once', async () => {
    await mailbox.post(app);
    const { id } = await sendMessage(alice, {
      recipients: [bob.email],
      subject: 'Quiet',
      message: 'Only for you.',
      private_message: true,
      expires_after: 2,
      send_email: false,
    });
    const params = { id };
    await carol.refused(404, 'message.not_found', 'readMessage', { params });
    await app.anonymous.refused(401, 'credentials.invalid', 'readMessage', { params });
    for (const seen of [await readMessage(bob, id), (await inbox(bob)).find((message) => message.id === id)!]) {
      assert.deepEqual([seen.message, seen.text_withheld], ['', true]);
      assert.equal(seen.subject, 'Quiet');
    }
    assert.deepEqual(await countersOf(app, id), {});
    const own = await readMessage(alice, id);
    assert.deepEqual([own.message, own.text_withheld], ['Only for you.', undefined]);
    const tries = await Promise.all([1, 2, 3, 4, 5].map(() => bob.call('readMessage', { params })));
    const read = tries.filter(({ status }) => status === 200);
    assert.equal(read.length, 2);
    for (const { body } of read)
      assert.equal((body as { message: { message: string } }).message.message, 'Only for you.');
    await bob.refused(410, 'message.used_up', 'readMessage', { params });
    await alice.expect(200, 'readMessage', { params });
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 2 });
    assert.deepEqual(
      (await mailbox.postAbout(app, id)).map(({ kind }) => kind),
      ['read-notice'],
    );
  });

  test('accepts both forms of a date, hours, and a limit as filters', async () => {
    const sender = await newPerson(app, 'filters');
    const reader = await newPerson(app, 'filtered');
    const made: string[] = [];
    for (let count = 0; count < 4; count++) {
      made.unshift((await sendMessage(sender, { recipients: [reader.email], subject: String(count) })).id);
      app.clock.advance(day);
    }
    const dateAt = (daysAgo: number) => new Date(app.clock.now() - daysAgo * day).toISOString().slice(0, 10);
    for (const list of [(query = {}) => sent(sender, query), (query = {}) => inbox(reader, query)]) {
      assert.deepEqual(ids(await list()), made, 'newest first');
      assert.deepEqual(ids(await list({ limit: '2' })), made.slice(0, 2));
      assert.deepEqual(ids(await list({ limit: '0' })), []);
      assert.deepEqual(ids(await list({ limit: '' })), made);
      assert.deepEqual(ids(await list({ sent_after: dateAt(2) })), made.slice(0, 2));
      assert.deepEqual(ids(await list({ sent_after: dateAt(2).replaceAll('-', '') })), made.slice(0, 2));
      assert.deepEqual(ids(await list({ sent_in_the_last: '50' })), made.slice(0, 2));
      assert.deepEqual(ids(await list({ sent_in_the_last: '50', sent_after: dateAt(1) })), made.slice(0, 1));
      assert.deepEqual(ids(await list({ sent_in_the_last: '999999999' })), made);
      assert.deepEqual(ids(await list({ sent_after: dateAt(-1) })), []);
    }
  });

  test('returns long lists completely, and a limit counts only what is returned', async () => {
    const sender = await newPerson(app, 'prolific');
    const reader = await newPerson(app, 'popular');
    const lasting: string[] = [];
    for (let count = 0; count < 60; count++)
      lasting.unshift((await sendMessage(sender, { recipients: [reader.email], subject: String(count) })).id);
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    app.clock.advance(1000);
    for (let count = 0; count < 3; count++)
      await sendMessage(sender, { recipients: [reader.email], expires_at: today });
    assert.equal((await inbox(reader)).length, 63);
    assert.equal((await sent(sender)).length, 63);
    app.clock.advance(day);
    assert.equal((await sent(sender)).length, 63, 'the sender still sees the expired message');
    assert.deepEqual(ids(await inbox(reader)).sort(), lasting.sort());
    assert.equal((await inbox(reader, { limit: '5' })).length, 5);
  });

  testOnce('returns messages to an alias to its current owner', async () => {
    const reader = await newPerson(app, 'reader');
    const { id } = await sendMessage(alice, {
      recipients: ['team@example.com'],
      attachments: [inlineFile('a.txt', 'x')],
    });
    const aliases = (list: string[]) =>
      app.admin.expect(200, 'changeUser', {
        params: { id: 'reader-example-com' },
        body: { user: { recipient_aliases: list } },
      });
    await reader.expect(404, 'getMessage', { params: { id } });
    await aliases(['Team@Example.com']);
    assert.ok(ids(await inbox(reader)).includes(id));
    const url = await fileUrlOf(reader, id);
    assert.equal((await reader.fetch(url)).status, 200);
    assert.deepEqual(await countersOf(app, id), { 'team@example.com': 1 });
    await aliases([]);
    assert.deepEqual(ids(await inbox(reader)), []);
    await reader.expect(404, 'getMessage', { params: { id } });
    assert.equal((await reader.fetch(url)).status, 404);
    assert.equal((await reader.fetch(url, { headers: { range: 'bytes=0-0' } })).status, 404);
  });

  testOnce('returns the bytes of a file with a key that may open it, at its own address', async () => {
    const first = await sendFile('first');
    const second = await sendFile('second');
    const parts = first.url.split('/');
    const token = second.url.split('/')[4]!;
    await sameRefusal(
      [
        () => carol.fetch(first.url),
        () => bob.fetch(parts.with(4, 'A'.repeat(22)).join('/')),
        () => bob.fetch(parts.with(4, token).join('/')),
        () => bob.fetch(parts.with(4, '').join('/').replace('//', '/x/')),
        () => bob.fetch(parts.with(3, second.url.split('/')[3]!).join('/')),
        () => bob.fetch(parts.with(2, second.id).join('/')),
        () => bob.fetch(parts.with(2, 'A'.repeat(22)).join('/')),
        () => alice.fetch(parts.with(4, 'A'.repeat(22)).join('/')),
      ],
      404,
    );
    assert.deepEqual(await countersOf(app, first.id), {});
    assert.deepEqual(await log(alice, first.id), []);
  });

  testOnce('returns a file raw and harmless, whatever the client accepts', async () => {
    const html = '<script>alert(1)</script>';
    const attachments = [inlineFile('Prüfung "1".html', html, { content_type: 'text/html' })];
    const { id } = await sendMessage(alice, { recipients: [bob.email], attachments });
    const url = await fileUrlOf(bob, id);
    for (const accept of ['application/json', 'text/html', '*/*']) {
      const reply = await bob.fetch(url, { headers: { accept, 'content-type': 'application/json' } });
      assert.equal(reply.status, 200);
      assert.equal(reply.text, html);
      assert.equal(reply.headers.get('content-type'), 'application/octet-stream');
      assert.match(
        reply.headers.get('content-disposition')!,
        /^attachment; filename="[\w.-]+"; filename\*=UTF-8''Pr%C3%BCfung/,
      );
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.match(reply.headers.get('content-security-policy')!, /sandbox/);
      assert.equal(reply.headers.get('set-cookie'), null);
    }
  });

  test("logs the sender's own fetch without counting it, and counts a recipient's and reports it once", async () => {
    const bytes = someBytes(3000);
    const { id, url } = await sendFile(bytes, { expires_after: 2 });
    for (let count = 0; count < 4; count++) assert.equal((await alice.fetch(url)).status, 200);
    assert.deepEqual(await countersOf(app, id), {});
    assert.deepEqual(
      (await log(alice, id)).map(({ recipient }) => recipient),
      Array(4).fill(alice.email),
    );
    assert.deepEqual(await mailbox.postAbout(app, id), [], 'own downloads are not reported');
    assert.equal((await bob.fetch(url)).status, 200);
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 1 });
    // The server writes the log entry after the last byte, so the receipt may follow a moment later.
    const [receipt, ...more] = await until(async () => {
      const mails = await mailbox.postAbout(app, id);
      return mails.length > 0 && mails;
    });
    assert.deepEqual([receipt!.kind, receipt!.to, more.length], ['receipt', alice.email, 0]);
    assert.match(receipt!.text, /bob@example\.com/);
    assert.equal((await bob.fetch(url)).status, 200);
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 2 });
    const over = await bob.fetch(url);
    assert.equal(over.status, 410);
    assert.equal((over.body as { code: string }).code, 'download.limit_reached');
    assert.equal((await alice.fetch(url)).status, 200);
    app.clock.advance(11 * 60_000);
    assert.deepEqual(await mailbox.postAbout(app, id), [], 'each person is reported once for each file');
    assert.equal((await log(alice, id)).length, 7);
  });

  testOnce('counts each recipient and each file separately', async () => {
    const attachments = [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')];
    const recipients = [bob.email, carol.email];
    const { id } = await sendMessage(alice, { recipients, attachments, expires_after: 1 });
    for (const client of [bob, carol])
      for (const index of [0, 1]) assert.equal((await client.fetch(await fileUrlOf(client, id, index))).status, 200);
    for (const client of [bob, carol]) assert.equal((await client.fetch(await fileUrlOf(client, id))).status, 410);
  });

  test('counts nothing for HEAD, a known copy and a range outside the file', async () => {
    const { id, url } = await sendFile(someBytes(1000), { expires_after: 1 });
    const etag = `"${sha256Of(someBytes(1000))}"`;
    const headed = await bob.fetch(url, { method: 'HEAD' });
    assert.deepEqual(
      [headed.status, headed.headers.get('content-length'), headed.headers.get('etag')],
      [200, '1000', etag],
    );
    assert.equal((await bob.fetch(url, { headers: { 'if-none-match': etag } })).status, 304);
    assert.equal((await bob.fetch(url, { headers: { range: 'bytes=1000-' } })).status, 416);
    assert.deepEqual(await countersOf(app, id), {});
    assert.deepEqual(await log(alice, id), []);
    assert.equal((await bob.fetch(url)).status, 200);
  });

  test('continues an interrupted download with a range and counts it once', async () => {
    const bytes = someBytes(300_000);
    const { id, url } = await sendFile(bytes, { expires_after: 1 });
    const first = await bob.fetch(url, { headers: { range: 'bytes=0-99999' } });
    assert.equal(first.status, 206);
    assert.equal(first.headers.get('content-range'), 'bytes 0-99999/300000');
    for (const range of ['bytes=100000-199999', 'bytes=200000-']) {
      const etag = first.headers.get('etag')!;
      assert.equal((await bob.fetch(url, { headers: { range, 'if-range': etag } })).status, 206);
    }
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 1 });
    const lines = await log(alice, id);
    assert.equal(lines.length, 1);
    assert.equal((await bob.fetch(url)).status, 410);
  });

  test('counts concurrent ranges of one file as one download', async () => {
    const { id, url } = await sendFile(someBytes(80_000), { expires_after: 1 });
    const ranges = Array.from({ length: 8 }, (_, part) => `bytes=${part * 10_000}-${part * 10_000 + 9999}`);
    const replies = await Promise.all(ranges.map((range) => bob.fetch(url, { headers: { range } })));
    assert.deepEqual(
      replies.map(({ status }) => status),
      ranges.map(() => 206),
    );
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 1 });
    assert.equal((await log(alice, id)).length, 1);
  });

  test('serves one copy per counted download, however small the file is', async () => {
    for (const bytes of [someBytes(100), someBytes(200_000)]) {
      const { id, url } = await sendFile(bytes, { expires_after: 2 });
      const again = () => bob.fetch(url, { headers: { range: 'bytes=0-' } });
      for (const used of [1, 2]) {
        assert.equal((await again()).status, 206);
        assert.deepEqual(await countersOf(app, id), { [bob.email]: used });
      }
      assert.equal((await again()).status, 410);
    }
  });

  test('counts the next download when ranges continue after a complete one', async () => {
    const { id, url } = await sendFile(someBytes(1000));
    const ranges = ['bytes=0-599', 'bytes=600-999', 'bytes=0-599', 'bytes=0-599', 'bytes=600-', 'bytes=100-699'];
    for (const range of ranges) {
      const reply = await bob.fetch(url, { headers: { range } });
      assert.equal(reply.status, 206, `${range}: ${reply.text.slice(0, 200)}`);
    }
    assert.deepEqual(await countersOf(app, id), { [bob.email]: 3 }, 'two whole copies, and the beginning of a third');
    // With another version in If-Range a range becomes a whole file.
    const whole = await bob.fetch(url, { headers: { range: 'bytes=0-0', 'if-range': '"other"' } });
    assert.equal(whole.status, 200);
  });

  testOnce('returns all 28 fields of the log of a message', async () => {
    const bytes = someBytes(5000);
    const { id, url } = await sendFile(bytes);
    await bob.fetch(url, {
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
    });
    const reply = await alice.expect(200, 'listMessageDownloads', { params: { id } });
    const [line] = (reply.body as { downloads: Record<string, unknown>[] }).downloads;
    const message = await readMessage(alice, id);
    assert.deepEqual(
      { ...line, id: 0 },
      {
        id: 0,
        attachment_id: message.attachments[0]!.id,
        message_id: id,
        filelink_id: null,
        filename: 'plan.txt',
        size: 5000,
        content_type: message.attachments[0]!.content_type,
        checksum: sha256Of(bytes),
        crc32: crc32Of(bytes),
        downloaded_at: new Date(app.clock.now()).toISOString(),
        user_id: 'alice-example-com',
        recipient: bob.email,
        remote_ip: '127.0.0.1',
        remote_host: line!.remote_host,
        download_time: line!.download_time,
        download_speed: line!.download_speed,
        location: '',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        browser: line!.browser,
        os: line!.os,
        platform: line!.platform,
        longitude: null,
        latitude: null,
        country_code: '',
        country_name: '',
        city: '',
        region_code: '',
        region_name: '',
      },
    );
    assert.equal(Object.keys(line!).length, 28);
    assert.match(String(line!.browser), /Firefox/);
    assert.match(String(line!.download_time), /^\d+\.\d+$/);
  });

  test('returns nothing to a recipient after expiry, and to the sender the message without its files', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const { id, url } = await sendFile('x', { expires_at: today });
    assert.equal((await bob.fetch(url)).status, 200);
    app.clock.advance(day);
    for (const when of ['before the job', 'after the job']) {
      await bob.expect(404, 'getMessage', { params: { id } });
      assert.equal((await bob.fetch(url)).status, 404, when);
      assert.equal((await bob.fetch(url, { headers: { range: 'bytes=0-0' } })).status, 404, when);
      assert.ok(!ids(await inbox(bob)).includes(id), when);
      const kept = await readMessage(alice, id);
      assert.equal(kept.attachments[0]!.available, false, when);
      assert.ok([404, 410].includes((await alice.fetch(url)).status), when);
      await app.app.jobs.runOnce('expire');
    }
    assert.equal((await log(alice, id)).length, 1);
  });

  testOnce('answers 200 with no body when the files are withdrawn, and they are gone everywhere', async () => {
    const bytes = someBytes(1000);
    const { id, url } = await sendFile(bytes);
    const link = await sendFile('other');
    assert.equal((await bob.fetch(url)).status, 200);
    const reply = await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    assert.equal(reply.text, '');
    await bob.expect(404, 'getMessage', { params: { id } });
    assert.equal((await bob.fetch(url)).status, 404);
    assert.equal((await bob.fetch(url, { headers: { range: 'bytes=0-0' } })).status, 404);
    assert.equal((await alice.fetch(url)).status, 410);
    assert.ok(!ids(await inbox(bob)).includes(id));
    const kept = await readMessage(alice, id);
    assert.deepEqual([kept.attachments[0]!.available, kept.subject], [false, '']);
    const { id: attachmentId } = kept.attachments[0]!;
    await alice.refused(422, 'message.attachment_unknown', 'sendMessage', {
      body: { message: { recipients: [ben], attachments: [attachmentId] } },
    });
    await alice.refused(422, 'message.ended', 'deleteMessageAttachments', { params: { id } });
    assert.equal((await bob.fetch(link.url)).status, 200);
    const row = await app.app.ctx.db.read
      .selectFrom('attachments')
      .selectAll()
      .where('id', '=', attachmentId)
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.state, row.data_key_wrapped], ['erased', null]);
  });

  testOnce('keeps a file that another message uses when one is withdrawn', async () => {
    const file = await alice.upload('shared.txt', 'shared', 'uploadForMessage');
    const messages = [];
    for (const recipients of [[bob.email], [carol.email]])
      messages.push(await sendMessage(alice, { recipients, attachments: [file.id] }));
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: messages[0]!.id } });
    await bob.expect(404, 'getMessage', { params: { id: messages[0]!.id } });
    assert.equal((await carol.fetch(await fileUrlOf(carol, messages[1]!.id))).text, 'shared');
  });

  testOnce('sends no waiting mail for a withdrawn message', async () => {
    const { id } = await sendFile('x', { send_email: true });
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    assert.deepEqual(await mailbox.postAbout(app, id), []);
  });

  testOnce('reports a download that happened before the withdrawal', async () => {
    await mailbox.post(app);
    const { id, url } = await sendFile('fetched', { subject: 'Reported' });
    assert.equal((await bob.fetch(url)).status, 200);
    await until(async () => {
      const row = await app.app.ctx.db.read.selectFrom('outbox').select('id').where('message_id', '=', id).execute();
      return row.length > 0 ? row : null;
    });
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    assert.equal((await mailbox.postAbout(app, id)).filter((mail) => mail.to === alice.email).length, 1);
  });

  test('cuts a running download when the message is withdrawn', async () => {
    const bytes = someBytes(beyondBuffersBytes);
    const file = await alice.upload('large.bin', bytes, 'uploadForMessage');
    const { id } = await sendMessage(alice, { recipients: [bob.email], attachments: [file.id] });
    const url = await fileUrlOf(bob, id);
    const { hostname, port } = new URL(app.url);
    // A reader who takes a little and then waits.
    const socket = connect({ host: hostname, port: Number(port) });
    let received = 0;
    const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    const hasBegun = new Promise<void>((resolve) =>
      socket.once('data', () => {
        socket.pause();
        resolve();
      }),
    );
    socket.write(head(app.url, `GET ${url}`, [basic(bob.key)]));
    await hasBegun;
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    // The service checks every two seconds; the test's own limit ends the wait.
    const outcome = await until(async () => {
      const row = await app.app.ctx.db.read
        .selectFrom('downloads')
        .select(['outcome', 'sent_bytes'])
        .where('message_id', '=', id)
        .executeTakeFirst();
      return row !== undefined && row.outcome !== 'granted' ? row : null;
    });
    assert.equal(outcome.outcome, 'cut');
    socket.resume();
    await isOver;
    assert.ok(received < bytes.length, `${received} bytes came`);
  });

  testOnce('hides the messages of a disabled sender, and shows them again when enabled', async () => {
    const sender = await newPerson(app, 'flicker');
    const { id } = await sendMessage(sender, { recipients: [bob.email], attachments: [inlineFile('a.txt', 'x')] });
    const url = await fileUrlOf(bob, id);
    const disable = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: 'flicker-example-com' }, body: { user: { disabled } } });
    await disable(true);
    await bob.expect(404, 'getMessage', { params: { id } });
    assert.equal((await bob.fetch(url)).status, 404);
    await disable(false);
    assert.equal((await bob.fetch(url)).status, 200);
  });

  testOnce('returns the same bytes for an absolute request target', async () => {
    const { url } = await sendFile('hello');
    const line = await dial(app.url);
    await line.write(head(app.url, `GET ${app.url}${url}`, [basic(bob.key), 'Accept: application/json']));
    assert.equal((await line.reply()).text, 'hello');
    line.cut();
  });
});
