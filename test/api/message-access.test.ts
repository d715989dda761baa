import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { grantBytes } from '#server/actions/downloads/downloads.ts';
import { issueTicket, openOwnTicket } from '#server/actions/downloads/tickets.ts';
import { createVisitLog } from '#server/actions/messages/page-visits.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sha256Of, someBytes } from '#test/kit/content.ts';
import { unknownVisitor } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import {
  browserOf,
  browserProving,
  countersOf,
  inlineFile,
  newPerson,
  readMessage,
  sendMessage,
  tracesOf,
} from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven quiet lamps under a river';
const secretName = 'harbour-plan.txt';
const secretText = 'Meet at the old quay.';

onEachDatabase('The page of a message', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    const group = await app.group('Senders', { message_can_use_anyone: true });
    alice = await newPerson(app, 'alice', { group, password });
    await newPerson(app, 'lea', { password });
    await newPerson(app, 'out', { group: 'external-users', email: 'out@elsewhere.example', password });
    await newPerson(app, 'aliased', { group: 'external-users', email: 'aliased@elsewhere.example', password });
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'aliased-elsewhere-example' },
      body: { user: { recipient_aliases: ['ben@harbour.example'] } },
    });
  });

  async function eventsAbout(id: string): Promise<string[]> {
    const rows = await app.app.ctx.db.read.selectFrom('events').select('action').where('object_id', '=', id).execute();
    return rows.map(({ action }) => action);
  }

  const people = {
    recipients: ['ben@harbour.example', 'eve@quay.example'],
    cc: ['cleo@pier.example'],
    bcc: ['dora@gmail.com'],
  };

  /** A message with one file to Ben, Cleo and Dora; Eve's access was revoked. */
  async function send(authorization: number, more: Record<string, unknown> = {}) {
    const { id } = await sendMessage(alice, {
      ...people,
      authorization,
      subject: 'Plans',
      message: secretText,
      attachments: [inlineFile(secretName, 'the plan')],
      ...more,
    });
    await app.app.ctx.db.write((tx) =>
      tx
        .updateTable('message_recipients')
        .set({ state: 'revoked' })
        .where('message_id', '=', id)
        .where('address', '=', 'eve@quay.example')
        .execute(),
    );
    const [file] = (await readMessage(alice, id)).attachments;
    return { id, page: `/message/${id}`, downloadPath: `/message/${id}/download/${file?.id}` };
  }

  /** What a page permits: `open`, `prove` an address first, or nothing. */
  function kindOf(reply: PageReply): 'open' | 'prove' | 'no' {
    const isOpen = /action="[^"]*\/download\//.test(reply.text) || reply.text.includes(secretText);
    if (isOpen) assert.equal(reply.status, 200);
    if (!isOpen) assert.doesNotMatch(reply.text, /harbour-plan|old quay/, 'a page without access shows no content');
    if (isOpen) return 'open';
    if (reply.text.includes('/verify/address')) return 'prove';
    assert.equal(reply.status, 403);
    return 'no';
  }

  const fieldsOf = (reply: PageReply): Record<string, string> =>
    reply.text.includes('name="csrf"') ? { csrf: Browser.hidden(reply, 'csrf') } : {};

  test('is a plain 404 page for an unknown message, at every address', async () => {
    const browser = new Browser(app.url);
    const pages = new Set<string>();
    for (const id of ['A'.repeat(22), 'B'.repeat(22), 'short', `${'A'.repeat(22)}x`]) {
      const reply = await browser.get(`/message/${id}`);
      assert.equal(reply.status, 404, id);
      pages.add(
        Browser.withoutToken(reply.text)
          .replaceAll(id, '')
          .replace(/[A-Za-z0-9_-]{16}/g, ''),
      );
    }
    assert.equal(pages.size, 1);
  });

  test('refuses a form from a foreign page, or without the token of the session', async () => {
    const { downloadPath, id } = await send(0);
    const browser = new Browser(app.url);
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of foreign)
      assert.equal((await browser.submit(downloadPath, {}, headers)).status, 403, JSON.stringify(headers));
    const lea = await browserOf(app, 'lea@example.com', password);
    assert.equal((await lea.submit(downloadPath)).status, 403);
    assert.equal((await lea.submit(downloadPath, { csrf: 'x'.repeat(43) })).status, 403);
    assert.equal((await lea.submit(downloadPath, fieldsOf(await lea.get(`/message/${id}`)))).status, 303);
    assert.deepEqual(await countersOf(app, id), {});
  });

  test('refuses every form with a missing or wrong token of the session, and counts nothing then', async () => {
    const lea = await browserOf(app, 'lea@example.com', password);
    const recipients = ['lea@example.com'];
    const plain = await send(3, { recipients, attachments: [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')] });
    const hidden = await send(3, { recipients, private_message: true });
    for (const { id, page, form } of [
      { ...plain, form: plain.downloadPath },
      { ...plain, form: `${plain.page}/download` },
      { ...hidden, form: `${hidden.page}/read` },
    ]) {
      const right = fieldsOf(await lea.get(page));
      assert.ok(right.csrf, form);
      for (const fields of [{}, { csrf: '' }, { csrf: 'x'.repeat(right.csrf.length) }] as Record<string, string>[])
        assert.equal((await lea.post(form, fields)).status, 403, `${form} ${JSON.stringify(fields)}`);
      assert.deepEqual(await countersOf(app, id), {}, form);
      assert.equal((await lea.post(form, right)).status, 303, form);
    }
    assert.deepEqual(await countersOf(app, hidden.id), { 'lea@example.com': 1 });
  });

  testOnce('shows how many downloads of one file are left, and when none are', async () => {
    const { page, downloadPath } = await send(3, { expires_after: 2 });
    const ben = await browserProving(app, 'ben@harbour.example');
    for (const words of [/2 downloads left/, /1 download left/]) {
      assert.match((await ben.get(page)).words, words);
      assert.equal((await ben.get((await ben.post(downloadPath)).location!)).status, 200);
      await untilDownloadsEnd(app);
    }
    assert.match((await ben.get(page)).words, /No downloads left/);
    assert.doesNotMatch((await ben.post(downloadPath)).location ?? '', /^\/dl\//);
    const cleo = await browserProving(app, 'cleo@pier.example');
    assert.match((await cleo.get(page)).words, /2 downloads left/, 'each person has their own');
    const unlimited = await send(3);
    assert.doesNotMatch((await ben.get(unlimited.page)).words, /downloads? left/);
  });

  testOnce('shows at each file how many downloads are left once they differ', async () => {
    const attachments = [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')];
    const recipients = ['ben@harbour.example'];
    const { id } = await sendMessage(alice, { recipients, authorization: 3, expires_after: 3, attachments });
    const ben = await browserProving(app, recipients[0]!);
    const first = await ben.get(`/message/${id}`);
    assert.match(first.words, /3 downloads of each file left/);
    const form = /action="([^"]*\/download\/[^"]+)"/.exec(first.text)![1]!;
    assert.equal((await ben.get((await ben.post(form)).location!)).status, 200);
    await untilDownloadsEnd(app);
    assert.match((await ben.get(`/message/${id}`)).words, /2 downloads left.*3 downloads left/s);
  });

  /** One letter for each level from 0 to 4: open, prove first, no. */
  const visitors: [who: string, arrive: () => Promise<Browser>, levels: string, counts: string][] = [
    ['an unknown visitor', async () => new Browser(app.url), 'opppp', ''],
    ['a To recipient', () => browserProving(app, 'ben@harbour.example'), 'ooooo', 'ben@harbour.example'],
    ['a Cc recipient', () => browserProving(app, 'cleo@pier.example'), 'ooooo', 'cleo@pier.example'],
    ['a Bcc recipient', () => browserProving(app, 'dora@gmail.com'), 'ooooo', 'dora@gmail.com'],
    ['a stranger', () => browserProving(app, 'sam@nowhere.example'), 'oonnn', 'sam@nowhere.example'],
    ['a colleague of a recipient', () => browserProving(app, 'zoe@harbour.example'), 'oonno', 'zoe@harbour.example'],
    ['a visitor at the same public provider', () => browserProving(app, 'zoe@gmail.com'), 'oonnn', 'zoe@gmail.com'],
    ['a visitor in a sub-domain', () => browserProving(app, 'ben@a.harbour.example'), 'oonnn', 'ben@a.harbour.example'],
    ['an address with a plus', () => browserProving(app, 'dora+x@gmail.com'), 'oonnn', 'dora+x@gmail.com'],
    [
      'a recipient whose access was revoked',
      () => browserProving(app, 'eve@quay.example'),
      'nnnnn',
      'eve@quay.example',
    ],
    ['a local user who signed in', () => browserOf(app, 'lea@example.com', password), 'ooonn', 'lea@example.com'],
    [
      'a local user who only proved the address',
      () => browserProving(app, 'lea@example.com'),
      'oonnn',
      'lea@example.com',
    ],
    [
      'an outside user who signed in',
      () => browserOf(app, 'out@elsewhere.example', password),
      'oonnn',
      'out@elsewhere.example',
    ],
    [
      'an outside user with the alias of a recipient',
      () => browserOf(app, 'aliased@elsewhere.example', password),
      'ooooo',
      'ben@harbour.example',
    ],
  ];

  test('admits exactly the visitors that each level names, page and bytes alike', async () => {
    const kinds = { o: 'open', p: 'prove', n: 'no' } as const;
    const browsers: Browser[] = [];
    for (const [, arrive] of visitors) browsers.push(await arrive());
    for (let level = 0; level <= 4; level++) {
      const { id, page, downloadPath } = await send(level);
      const expected: Record<string, number> = {};
      for (const [index, [who, , levels, counts]] of visitors.entries()) {
        const browser = browsers[index]!;
        const what = `${who} at level ${level}`;
        const shown = await browser.get(page);
        const kind = kinds[levels[level] as keyof typeof kinds];
        assert.equal(kindOf(shown), kind, what);
        const clicked = await browser.submit(downloadPath, fieldsOf(shown));
        if (kind !== 'open') {
          assert.equal(clicked.location, page, what);
          assert.equal(kindOf(await browser.get(page)), kind, what);
          continue;
        }
        const bytes = await browser.get(clicked.location!);
        assert.equal(bytes.text, 'the plan', what);
        const identity = level === 0 ? '' : counts;
        expected[identity] = (expected[identity] ?? 0) + 1;
        // Some of the visitors are one person: the next one would continue this download.
        await untilDownloadsEnd(app);
      }
      assert.deepEqual(await countersOf(app, id), expected, `level ${level}`);
    }
  });

  test('counts nothing when viewed, and records only the visit, however often', async () => {
    const { id, page } = await send(1, { expires_after: 1 });
    const ben = await browserProving(app, 'ben@harbour.example');
    await ben.get(page);
    await until(async () => (await eventsAbout(id)).includes('message.opened'));
    const before = await tracesOf(app);
    for (let count = 0; count < 3; count++) {
      await ben.get(page);
      await ben.head(page);
      await new Browser(app.url).get(page);
    }
    assert.deepEqual(await tracesOf(app), before);
    assert.deepEqual(await countersOf(app, id), {});
  });

  test('counts a returning visitor once more, and reports them once', async () => {
    const { id, page } = await send(1);
    const ben = await browserProving(app, 'ben@harbour.example');
    const visits = async () => {
      const { read } = app.app.ctx.db;
      const rows = await read.selectFrom('message_visits').selectAll().where('message_id', '=', id).execute();
      return rows.map((row) => [row.address, Number(row.count), Number(row.first_at), Number(row.last_at)]);
    };
    const first = app.clock.now();
    await ben.get(page);
    await until(async () => (await visits()).length === 1);
    // Five seconds apart are two visits, a moment less is the same one.
    for (const apartMs of [4999, 1]) {
      app.clock.advance(apartMs);
      await ben.get(page);
    }
    await until(async () => (await visits())[0]![1] === 2);
    assert.deepEqual(await visits(), [['ben@harbour.example', 2, first, first + 5000]]);
    const opened = (await eventsAbout(id)).filter((action) => action === 'message.opened');
    assert.equal(opened.length, 1);
  });

  test('counts visits in quick succession as one, whichever process serves them', async () => {
    const { id } = await send(1);
    const seen = { browser: 'Firefox', device: 'Linux', network: '192.0.2.7', country: '', isScanner: false };
    const visit = { messageId: id, ownerId: '', address: '', ...seen };
    const visits = () =>
      app.app.ctx.db.read
        .selectFrom('message_visits')
        .select(['count', 'last_at'])
        .where('message_id', '=', id)
        .execute();
    const begunAt = app.clock.now();
    const [one, another] = [createVisitLog(app.app.ctx), createVisitLog(app.app.ctx)];
    one.add(systemCaller, visit);
    await until(async () => (await visits()).length === 1);
    app.clock.advance(4999);
    another.add(systemCaller, visit);
    app.clock.advance(5000);
    another.add(systemCaller, visit);
    await until(async () => Number((await visits())[0]!.last_at) === begunAt + 9999);
    assert.equal(Number((await visits())[0]!.count), 2);
  });

  testOnce('shows sender and subject before access, of a private message not even the subject', async () => {
    const open = await new Browser(app.url).get((await send(3)).page);
    assert.match(open.text, /Plans/);
    assert.match(open.text, /alice@example\.com/);
    const closed = await new Browser(app.url).get((await send(3, { private_message: true })).page);
    assert.doesNotMatch(closed.text, /Plans/);
    assert.match(closed.text, /alice@example\.com/);
  });

  test('shows Bcc recipients to no one, and the others to all', async () => {
    const { page } = await send(3);
    for (const address of ['ben@harbour.example', 'dora@gmail.com']) {
      const { text } = await (await browserProving(app, address)).get(page);
      assert.match(text, /cleo@pier\.example/);
      assert.doesNotMatch(text, /dora@gmail\.com/);
    }
  });

  test('shows hostile text as text', async () => {
    const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>`;
    const { page } = await send(3, {
      subject: evil,
      message: evil,
      attachments: [inlineFile('<svg onload=alert(3)>.txt', 'x')],
    });
    const { text, headers } = await (await browserProving(app, 'ben@harbour.example')).get(page);
    assert.doesNotMatch(text, /<script>alert|<img src=x|<svg onload/);
    assert.match(text, /&lt;script&gt;alert/);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
  });

  test('is open to the sender at every level, whose downloads are not counted', async () => {
    const { id, page, downloadPath } = await send(3, { expires_after: 1, message: secretText });
    const browser = await browserOf(app, alice.email, password);
    for (let count = 0; count < 3; count++) {
      const shown = await browser.get(page);
      assert.equal(kindOf(shown), 'open');
      const clicked = await browser.submit(downloadPath, fieldsOf(shown));
      assert.equal((await browser.get(clicked.location!)).text, 'the plan');
    }
    assert.deepEqual(await countersOf(app, id), {});
  });

  testOnce('has no button for a file that is used up, for this visitor only', async () => {
    const { page, downloadPath } = await send(3, { expires_after: 1 });
    const ben = await browserProving(app, 'ben@harbour.example');
    const ticket = (await ben.submit(downloadPath)).location!;
    assert.equal((await ben.get(ticket)).status, 200);
    const used = await until(async () => {
      const shown = await ben.get(page);
      return !shown.text.includes('/download/') && shown;
    });
    assert.equal(used.status, 200);
    assert.ok(used.text.includes(secretName));
    assert.match((await ben.submit(downloadPath)).words, /All permitted downloads have been used/);
    const cleo = await browserProving(app, 'cleo@pier.example');
    assert.equal(kindOf(await cleo.get(page)), 'open');
  });

  testOnce('serves ranges, resumed downloads and a known copy under a ticket as one download', async () => {
    const bytes = someBytes(300_000);
    const { id, downloadPath } = await send(0, { expires_after: 1, attachments: [inlineFile('large.bin', bytes)] });
    const browser = new Browser(app.url);
    const ticket = (await browser.submit(downloadPath)).location!;
    assert.match(ticket, /^\/dl\/[A-Za-z0-9]{22}\/large\.bin$/);
    assert.equal((await browser.head(ticket)).status, 200);
    assert.deepEqual(await countersOf(app, id), {});
    const received = [];
    for (const range of ['bytes=0-99999', 'bytes=100000-199999', 'bytes=200000-'])
      received.push((await browser.get(ticket, { range })).bytes);
    assert.equal(sha256Of(Buffer.concat(received)), sha256Of(bytes));
    assert.equal((await browser.get(ticket, { 'if-none-match': `"${sha256Of(bytes)}"` })).status, 304);
    assert.deepEqual(await countersOf(app, id), { '': 1 });
  });

  test('serves the file once per click, however small it is and however soon it is requested again', async () => {
    const { id, downloadPath } = await send(0, { expires_after: 1, attachments: [inlineFile('tiny.txt', 'tiny')] });
    const browser = new Browser(app.url);
    const ticket = (await browser.submit(downloadPath)).location!;
    const statuses = [];
    for (let count = 0; count < 5; count++) statuses.push((await browser.get(ticket)).status);
    assert.deepEqual(statuses, [200, 410, 410, 410, 410]);
    assert.deepEqual(await countersOf(app, id), { '': 1 });
  });

  testOnce('ends a ticket with the right it was issued for', async () => {
    const { id, downloadPath, page } = await send(2);
    const ben = await browserProving(app, 'ben@harbour.example');
    const lea = await browserOf(app, 'lea@example.com', password);
    const bens = (await ben.submit(downloadPath)).location!;
    const leas = (await lea.submit(downloadPath, fieldsOf(await lea.get(page)))).location!;
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('message_recipients').set({ state: 'revoked' }).where('message_id', '=', id).execute(),
    );
    assert.equal((await ben.get(bens)).status, 403);
    const move = (group: string) =>
      app.admin.expect(200, 'changeUser', { params: { id: 'lea-example-com' }, body: { user: { group } } });
    await move('external-users');
    assert.equal((await lea.get(leas)).status, 403);
    await move('local-users');
    const again = await browserOf(app, 'lea@example.com', password);
    again.cookies.set('local-visitor', lea.cookies.get('local-visitor')!);
    assert.equal((await again.get(leas)).status, 200);
  });

  testOnce('ends a ticket with the alias or the account it was issued for', async () => {
    const change = (user: Record<string, unknown>) =>
      app.admin.expect(200, 'changeUser', { params: { id: 'aliased-elsewhere-example' }, body: { user } });
    const { downloadPath, page } = await send(3, { attachments: [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')] });
    const fetchOnce = async (form: string) => {
      const browser = await browserOf(app, 'aliased@elsewhere.example', password);
      const ticket = (await browser.submit(form, fieldsOf(await browser.get(page)))).location!;
      return async () => (await browser.get(ticket)).status;
    };
    // One file, and the archive of all.
    for (const form of [downloadPath, `${page}/download`]) {
      const byAlias = await fetchOnce(form);
      await change({ recipient_aliases: [] });
      assert.equal(await byAlias(), 403, form);
      await change({ recipient_aliases: ['ben@harbour.example'] });
      const byAccount = await fetchOnce(form);
      await change({ disabled: true });
      assert.equal(await byAccount(), 403, form);
      await change({ disabled: false });
      assert.equal(await byAccount(), 200, form);
    }
    const ben = await browserProving(app, 'out@elsewhere.example');
    const toOut = await send(3, { recipients: ['out@elsewhere.example'] });
    const proven = (await ben.submit(toOut.downloadPath)).location!;
    const setDisabled = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: 'out-elsewhere-example' }, body: { user: { disabled } } });
    await setDisabled(true);
    assert.equal((await ben.get(proven)).status, 403, 'a proven address of a disabled account does not help');
    await setDisabled(false);
    assert.equal((await ben.get(proven)).status, 200);
  });

  test('refuses the grant of a right that is revoked between viewing and granting', async () => {
    const { ctx } = app.app;
    for (const [level, recipient, address] of [
      [3, 'ben@harbour.example', 'ben@harbour.example'],
      [4, 'x_y@pier-1.example', 'colleague@pier-1.example'],
    ] as const) {
      const { id } = await send(level, { recipients: [recipient], cc: [], bcc: [] });
      const attachmentId = (await readMessage(alice, id)).attachments[0]!.id;
      const { ticket } = await issueTicket(ctx, {
        attachmentId,
        ownerId: 'alice-example-com',
        linkId: null,
        messageId: id,
        recipient: address,
        identity: address,
        accountId: null,
        kind: 'visitor',
        expiresAt: app.clock.now() + 86_400_000,
      });
      const delivery = await openOwnTicket(ctx, await callerFor(app, alice), ticket);
      const setState = (state: 'active' | 'revoked') =>
        ctx.db.write((tx) =>
          tx.updateTable('message_recipients').set({ state }).where('message_id', '=', id).execute(),
        );
      const grant = () =>
        grantBytes(ctx, systemCaller, { delivery, range: { start: 0, end: 1 }, visitor: unknownVisitor, servedBy: '' });
      await setState('revoked');
      await assert.rejects(grant(), { code: 'download.used_up' });
      await setState('active');
      assert.ok((await grant()).number > 0);
    }
  });

  test('no longer serves expired or withdrawn files, also with tickets, and says who sent them', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const expiring = await send(0, { expires_at: today });
    const withdrawn = await send(0);
    const browser = new Browser(app.url);
    const tickets = [];
    for (const { downloadPath } of [expiring, withdrawn]) tickets.push((await browser.submit(downloadPath)).location!);
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: withdrawn.id } });
    assert.equal((await browser.get(tickets[1]!)).status, 410);
    app.clock.advance(86_400_000);
    assert.ok([404, 410].includes((await browser.get(tickets[0]!)).status));
    for (const { page, downloadPath } of [expiring, withdrawn]) {
      for (const reply of [await browser.get(page), await browser.send(downloadPath), await browser.get(tickets[1]!)]) {
        assert.equal(reply.status, 410);
        assert.match(reply.text, /alice/);
        assert.match(reply.words, /Plans/, 'the subject, which is visible to all with the link');
        assert.match(reply.text, /mailto:alice@[^"]*subject=[^"]*Plans/);
        assert.doesNotMatch(reply.words, /harbour-plan|old quay/);
      }
    }
  });

  test('shows the day on which a message was withdrawn', async () => {
    const { id, page } = await send(0);
    const day = new Date(app.clock.now());
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    app.clock.advance(3 * 86_400_000);
    const words = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' }).formatToParts(day);
    const { text } = await new Browser(app.url).get(page);
    for (const { value } of words.filter(({ type }) => type !== 'literal')) assert.ok(text.includes(value), value);
  });

  testOnce('accepts an address proven by the code that was mailed to it, and by no other', async () => {
    const { id, page } = await send(3);
    const target = `message:${id}`;
    const stranger = new Browser(app.url);
    const asked = await stranger.send('/verify/address', { target, address: 'sam@nowhere.example' });
    const codes = async () => (await mailbox.post(app)).filter(({ kind }) => kind === 'code');
    assert.deepEqual(await codes(), []);
    const browser = new Browser(app.url);
    const alike = await browser.send('/verify/address', { target, address: 'BEN@harbour.example' });
    assert.equal(alike.status, asked.status);
    // The entered address is repeated in hidden fields and, masked, in the text; nothing else may differ.
    const neutral = (text: string) =>
      Browser.withoutToken(text)
        .replace(/BEN@harbour\.example|sam@nowhere\.example/g, '@')
        .replace(/[BbSs]•••@[\w.]+/g, '•');
    assert.equal(neutral(alike.text), neutral(asked.text));
    const [mail] = await codes();
    assert.equal(mail!.to, 'ben@harbour.example');
    const code = codeIn(mail!);
    assert.equal((await stranger.send('/verify/code', { target, code })).status, 422, 'another browser gains nothing');
    assert.equal((await browser.send('/verify/code', { target, code: 'AAAA-AAAA' })).status, 422);
    const done = await browser.submit('/verify/code', { target, code: code.toLowerCase().replace('-', ' ') });
    assert.equal(done.location, page);
    assert.equal(kindOf(await browser.get(page)), 'open');
    assert.equal(kindOf(await stranger.get(page)), 'prove');
  });

  test('shows the text of a private message after a click, which is reported to the sender once', async () => {
    const { id, page } = await send(3, { private_message: true });
    const ben = await browserProving(app, 'ben@harbour.example');
    for (let count = 0; count < 2; count++) assert.ok(!(await ben.get(page)).text.includes(secretText));
    assert.deepEqual(await mailbox.postAbout(app, id), []);
    const stranger = new Browser(app.url);
    assert.equal((await stranger.submit(`${page}/read`)).location, page, 'visitors without access are redirected');
    assert.equal((await stranger.submit(`/message/${'A'.repeat(22)}/read`)).location, `/message/${'A'.repeat(22)}`);
    for (let count = 0; count < 3; count++) assert.ok((await ben.send(`${page}/read`)).text.includes(secretText));
    assert.ok((await ben.get(page)).text.includes(secretText), 'a reload shows it again');
    const other = await browserProving(app, 'ben@harbour.example');
    assert.ok(!(await other.get(page)).text.includes(secretText), 'another browser has to click');
    const stolen = await browserProving(app, 'cleo@pier.example');
    for (const [name, value] of ben.cookies) if (name.startsWith('local-read-')) stolen.cookies.set(name, value);
    assert.ok(!(await stolen.get(page)).text.includes(secretText), 'the click opens nothing for others');
    const notices = await mailbox.postAbout(app, id);
    assert.deepEqual(
      notices.map(({ kind, to }) => [kind, to]),
      [['read-notice', alice.email]],
    );
    assert.match(notices[0]!.text, /ben@harbour\.example/);
    assert.doesNotMatch(notices[0]!.text, /old quay/);
    const cleo = await browserProving(app, 'cleo@pier.example');
    await cleo.submit(`${page}/read`);
    assert.equal((await mailbox.postAbout(app, id)).length, 1, 'each reader is reported');
  });

  testOnce('shows a private message to the sender without a click, and reports nothing', async () => {
    const { id, page } = await send(3, { private_message: true });
    const browser = await browserOf(app, alice.email, password);
    const shown = await browser.get(page);
    assert.ok(shown.text.includes(secretText));
    await browser.submit(`${page}/read`, fieldsOf(shown));
    assert.deepEqual(await mailbox.postAbout(app, id), []);
  });

  testOnce('opens a private message as often as its limit says, for each person who may open it', async () => {
    for (const [level, address] of [
      [3, 'ben@harbour.example'],
      [1, 'sam@nowhere.example'],
      [4, 'zoe@harbour.example'],
    ] as const) {
      const { id, page } = await send(level, { private_message: true, expires_after: 2 });
      const browser = await browserProving(app, address);
      const forget = () => {
        for (const name of browser.cookies.keys()) if (name.startsWith('local-read-')) browser.cookies.delete(name);
      };
      for (let count = 0; count < 2; count++) {
        assert.ok((await browser.send(`${page}/read`)).text.includes(secretText));
        assert.ok((await browser.send(`${page}/read`)).text.includes(secretText), 'open already: not counted again');
        forget();
      }
      const over = await browser.send(`${page}/read`);
      assert.match(over.words, /as often as allowed/, `${address} at level ${level}`);
      assert.ok(!over.text.includes(secretText));
      assert.equal((await mailbox.postAbout(app, id)).length, 1, `${address} at level ${level} is reported once`);
      const other = await browserProving(app, 'dora@gmail.com');
      assert.ok((await other.send(`${page}/read`)).text.includes(secretText));
    }
  });

  test('shows the text to no more than the limit of concurrent clicks on Read', async () => {
    const { page } = await send(3, { private_message: true, expires_after: 3 });
    const browser = await browserProving(app, 'ben@harbour.example');
    const replies = await Promise.all(Array.from({ length: 20 }, () => browser.post(`${page}/read`)));
    const sets = (name: string) => (reply: PageReply) =>
      reply.headers.getSetCookie().some((line) => line.startsWith(`local-${name}`));
    assert.equal(replies.filter(sets('read-')).length, 3);
    assert.equal(replies.filter(sets('flash')).length, 17);
  });
});
