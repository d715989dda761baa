import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { linksIn, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { browserOf, browserProving, fileUrlOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const password = 'seven lamps under a quiet river';

onEachDatabase('receipts', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice', { password });
  beforeEach(async () => {
    app.clock.advance(30 * minuteMs);
    await mailbox.post(app);
  });

  const receiptMails = () => mailbox.postTo(app, alice.email);
  const newMessage = (more: Record<string, unknown> = {}) =>
    sendMessage(alice, {
      recipients: ['ben@harbour.example', 'cleo@harbour.example'],
      subject: 'Plans',
      attachments: [inlineFile('plan.txt', 'the plan'), inlineFile('costs.txt', 'the costs')],
      ...more,
    });
  const submitForm = async (browser: Browser, action: string, csrf?: string) => {
    const { location } = await browser.submit(action, csrf === undefined ? {} : { csrf });
    assert.ok(location !== null, `${action} led nowhere`);
    await fetchWhole(browser, location);
  };
  const deliveredBytes = async () => {
    const rows = await app.app.ctx.db.read.selectFrom('downloads').select('sent_bytes').execute();
    return rows.reduce((sum, row) => sum + Number(row.sent_bytes), 0);
  };
  /** The last byte arrives before the delivery is recorded, so this waits for the record. */
  const fetchWhole = async (browser: Browser, path: string, headers: Record<string, string> = {}) => {
    const before = await deliveredBytes();
    const { status, bytes } = await browser.get(path, headers);
    assert.ok(status === 200 || status === 206, `${path} answered ${status}`);
    while ((await deliveredBytes()) < before + bytes.length) await new Promise((resolve) => setImmediate(resolve));
  };
  const download = async (browser: Browser, id: string, index = 0) => {
    const page = await browser.get(`/message/${id}`);
    const actions = [...page.text.matchAll(/action="([^"]*\/download\/[^"]*)"/g)].map(([, action]) => action!);
    const csrf = page.text.includes('name="csrf"') ? Browser.hidden(page, 'csrf') : undefined;
    await submitForm(browser, actions[index]!, csrf);
  };

  test("the owner's own downloads are not reported, by key, on the message page and at the link", async () => {
    const { id } = await newMessage();
    const own = await browserOf(app, alice.email, password);
    await download(own, id);
    const link = await newLink(alice);
    await submitForm(own, `/link/${link.id}/download`);
    assert.equal((await alice.fetch(await fileUrlOf(alice, id))).status, 200);
    assert.deepEqual(await receiptMails(), []);
    app.clock.advance(10 * minuteMs);
    assert.deepEqual(await receiptMails(), []);
  });

  testOnce('a link with receipts switched off reports nothing', async () => {
    const link = await newLink(alice, { download_receipt: false });
    await submitForm(new Browser(app.url), `/link/${link.id}/download`);
    app.clock.advance(10 * minuteMs);
    assert.deepEqual(await receiptMails(), []);
  });

  testOnce('viewing, and a click without a download, are not reported', async () => {
    const { id } = await newMessage();
    const ben = await browserProving(app, 'ben@harbour.example');
    const page = await ben.get(`/message/${id}`);
    await ben.submit(/action="([^"]*\/download\/[^"]*)"/.exec(page.text)![1]!);
    assert.deepEqual(await receiptMails(), []);
  });

  testOnce('half a file is not reported; the second half completes the download', async () => {
    const { id } = await newMessage();
    const ben = await browserProving(app, 'ben@harbour.example');
    const page = await ben.get(`/message/${id}`);
    const { location } = await ben.submit(/action="([^"]*\/download\/[^"]*)"/.exec(page.text)![1]!);
    await fetchWhole(ben, location!, { range: 'bytes=0-3' });
    assert.deepEqual(await receiptMails(), []);
    await fetchWhole(ben, location!, { range: 'bytes=4-' });
    assert.equal((await receiptMails()).length, 1);
  });

  test('the first receipt is sent immediately and names person and file; the same download again is not reported', async () => {
    const { id } = await newMessage();
    const ben = await browserProving(app, 'ben@harbour.example');
    await download(ben, id);
    const [mail, ...others] = await receiptMails();
    assert.deepEqual(others, []);
    assert.match(mail!.subject, /ben@harbour\.example/);
    assert.match(mail!.subject, /plan\.txt/);
    await download(ben, id);
    app.clock.advance(10 * minuteMs);
    assert.deepEqual(await receiptMails(), []);
  });

  testOnce(
    'a receipt links to the app, is threaded below the copy of the message, and cannot be answered',
    async () => {
      const { id } = await newMessage({ send_email: true, bcc_myself: true });
      const copy = (await mailbox.post(app)).find(({ kind }) => kind === 'copy-to-sender');
      await download(await browserProving(app, 'ben@harbour.example'), id);
      const [mail] = await receiptMails();
      assert.ok(linksIn(mail!).includes(`${app.url}/app/sent/${id}`), mail!.text);
      assert.equal(mail!.headers['Auto-Submitted'], 'auto-generated');
      assert.equal(mail!.headers['X-Auto-Response-Suppress'], 'All');
      assert.equal(mail!.headers.References, copy!.messageId);
      const link = await newLink(alice);
      await submitForm(new Browser(app.url), `/link/${link.id}/download`);
      const [ofLink] = await receiptMails();
      assert.ok(linksIn(ofLink!).includes(`${app.url}/app/links/${link.id}`), ofLink!.text);
      assert.equal(ofLink!.headers.References, undefined);
    },
  );

  testOnce('a receipt lists who is missing only for a message whose visitors prove an address', async () => {
    const group = await app.group('Open messages', { message_can_use_anyone: true });
    const olga = await newPerson(app, 'olga', { group });
    for (const [authorization, button] of [
      [0, 'See all downloads'],
      [3, 'See who has not'],
    ] as const) {
      const attachments = [inlineFile('plan.txt', 'the plan')];
      const recipients = ['ben@harbour.example'];
      const { id } = await sendMessage(olga, { recipients, attachments, authorization, send_email: false });
      await download(await browserProving(app, 'ben@harbour.example'), id);
      const [mail] = await mailbox.postTo(app, olga.email);
      assert.ok(mail!.text.includes(`${button}:`), mail!.text);
    }
  });

  testOnce('downloads while receipts were off are not reported later either', async () => {
    const { id } = await newMessage();
    await alice.expect(200, 'changeNotices', { body: { receipts: 'off' } });
    await download(await browserProving(app, 'ben@harbour.example'), id);
    await alice.expect(200, 'changeNotices', { body: { receipts: 'at_once' } });
    await download(await browserProving(app, 'cleo@harbour.example'), id);
    app.clock.advance(10 * minuteMs);
    const [mail, ...more] = await receiptMails();
    assert.deepEqual(more, []);
    assert.match(mail!.text, /cleo@harbour\.example/);
    assert.doesNotMatch(mail!.text, /ben@harbour\.example/);
  });

  testOnce(
    'a mail program can switch receipts off with one POST; opening the address leads to the setting',
    async () => {
      const { id } = await newMessage();
      const ben = await browserProving(app, 'ben@harbour.example');
      await download(ben, id);
      const [mail] = await receiptMails();
      assert.equal(mail!.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
      const url = /^<(.*)>$/.exec(mail!.headers['List-Unsubscribe'] ?? '')![1]!;
      const opened = await new Browser(app.url).get(new URL(url).pathname);
      assert.deepEqual([opened.status, opened.location], [303, '/app/account/notices']);
      const oneClick = (address: string, body = 'List-Unsubscribe=One-Click') =>
        fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      for (const wrong of [`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`, url.replace('receipts', 'reminders')])
        assert.equal((await oneClick(wrong)).status, 404, wrong);
      assert.equal((await oneClick(url, 'x=y')).status, 404);
      await download(ben, id, 1);
      app.clock.advance(10 * minuteMs);
      assert.equal((await receiptMails()).length, 1, 'nothing was switched off so far');
      for (let count = 0; count < 2; count++) assert.equal((await oneClick(url)).status, 200);
      await download(await browserProving(app, 'cleo@harbour.example'), id);
      app.clock.advance(10 * minuteMs);
      assert.deepEqual(await receiptMails(), []);
      await alice.expect(200, 'changeNotices', { body: { receipts: 'at_once' } });
    },
  );

  testOnce('further downloads are collected for ten minutes into one mail', async () => {
    const { id } = await newMessage();
    const ben = await browserProving(app, 'ben@harbour.example');
    const cleo = await browserProving(app, 'cleo@harbour.example');
    await download(ben, id);
    assert.equal((await receiptMails()).length, 1);
    await download(ben, id, 1);
    await download(cleo, id);
    app.clock.advance(minuteMs);
    await download(cleo, id, 1);
    app.clock.advance(9 * minuteMs - 1);
    assert.deepEqual(await receiptMails(), []);
    app.clock.advance(1);
    const [mail, ...others] = await receiptMails();
    assert.deepEqual(others, []);
    assert.match(mail!.subject, /3 downloads/);
    assert.equal(mail!.text.match(/costs\.txt/g)?.length, 2);
    assert.match(mail!.text, /cleo@harbour\.example/);
  });

  testOnce('a delayed receipt has the same content at its second attempt', async () => {
    const { id } = await newMessage();
    await download(await browserProving(app, 'ben@harbour.example'), id);
    const tries: string[] = [];
    mailbox.transport.answer = (mail) => {
      tries.push(mail.text);
      return { outcome: 'deferred', reason: 'later' };
    };
    await mailbox.post(app);
    mailbox.transport.answer = null;
    await download(await browserProving(app, 'cleo@harbour.example'), id);
    app.clock.advance(minuteMs);
    const [again] = await receiptMails();
    assert.equal(again!.text, tries[0]);
    app.clock.advance(10 * minuteMs);
    const [later] = await receiptMails();
    assert.match(later!.text, /cleo@harbour\.example/);
  });

  test('unknown visitors of a link are reported once per file', async () => {
    const link = await newLink(alice);
    for (let index = 0; index < 3; index++) await submitForm(new Browser(app.url), `/link/${link.id}/download`);
    assert.equal((await receiptMails()).length, 1);
    app.clock.advance(10 * minuteMs);
    assert.deepEqual(await receiptMails(), []);
    const other = await newLink(alice);
    await submitForm(new Browser(app.url), `/link/${other.id}/download`);
    assert.equal((await receiptMails()).length, 1);
  });

  test('reading a private message is reported once for each person, and not for the sender', async () => {
    const { id } = await newMessage({ private_message: true, message: 'hush' });
    const own = await browserOf(app, alice.email, password);
    const page = await own.get(`/message/${id}`);
    await own.submit(`/message/${id}/read`, { csrf: Browser.hidden(page, 'csrf') });
    assert.deepEqual(await receiptMails(), []);
    for (const reader of ['ben@harbour.example', 'cleo@harbour.example']) {
      const browser = await browserProving(app, reader);
      for (let index = 0; index < 3; index++) assert.match((await browser.send(`/message/${id}/read`)).text, /hush/);
      const mails = await receiptMails();
      assert.equal(mails.length, 1);
      assert.match(mails[0]!.subject, /read your message/);
      assert.match(mails[0]!.text, new RegExp(reader));
    }
  });

  testOnce('an administrator who reads a key back is named to its owner; a refused one causes no mail', async () => {
    const eva = await app.person('eva');
    await mailbox.post(app);
    // The mailbox leaves out such notices, because the test kit itself reads keys; this test is about them.
    const { sent } = mailbox.transport;
    const before = sent.length;
    await eva.expect(403, 'getApiKey', { query: { email: alice.email } });
    await app.admin.expect(404, 'getApiKey', { query: { email: 'unknown@example.com' } });
    await mailbox.post(app);
    assert.equal(sent.length, before);
    await app.admin.expect(200, 'getApiKey', { query: { email: alice.email } });
    await mailbox.post(app);
    const [mail, ...others] = sent.slice(before).map((posted) => posted.mail);
    assert.deepEqual([mail!.to, others], [alice.email, []]);
    assert.match(mail!.subject, /API key was read/);
    assert.match(mail!.text, /root@example\.com/);
    assert.doesNotMatch(mail!.text, new RegExp(alice.key!));
  });
});
