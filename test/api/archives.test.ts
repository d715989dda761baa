import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { downloadsAnswer } from '#contract/downloads.ts';
import { BlobDamaged } from '#server/domain/ports.ts';
import { onEachEngine, type TestApp, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { crc32Of, sha256Of, someBytes } from '#test/kit/content.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserOf, browserProving, inlineFile, newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { assertInside, beyondBuffersBytes } from '#test/kit/outside.ts';
import { head } from '#test/kit/raw-http.ts';
import { openSlowly, rawRequest } from '#test/kit/raw-requests.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { wireForm } from '../kit/wire-form.ts';

const ben = 'ben@harbour.example';
const cleo = 'cleo@harbour.example';
const password = 'seven lamps under a quiet river';
const day = 86_400_000;
const plan = someBytes(70_000, 1);
const costs = someBytes(3000, 2);
const notes = someBytes(200, 3);
const files = [inlineFile('plan.bin', plan), inlineFile('costs.bin', costs), inlineFile('notes.bin', notes)];

onEachEngine('Download all', (start) => {
  const mailbox = openMailbox();
  let app: TestApp;
  let alice: ApiClient;
  /** While set, the store returns no byte of a file. */
  let holdBytes: { arrived(destination: Writable): void; released: Promise<void> } | null = null;
  /** Thrown instead of reading the stored bytes of one file, or of every file. */
  let fault: { error: Error; attachmentId?: string } | null = null;
  before(async () => {
    app = await start({
      ...mailbox.options,
      environment: { ...mailbox.options.environment, WAYBILL_ROLE: 'web' },
      canRunOutside: true,
      wrapVault: (vault) => ({
        ...vault,
        async send(blob, range, destination, signal) {
          if (fault !== null && blob.context.startsWith(fault.attachmentId ?? '')) throw fault.error;
          if (holdBytes !== null) {
            holdBytes.arrived(destination);
            await holdBytes.released;
          }
          return vault.send(blob, range, destination, signal);
        },
      }),
    });
    const group = await app.group('Senders', { message_can_use_anyone: true });
    alice = await newPerson(app, 'alice', { group, password });
  });
  after(() => app.close());

  interface Sent {
    id: string;
    page: string;
    downloadPath: string;
    files: string[];
  }

  async function send(more: Record<string, unknown> = {}): Promise<Sent> {
    const { id } = await sendMessage(alice, {
      recipients: [ben, cleo],
      subject: 'Plans',
      attachments: files,
      authorization: 0,
      ...more,
    });
    const { attachments } = await readMessage(alice, id);
    const page = `/message/${id}`;
    return { id, page, downloadPath: `${page}/download`, files: attachments.map((attachment) => attachment.id) };
  }

  async function ticketFor({ downloadPath }: Sent, browser = new Browser(app.url)): Promise<string> {
    const reply = await browser.submit(downloadPath);
    assert.equal(reply.status, 303, reply.text.slice(0, 300));
    return reply.location!;
  }

  const fetchZip = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(`${app.url}${path}`, { method, headers: { accept: 'text/html', ...headers } });

  /** Uses by file, in the sender's order. */
  async function usedOf({ id, files: order }: Sent, identity = ''): Promise<number[]> {
    const rows = await app.app.ctx.db.read
      .selectFrom('counters')
      .select(['attachment_id', 'used'])
      .where('message_id', '=', id)
      .where('identity', '=', identity)
      .execute();
    const used = new Map(rows.map((row) => [row.attachment_id, Number(row.used)]));
    return order.map((file) => used.get(file) ?? 0);
  }

  const linesOf = (id: string) =>
    app.app.ctx.db.read
      .selectFrom('downloads')
      .select(['number', 'attachment_id', 'outcome', 'sent_bytes', 'kind'])
      .where('message_id', '=', id)
      .orderBy('number')
      .execute();

  /** The server writes the log after the last byte, so a client may be ahead of it. */
  const finished = (id: string, count: number) =>
    until(async () => {
      const lines = await linesOf(id);
      return lines.length === count && lines.every((line) => line.outcome !== 'granted') && lines;
    });

  const mark = (attachmentId: string, state: 'damaged' | 'sealing' | 'held') =>
    app.app.ctx.db.write((tx) =>
      tx
        .updateTable('attachments')
        .set(state === 'held' ? { scan_state: state } : { state })
        .where('id', '=', attachmentId)
        .execute(),
    );
  const contentsOf = (zip: Buffer) => unpack(zip).map(({ name, bytes }) => [name, sha256Of(bytes)]);
  const everything = [
    ['plan.bin', sha256Of(plan)],
    ['costs.bin', sha256Of(costs)],
    ['notes.bin', sha256Of(notes)],
  ];
  const buttonOf = (page: PageReply, { downloadPath }: Sent) => page.text.includes(`action="${downloadPath}"`);

  test('is refused like a single file to people without access to the message, and from foreign pages', async () => {
    const sent = await send({ authorization: 3 });
    const stranger = await new Browser(app.url).send(sent.downloadPath);
    assert.doesNotMatch(stranger.text, /plan\.bin/);
    const other = await (await browserProving(app, 'eve@pier.example')).send(sent.downloadPath);
    assert.equal(other.status, 403);
    const foreign = await new Browser(app.url).submit(sent.downloadPath, {}, { origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    const signedIn = await (await browserOf(app, alice.email, password)).submit(sent.downloadPath);
    assert.equal(signedIn.status, 403, 'without the token of the session');
    assert.equal((await new Browser(app.url).send(`/message/${'A'.repeat(22)}/download`)).status, 404);
    assert.equal((await new Browser(app.url).send('/message/x/download')).status, 404);
    const tickets = await app.app.ctx.db.read
      .selectFrom('tickets')
      .select('id_hash')
      .where('message_id', '=', sent.id)
      .execute();
    assert.equal(tickets.length, 0);
  });

  test('of an expired or withdrawn message is refused with its page, before and after the click', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const withdrawn = await send();
    const expiring = await send({ expires_at: today });
    const tickets = [await ticketFor(withdrawn), await ticketFor(expiring)];
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: withdrawn.id } });
    app.clock.advance(Date.parse(`${today}T00:00:00Z`) + day - app.clock.now());
    for (const { downloadPath } of [withdrawn, expiring])
      assert.equal((await new Browser(app.url).send(downloadPath)).status, 410);
    for (const ticket of tickets) assert.ok([404, 410].includes((await fetchZip(ticket)).status));
    for (const { id } of [withdrawn, expiring]) assert.deepEqual(await linesOf(id), []);
  });

  testOnce('is one ZIP with every file, named after the subject, with the announced length', async () => {
    const sent = await send({ subject: 'Pläne 3/4' });
    const ticket = await ticketFor(sent);
    assert.match(ticket, /^\/dl\/[A-Za-z0-9]{22}\/Plane_3-4\.zip$/);
    const reply = await fetchZip(ticket);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-length'], String(reply.bytes.length));
    assert.equal(reply.headers['content-type'], 'application/zip');
    assert.match(reply.headers['content-disposition']!, /^attachment; .*filename\*=UTF-8''Pl%C3%A4ne%203-4\.zip$/);
    assert.equal(reply.headers['accept-ranges'], 'bytes');
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.equal(reply.headers['content-security-policy'], "sandbox; default-src 'none'; frame-ancestors 'none'");
    assert.deepEqual(contentsOf(reply.bytes), everything);
    for (const { bytes, crc32 } of unpack(reply.bytes))
      assert.equal(crc32.toString(16).padStart(8, '0'), crc32Of(bytes));
  });

  test('contains files of many chunks, empty ones and equal names', async () => {
    const bytes = someBytes(200_001, 9);
    const large = await uploadInChunks('plan.bin', bytes, 7);
    const sent = await send({
      subject: '',
      attachments: [large, inlineFile('empty.txt', ''), inlineFile('PLAN.BIN', notes), inlineFile('empty.txt', '')],
    });
    const reply = await fetchZip(await ticketFor(sent));
    assert.deepEqual(contentsOf(reply.bytes), [
      ['plan.bin', sha256Of(bytes)],
      ['empty.txt', sha256Of('')],
      ['PLAN (2).BIN', sha256Of(notes)],
      ['empty (2).txt', sha256Of('')],
    ]);
    const lines = await finished(sent.id, 4);
    assert.deepEqual(
      lines.map((line) => line.outcome),
      Array(4).fill('complete'),
    );
  });

  async function uploadInChunks(name: string, bytes: Uint8Array<ArrayBuffer>, count: number): Promise<string> {
    const size = Math.ceil(bytes.length / count);
    let id = '';
    for (let chunk = 0; chunk < count; chunk++) {
      const { body } = await alice.expect(200, 'uploadForMessage', {
        query: { filename: name, chunk: String(chunk), chunks: String(count) },
        bytes: bytes.slice(chunk * size, (chunk + 1) * size),
        headers: { 'content-type': 'application/octet-stream' },
      });
      if (body !== null) id = (body as { attachment: { id: string } }).attachment.id;
    }
    return id;
  }

  test('serves any range of the same bytes, counts HEAD and a known copy as nothing, and the whole as one download', async () => {
    const sent = await send({ expires_after: 1 });
    const ticket = await ticketFor(sent);
    const asked = await fetchZip(ticket, {}, 'HEAD');
    assert.equal(asked.status, 200);
    assert.equal(asked.bytes.length, 0);
    const [etag, size] = [asked.headers.etag!, Number(asked.headers['content-length'])];
    assert.equal((await fetchZip(ticket, { 'if-none-match': etag })).status, 304);
    assert.equal((await fetchZip(ticket, { range: `bytes=${size}-` })).status, 416);
    assert.equal((await fetchZip(ticket, { range: 'bytes=5-9' }, 'HEAD')).headers['content-length'], '5');
    assert.deepEqual(await usedOf(sent), [0, 0, 0], 'viewing counts nothing');

    const received: Buffer[] = [];
    for (const [from, to] of [
      [0, 9],
      [10, 40_000],
      [40_001, 70_100],
      [70_101, 73_300],
    ]) {
      const reply = await fetchZip(ticket, { range: `bytes=${from}-${to}`, 'if-range': etag });
      assert.equal(reply.status, 206);
      assert.equal(reply.headers['content-range'], `bytes ${from}-${to}/${size}`);
      assert.equal(reply.bytes.length, to! - from! + 1);
      received.push(reply.bytes);
    }
    const suffix = await fetchZip(ticket, { range: `bytes=-${size - 73_301}`, 'if-range': etag });
    const whole = Buffer.concat([...received, suffix.bytes]);
    assert.deepEqual(contentsOf(whole), everything);
    assert.deepEqual(await usedOf(sent), [1, 1, 1]);
    const lines = await until(async () => {
      const found = await finished(sent.id, 3);
      return found.every((line) => line.outcome === 'complete') && found;
    });
    assert.deepEqual(
      lines.map((line) => Number(line.sent_bytes)),
      [plan.length, costs.length, notes.length],
    );
  });

  test('counts one download of each file, says so before the click, and is not offered when nothing is left', async () => {
    const sent = await send({ authorization: 3, expires_after: 1 });
    const browser = await browserProving(app, ben);
    const page = await browser.get(sent.page);
    assert.ok(buttonOf(page, sent));
    assert.match(page.words, /Counts as one download of each file\./);
    assert.equal((await fetchZip(await ticketFor(sent, browser))).status, 200);
    assert.deepEqual(await usedOf(sent, ben), [1, 1, 1]);
    const used = await browser.get(sent.page);
    assert.ok(!buttonOf(used, sent));
    assert.match(used.words, /No downloads left/);
    const refused = await browser.submit(sent.downloadPath);
    assert.match(refused.words, /All permitted downloads have been used/);
    assert.ok(buttonOf(await (await browserProving(app, cleo)).get(sent.page), sent), 'for this person alone');
    assert.deepEqual(await usedOf(sent, cleo), [0, 0, 0]);
  });

  test('leaves out what is used up, and the page lists its content; one file alone needs no archive', async () => {
    const sent = await send({ expires_after: 1 });
    const browser = new Browser(app.url);
    const single = async (index: number) => {
      const { location } = await browser.submit(`${sent.downloadPath}/${sent.files[index]}`);
      assert.equal((await fetchZip(location!)).status, 200);
    };
    await single(1);
    const page = await browser.get(sent.page);
    assert.match(page.words, /Holds the 2 files you can still download/);
    assert.deepEqual(contentsOf((await fetchZip(await ticketFor(sent))).bytes), [everything[0], everything[2]]);

    const other = await send({ expires_after: 1 });
    for (const index of [0, 1]) {
      const { location } = await browser.submit(`${other.downloadPath}/${other.files[index]}`);
      assert.equal((await fetchZip(location!)).status, 200);
    }
    assert.ok(!buttonOf(await browser.get(other.page), other));
    assert.deepEqual(
      contentsOf((await fetchZip(await ticketFor(other))).bytes),
      [everything[2]],
      'an old page still works',
    );
  });

  test('leaves out what is damaged or not ready', async () => {
    const sent = await send();
    await mark(sent.files[0]!, 'damaged');
    await mark(sent.files[2]!, 'sealing');
    const early = await ticketFor(sent);
    assert.deepEqual(contentsOf((await fetchZip(early)).bytes), [everything[1]]);
    await mark(sent.files[1]!, 'damaged');
    assert.doesNotMatch((await new Browser(app.url).post(sent.downloadPath)).location!, /\/dl\//);
    assert.equal((await fetchZip(early)).status, 410, 'also under a ticket from before');
  });

  test('serves all or nothing when a file has no download left between the click and the first byte', async () => {
    const sent = await send({ expires_after: 1 });
    const ticket = await ticketFor(sent);
    const { location } = await new Browser(app.url).submit(`${sent.downloadPath}/${sent.files[1]}`);
    assert.equal((await fetchZip(location!)).status, 200);
    const refused = await fetchZip(ticket);
    assert.equal(refused.status, 410);
    assert.match(refused.text, /one of these files/);
    const program = await fetchZip(ticket, { accept: 'application/json' });
    assert.equal((program.body as { code: string }).code, 'download.limit_reached');
    assert.deepEqual(await usedOf(sent), [0, 1, 0]);
    assert.equal((await finished(sent.id, 1)).length, 1, 'and no line of the log');
    const { served_bytes } = await app.app.ctx.db.read
      .selectFrom('tickets')
      .select('served_bytes')
      .where('message_id', '=', sent.id)
      .where('is_archive', '=', 1)
      .executeTakeFirstOrThrow();
    assert.equal(Number(served_bytes), 0);
  });

  for (const level of [0, 3]) {
    test(`of 30 concurrent downloads is served whole exactly as often as level ${level} permits`, async () => {
      const sent = await send({ authorization: level, expires_after: 2 });
      const people =
        level === 0 ? [new Browser(app.url)] : [await browserProving(app, ben), await browserProving(app, cleo)];
      const tickets = await Promise.all(
        Array.from({ length: 30 }, (_, index) => ticketFor(sent, people[index % people.length])),
      );
      const replies = await Promise.all(tickets.map((ticket) => fetchZip(ticket)));
      for (const reply of replies.filter(({ status }) => status === 200))
        assert.deepEqual(contentsOf(reply.bytes), everything);
      assert.equal(replies.filter(({ status }) => status === 200).length, 2 * people.length);
      assert.equal(replies.filter(({ status }) => status === 410).length, 30 - 2 * people.length);
      for (const identity of level === 0 ? [''] : [ben, cleo])
        assert.deepEqual(await usedOf(sent, identity), [2, 2, 2]);
      const lines = await finished(sent.id, 6 * people.length);
      assert.ok(lines.every((line) => line.outcome === 'complete'));
    });
  }

  test('keeps every counter within its limit while single files are downloaded concurrently', async () => {
    const sent = await send({ expires_after: 3 });
    const browser = new Browser(app.url);
    const tickets = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? ticketFor(sent)
          : browser.submit(`${sent.downloadPath}/${sent.files[index % 3]}`).then(({ location }) => location!),
      ),
    );
    const replies = await Promise.all(tickets.map((ticket) => fetchZip(ticket)));
    const got = [0, 0, 0];
    for (const [index, { status }] of replies.entries()) {
      if (status !== 200) continue;
      for (const file of index % 2 === 0 ? [0, 1, 2] : [index % 3]) got[file]! += 1;
    }
    assert.ok(Math.max(...got) <= 3);
    assert.deepEqual(await usedOf(sent), got);
  });

  test('counts one ticket once over many concurrent requests, and serves at most twice its length', async () => {
    const sent = await send({ expires_after: 5 });
    const ticket = await ticketFor(sent);
    const replies = await Promise.all(Array.from({ length: 8 }, () => fetchZip(ticket)));
    const copies = replies.filter(({ status }) => status === 200).length;
    assert.ok(copies === 1 || copies === 2, `${copies} copies`);
    assert.ok(replies.every(({ status }) => status === 200 || status === 410));
    assert.deepEqual(await usedOf(sent), [1, 1, 1]);
    assert.equal((await finished(sent.id, 3)).length, 3);
  });

  /** How many bytes of each file were sent, by the event log. */
  async function endsOf(messageId: string): Promise<unknown[]> {
    const { read } = app.app.ctx.db;
    const ends = read.selectFrom('events').select('facts').where('action', '=', 'download.ended');
    const rows = await ends.where('object_id', '=', messageId).orderBy('seq').execute();
    return rows.map(({ facts }) => (JSON.parse(facts) as { bytes: number }).bytes);
  }

  test('is given back, each file once, when the connection is lost or the store fails before the first byte', async () => {
    const sent = await send({ expires_after: 1 });
    const ticket = await ticketFor(sent);
    let destination: Writable | null = null;
    let release = () => {};
    assertInside();
    holdBytes = {
      arrived: (to) => {
        destination = to;
      },
      released: new Promise((resolve) => {
        release = resolve;
      }),
    };
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write(head(app.url, `GET ${ticket}`, ['Accept: text/html']));
    await until(async () => destination !== null);
    assert.deepEqual(await usedOf(sent), [1, 1, 1], 'granted before the first byte');
    socket.destroy();
    await until(async () => destination!.destroyed);
    holdBytes = null;
    release();
    assert.deepEqual(
      (await finished(sent.id, 3)).map((line) => line.outcome),
      Array(3).fill('refunded'),
    );
    assert.deepEqual(await usedOf(sent), [0, 0, 0]);
    assert.deepEqual(await endsOf(sent.id), [0, 0, 0], 'the event log has no sent bytes');

    assertInside();
    fault = { error: new Error('the store does not answer') };
    const broken = await fetchZip(ticket).catch(() => null);
    fault = null;
    assert.ok(broken === null || broken.bytes.length === 0);
    assert.equal((await finished(sent.id, 6)).length, 6);
    assert.deepEqual(await usedOf(sent), [0, 0, 0]);

    assert.deepEqual(contentsOf((await fetchZip(ticket)).bytes), everything, 'the ticket is still good');
    assert.deepEqual(await usedOf(sent), [1, 1, 1]);
  });

  test('is not given back while another request under the ticket receives the bytes', async () => {
    const sent = await send({ expires_after: 1 });
    const ticket = await ticketFor(sent);
    const destinations: Writable[] = [];
    let release = () => {};
    assertInside();
    holdBytes = {
      arrived: (to) => void destinations.push(to),
      released: new Promise((resolve) => {
        release = resolve;
      }),
    };
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write(head(app.url, `GET ${ticket}`, ['Accept: text/html']));
    await until(async () => destinations.length === 1);
    const second = fetchZip(ticket);
    await until(async () => destinations.length === 2);
    socket.destroy();
    await until(async () => destinations[0]!.destroyed);
    holdBytes = null;
    release();
    assert.deepEqual(contentsOf((await second).bytes), everything);
    const lines = await finished(sent.id, 3);
    assert.ok(lines.every((line) => line.outcome === 'complete'));
    assert.deepEqual(await usedOf(sent), [1, 1, 1]);
  });

  test('stops within seconds when the message is withdrawn or one of its files is found damaged or held; expiry does not stop it', async () => {
    const large = someBytes(beyondBuffersBytes);
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const open = async (more: Record<string, unknown> = {}) => {
      const { id } = await alice.upload('a.bin', large, 'uploadForMessage');
      const sent = await send({ attachments: [id, inlineFile('b.bin', costs)], ...more });
      return { sent, reader: await openSlowly(`${app.url}${await ticketFor(sent)}`) };
    };
    const expired = await open({ expires_at: today });
    app.clock.set(Date.parse(`${today}T00:00:00Z`) + day);
    await app.app.jobs.runOnce('expire');
    // Opened last: when these are cut, the first one has been checked as well.
    const [withdrawn, damaged, held] = [await open(), await open(), await open()];
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: withdrawn.sent.id } });
    await mark(damaged.sent.files[1]!, 'damaged');
    await mark(held.sent.files[1]!, 'held');
    for (const { sent, reader } of [withdrawn, damaged, held]) {
      const lines = await finished(sent.id, 2);
      assert.deepEqual(
        lines.map((line) => line.outcome),
        ['cut', 'cut'],
      );
      const { sizeBytes, isWhole } = await reader.rest();
      assert.ok(!isWhole && sizeBytes < large.length);
    }
    assert.ok((await expired.reader.rest()).isWhole, 'the download began before the expiry');
  });

  test('records nothing to report later while its owner wants no receipts', async () => {
    const owner = await newPerson(app, 'olga', { password });
    const person = await signIn(app, owner.email, password);
    await person.expect(200, 'changeNotices', { body: { receipts: 'off' } });
    const { id } = await sendMessage(owner, { recipients: [ben], attachments: files, authorization: 3 });
    const downloadPath = `/message/${id}/download`;
    assert.equal((await fetchZip((await (await browserProving(app, ben)).submit(downloadPath)).location!)).status, 200);
    await finished(id, 3);
    const lines = app.app.ctx.db.read
      .selectFrom('receipt_lines')
      .select('mailed_at')
      .where('target', '=', `message:${id}`);
    const mailed = (await lines.execute()).map((line) => line.mailed_at !== null);
    assert.deepEqual(mailed, [true, true, true]);
  });

  test('with a damaged file in it never ends cleanly, and only that file is marked', async () => {
    const sent = await send();
    assertInside();
    fault = { error: new BlobDamaged('key', 'a bad tag'), attachmentId: sent.files[1]! };
    const reply = await fetchZip(await ticketFor(sent));
    fault = null;
    assert.ok(!reply.isWhole, 'the client can tell');
    const states = await until(async () => {
      const rows = await app.app.ctx.db.read
        .selectFrom('attachments')
        .select(['id', 'state'])
        .where('id', 'in', sent.files)
        .execute();
      const found = sent.files.map((id) => rows.find((row) => row.id === id)?.state);
      return found.includes('damaged') && found;
    });
    assert.deepEqual(states, ['ready', 'damaged', 'ready']);
    assert.deepEqual(contentsOf((await fetchZip(await ticketFor(sent))).bytes), [everything[0], everything[2]]);
  });

  test('that breaks off stays counted, records the result of each file, and continues under its ticket', async () => {
    const large = someBytes(beyondBuffersBytes);
    const file = await alice.upload('large.bin', large, 'uploadForMessage');
    const sent = await send({
      expires_after: 1,
      attachments: [inlineFile('notes.bin', notes), file.id, inlineFile('z.bin', costs)],
    });
    const ticket = await ticketFor(sent);
    const { headers } = await fetchZip(ticket, {}, 'HEAD');
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.write(head(app.url, `GET ${ticket}`, ['Accept: text/html']));
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.destroy();
    const lines = await finished(sent.id, 3);
    assert.deepEqual(
      lines.map((line) => line.outcome),
      ['complete', 'partial', 'partial'],
    );
    assert.equal(Number(lines[0]!.sent_bytes), notes.length);
    assert.equal(Number(lines[2]!.sent_bytes), 0);
    assert.doesNotMatch(
      (await new Browser(app.url).post(sent.downloadPath)).location!,
      /\/dl\//,
      'nothing left for another click',
    );
    const rest = await fetchZip(ticket, { range: 'bytes=100-', 'if-range': headers.etag! });
    assert.equal(rest.status, 206);
    const whole = await until(async () => {
      const found = await linesOf(sent.id);
      return found.every((line) => line.outcome === 'complete') && found;
    });
    assert.equal(whole.length, 3);
    assert.deepEqual(await usedOf(sent), [1, 1, 1]);
  });

  test('has a log entry with 28 fields for each file, an event and a receipt for each, and nothing of it for the sender', async () => {
    const sent = await send({ authorization: 3, download_receipt: true, subject: 'Receipts' });
    const own = await browserOf(app, alice.email, password);
    const csrf = Browser.hidden(await own.get(sent.page), 'csrf');
    const { location } = await own.submit(sent.downloadPath, { csrf });
    assert.equal((await fetchZip(location!)).status, 200);
    const owners = await finished(sent.id, 3);
    assert.ok(owners.every((line) => line.kind === 'owner'));
    assert.deepEqual(await usedOf(sent, ben), [0, 0, 0]);

    assert.equal((await fetchZip(await ticketFor(sent, await browserProving(app, ben)))).status, 200);
    await finished(sent.id, 6);
    const { body } = await alice.expect(200, 'listMessageDownloads', { params: { id: sent.id } });
    const lines = wireForm(downloadsAnswer, body).downloads.filter((line) => line.recipient === ben);
    assert.deepEqual(
      lines.map((line) => line.filename),
      ['plan.bin', 'costs.bin', 'notes.bin'],
    );
    assert.deepEqual(
      lines.map((line) => line.checksum),
      everything.map(([, checksum]) => checksum),
    );
    for (const [index, line] of lines.entries()) {
      assert.equal(Object.keys(line).length, 28);
      assert.equal(line.id, lines[0]!.id + index, 'numbered one after the other');
      assert.equal(line.message_id, sent.id);
    }
    const { db } = app.app.ctx;
    const events = await db.read
      .selectFrom('events')
      .select('facts')
      .where('action', '=', 'file.downloaded')
      .where('object_id', '=', sent.id)
      .execute();
    assert.equal(events.length, 6);
    const receipts = await db.read
      .selectFrom('receipt_lines')
      .selectAll()
      .where('target', '=', `message:${sent.id}`)
      .execute();
    assert.deepEqual(
      receipts.map((row) => [row.attachment_id, row.recipient]).sort(),
      sent.files.map((id) => [id, ben]).sort(),
    );
    const owed = await db.read
      .selectFrom('outbox')
      .select('id')
      .where('message_id', '=', sent.id)
      .where('kind', '=', 'receipt')
      .execute();
    assert.equal(owed.length, 1, 'in one mail');
  });

  test('shows on the page and in its state when this visitor got each file, and to no one else', async () => {
    const sent = await send({ authorization: 3 });
    const browser = await browserProving(app, ben);
    const state = (who: Browser) => who.get(`${sent.page}/state`);
    const downloadedIn = async (who: Browser) => (await state(who)).text.match(/data-downloaded/g)?.length ?? 0;
    assert.equal((await state(new Browser(app.url))).status, 404);
    assert.equal((await state(await browserProving(app, 'eve@pier.example'))).status, 404);
    const page = await browser.get(sent.page);
    assert.ok(page.text.includes(`data-state-url="${sent.page}/state"`));
    assert.equal((await state(browser)).headers.get('cache-control'), 'no-store');
    assert.equal(await downloadedIn(browser), 0);
    assert.equal((await fetchZip(await ticketFor(sent, browser))).status, 200);
    await finished(sent.id, 3);
    assert.equal(await downloadedIn(browser), 3);
    assert.ok((await state(browser)).text.includes(`dateTime="${new Date(app.clock.now()).toISOString()}"`));
    assert.equal(await downloadedIn(await browserProving(app, cleo)), 0);
  });

  testOnce('is remembered for the browser of an unknown visitor too', async () => {
    const sent = await send({ authorization: 0 });
    const browser = new Browser(app.url);
    assert.equal((await fetchZip(await ticketFor(sent, browser))).status, 200);
    await finished(sent.id, 3);
    assert.equal((await browser.get(`${sent.page}/state`)).text.match(/data-downloaded/g)?.length, 3);
    assert.doesNotMatch((await new Browser(app.url).get(`${sent.page}/state`)).text, /data-downloaded/);
  });

  test('ends with its ticket after a day, and its rows are deleted', async () => {
    const sent = await send({ expires_at: new Date(app.clock.now() + 10 * day).toISOString().slice(0, 10) });
    const ticket = await ticketFor(sent);
    app.clock.advance(day);
    assert.equal((await fetchZip(ticket)).status, 404);
    app.clock.advance(2 * day);
    await app.app.jobs.runOnce('tidy');
    const left = await app.app.ctx.db.read.selectFrom('ticket_files').select('position').execute();
    assert.deepEqual(left, []);
  });
});
