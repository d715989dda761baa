import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Tables } from '#server/db/schema/schema.ts';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { onEachDatabase, type TestApp, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { DistantBrowser, linksIn, openDistantMailbox, pathIn } from '#test/kit/distant-browser.ts';
import { until } from '#test/kit/eventually.ts';
import { newLink } from '#test/kit/links.ts';
import { codeIn } from '#test/kit/mailbox.ts';
import { browserProving, inlineFile, sendMessage } from '#test/kit/messages.ts';

/** Everything but the event log and the state of jobs, which reading may change. */
const tables = [
  'settings',
  'groups',
  'users',
  'api_keys',
  'uploads',
  'parts',
  'attachments',
  'blob_erasures',
  'file_links',
  'tickets',
  'downloads',
  'reservations',
  'idempotency',
  'attempts',
  'messages',
  'message_recipients',
  'message_attachments',
  'counters',
  'codes',
  'proofs',
  'sessions',
  'one_time_tokens',
  'file_requests',
  'drop_keys',
  'outbox',
  'receipt_lines',
] as const satisfies (keyof Tables)[];

onEachDatabase('a scanner', (start) => {
  const mailbox = openDistantMailbox();
  let app: TestApp;
  let alice: ApiClient;
  let mails: OutgoingMail[];
  const reader = () => new DistantBrowser(app.url);
  const ben = reader;
  let code = '';
  let codeBrowser: DistantBrowser;
  let target = '';

  /** A whole day of the service, so that mails of many kinds are in the mailboxes. */
  before(async () => {
    app = await start(mailbox.options);
    alice = await app.person('alice', { password: 'seven lamps under a quiet river' });
    const file = inlineFile('plan.txt', 'the plan');
    const to = { recipients: ['ben@harbour.example'], send_email: true, subject: 'Plans' };
    const message = await sendMessage(alice, { ...to, attachments: [file], expires_after: 1 });
    const secret = await sendMessage(alice, { ...to, message: 'hush', private_message: true, expires_after: 1 });
    await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'ben@harbour.example', subject: 'x' } },
    });
    await app.admin.expect(200, 'createUser', { body: { user: { email: 'gwen@harbour.example', invite: true } } });
    await ben().submit('/forgot', { email: alice.email });
    codeBrowser = ben();
    target = `message:${message.id}`;
    await codeBrowser.submit('/verify/address', { target, address: 'ben@harbour.example' });
    const proven = await browserProving(app, 'ben@harbour.example');
    await proven.submit(`/message/${secret.id}/read`);
    const link = await newLink(alice);
    const pressed = await reader().submit(`/link/${link.id}/download`);
    await reader().get(pressed.location!);
    // The last byte arrives a moment before the delivery is recorded.
    await until(async () => {
      const owed = await app.app.ctx.db.read.selectFrom('outbox').select('id').where('kind', '=', 'receipt').execute();
      return owed.length > 0;
    });
    await mailbox.post(app);
    mails = mailbox.transport.sent.map(({ mail }) => mail);
    code = codeIn(mails.find((mail) => mail.subject.endsWith('is your code'))!);
  });
  after(() => app.close());

  const dump = async (): Promise<Record<string, string[]>> => {
    const all: Record<string, string[]> = {};
    for (const table of tables) {
      const rows = await app.app.ctx.db.read.selectFrom(table).selectAll().execute();
      all[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  };
  const everyLink = () =>
    [...new Set(mails.flatMap(linksIn))].map((url) => new URL(url)).filter((url) => url.origin === app.url);

  test('the mails of the scenario lead to all kinds of pages', () => {
    const kinds = new Set(everyLink().map((url) => url.pathname.split('/')[1]));
    for (const kind of ['message', 'requests', 'verify', 'reset', 'invite', 'app', 'notices'])
      assert.ok(kinds.has(kind), kind);
  });

  testOnce('that fetches every link in every way uses up nothing', async () => {
    const manners: [string, Record<string, string>][] = [
      ['GET', { accept: 'text/html' }],
      ['GET', { accept: '*/*', 'user-agent': 'Mozilla/5.0 (compatible; MailScanner/1.0)' }],
      ['GET', { range: 'bytes=0-0' }],
      ['GET', { 'sec-purpose': 'prefetch', purpose: 'prefetch', 'x-moz': 'prefetch' }],
      ['GET', { accept: 'application/json' }],
      ['HEAD', {}],
      ['OPTIONS', {}],
    ];
    const before = await dump();
    for (const url of everyLink()) {
      for (const [method, headers] of manners) {
        const reply = await fetch(url, { method, headers, redirect: 'manual' });
        await reply.arrayBuffer();
        assert.ok(reply.status < 500, `${method} ${url.pathname}: ${reply.status}`);
        // All but the cookie that binds the forms of a page to this browser, which proves nothing.
        const cookies = reply.headers.getSetCookie().filter((cookie) => !cookie.startsWith('local-pre='));
        assert.deepEqual(cookies, [], `${method} ${url.pathname} sets a cookie`);
      }
    }
    assert.deepEqual(await dump(), before);
  });

  testOnce('that follows the links inside the pages, too, uses up nothing', async () => {
    const seen = new Set<string>();
    const waiting = everyLink().map((url) => `${url.pathname}${url.search}`);
    const before = await dump();
    while (waiting.length > 0 && seen.size < 200) {
      const path = waiting.pop()!;
      if (seen.has(path)) continue;
      seen.add(path);
      const { text } = await reader().get(path);
      for (const [, href] of text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)) waiting.push(href!.replaceAll('&amp;', '&'));
    }
    assert.deepEqual(await dump(), before);
  });

  test('that submits every form without being one of our pages is refused, and uses up nothing', async () => {
    const before = await dump();
    let pressed = 0;
    for (const url of everyLink()) {
      const { text } = await reader().get(`${url.pathname}${url.search}`);
      for (const form of forms(text)) {
        const reply = await fetch(`${app.url}${form.action}`, {
          method: 'POST',
          body: new URLSearchParams({ ...form.fields, password: 'scanner scanner scanner', name: 'x' }),
          redirect: 'manual',
        });
        assert.equal(reply.status, 403, form.action);
        pressed++;
      }
    }
    assert.ok(pressed >= 4, `${pressed} forms`);
    assert.deepEqual(await dump(), before);
  });

  testOnce('leaves the code, the links, the request and the message usable', async () => {
    const proven = await codeBrowser.submit('/verify/code', { target, code });
    assert.equal(proven.status, 303);
    const page = await codeBrowser.get(proven.location!);
    const action = /action="([^"]*\/download\/[^"]*)"/.exec(page.text)![1]!;
    const ticket = await codeBrowser.submit(action);
    assert.equal((await codeBrowser.get(ticket.location!)).text, 'the plan', 'the one permitted download is left');
    const find = (start: string) => mails.find((mail) => mail.text.includes(`${app.url}${start}`))!;
    const fresh = { password: 'nine bridges over a loud canal', name: 'Gwen' };
    assert.equal((await ben().submit(pathIn(find('/reset/'), '/reset/'), fresh)).status, 303);
    assert.equal((await ben().submit(pathIn(find('/invite/'), '/invite/'), fresh)).status, 303);
    const request = pathIn(find('/requests/'), '/requests/');
    const delivered = await ben().sendFiles(request, {}, [{ name: 'answer.txt', bytes: 'yes' }]);
    assert.equal(delivered.status, 200, delivered.text);
  });

  test('that resolves a download address by HEAD does not use the download up', async () => {
    const link = await newLink(alice);
    const { location } = await reader().submit(`/link/${link.id}/download`);
    const before = await dump();
    assert.equal((await reader().head(location!)).status, 200);
    assert.deepEqual(await dump(), before);
    assert.equal((await reader().get(location!)).text, 'hello');
  });
});

/** The forms of a page with their values. */
function forms(html: string): { action: string; fields: Record<string, string> }[] {
  return [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, inside]) => ({
    action: action!,
    fields: Object.fromEntries(
      [...inside!.matchAll(/<input[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? '',
        /value="([^"]*)"/.exec(input)?.[1] ?? '',
      ]),
    ),
  }));
}
