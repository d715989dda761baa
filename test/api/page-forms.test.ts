import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { newPerson } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const sam = 'sam@elsewhere.example';
/** Larger than the cookie that restores a form on its page. */
const long = 'From the pier to the lighthouse. '.repeat(200);

onOneEngine('A form of a page for files', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let drop: string;
  let request: string;
  before(async () => {
    const group = await app.group('Trusting', { filedrop_confirm_sender: false });
    drop = await dropOf(await newPerson(app, 'alice', { group }));
    request = await requestOf(await newPerson(app, 'rita'));
  });

  async function dropOf(client: ApiClient): Promise<string> {
    const { body } = await client.expect(200, 'getAccount');
    return (body as { user: { filedrop_url: string } }).user.filedrop_url.slice(app.url.length);
  }
  async function requestOf(client: ApiClient): Promise<string> {
    const asked = { recipient: sam, subject: 'Your drawings', send_email: false };
    const { body } = await client.expect(200, 'createFileRequest', { body: { request: asked } });
    return `/requests/${wireForm(fileRequestAnswer, body).request.id}`;
  }
  /** A browser at a drop page, and a file that its script has uploaded. */
  async function handIn() {
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(drop), 'drop_key');
    const { body } = await app.anonymous.expect(200, 'uploadForDropPage', {
      params: { name: drop.split('/').at(-1)!, key: drop_key },
      query: { filename: 'plan.txt' },
      bytes: 'the plan',
    });
    return { browser, fields: { drop_key, email: sam, attachments: wireForm(attachmentAnswer, body).attachment.id } };
  }
  const complains = (reply: PageReply): string[] =>
    [...reply.text.matchAll(/id="([a-z]+)-error/g)].map(([, field]) => field!);

  test('shows errors beside their fields, and keeps the other values', async () => {
    const { browser, fields } = await handIn();
    for (const [wrong, field] of [
      [{ email: 'sam' }, 'email'],
      [{ email: '' }, 'email'],
      [{ subject: 'a\tb' }, 'subject'],
      [{ message: '\u0001' }, 'message'],
      [{ name: 'Sam Sailor\u0001' }, 'name'],
    ] as const) {
      const reply = await browser.send(drop, { ...fields, name: 'Sam Sailor', ...wrong });
      assert.deepEqual([reply.status, complains(reply)], [422, [field]], JSON.stringify(wrong));
      assert.ok(reply.text.includes('Sam Sailor') && reply.words.includes('plan.txt'));
    }
    const asked = await new Browser(app.url).sendFiles(request, { note: 'a\u0001b' }, [{ name: 'a.txt', bytes: 'x' }]);
    assert.deepEqual([asked.status, complains(asked)], [422, ['note']]);
    assert.ok(asked.words.includes('a.txt'), 'the chosen file is kept');
  });

  test('shows all errors at once, before a code is sent', async () => {
    const drop = await dropOf(await newPerson(app, 'cora'));
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(drop), 'drop_key');
    const wrong = { drop_key, email: sam, name: 'Sam\u0001', subject: 'a\tb', message: '\u0001' };
    const reply = await browser.send(drop, wrong);
    assert.deepEqual(complains(reply), ['files', 'name', 'subject', 'message']);
    assert.deepEqual(await mailbox.postTo(app, sam), []);
  });

  test('is restored completely however much was entered', async () => {
    const { browser, fields } = await handIn();
    const dropped = await browser.submit(drop, { ...fields, email: '', message: long });
    const answered = await new Browser(app.url).submitFiles(request, { note: long }, []);
    for (const [reply, field] of [
      [dropped, 'email'],
      [answered, 'files'],
    ] as const) {
      assert.deepEqual([reply.status, complains(reply)], [422, [field]]);
      assert.ok(reply.text.includes(long.trim()));
    }
  });

  test('returns errors directly to a script, for a browser without cookies', async () => {
    const { fields } = await handIn();
    const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };
    const dropped = await new Browser(app.url).post(drop, { ...fields, email: 'sam' }, script);
    assert.deepEqual([dropped.status, complains(dropped)], [422, ['email']]);
    const answered = await new Browser(app.url).post(
      request,
      { note: 'a\u0001b', attachments: 'A'.repeat(22) },
      script,
    );
    assert.deepEqual([answered.status, answered.location], [422, null]);
    for (const reply of [dropped, answered]) assert.deepEqual(reply.headers.getSetCookie(), []);
  });

  test('reports that it needs cookies to a browser without them', async () => {
    const target = `drop:${drop.split('/').at(-1)}`;
    const browser = new Browser(app.url);
    const csrf = Browser.hidden(await browser.get(`/verify/other?target=${target}`), 'csrf');
    browser.cookies.clear();
    const refused = await browser.submitBare('/verify/address', { csrf, target, address: sam });
    assert.equal(refused.status, 403);
    assert.match(refused.words, /Allow cookies for this site, then open the page again\./);
    assert.doesNotMatch(refused.words, /not sent from our own page/);
  });

  /** Enters the code that was mailed for a drop page, in the browser that requested it. */
  async function prove(browser: Browser, path: string): Promise<PageReply> {
    const [mail] = (await mailbox.post(app)).filter(({ kind }) => kind === 'code');
    return browser.submit('/verify/code', { target: `drop:${path.split('/').at(-1)}`, code: codeIn(mail!) });
  }

  test('is empty for a visitor who proves an address first', async () => {
    const browser = new Browser(app.url);
    await browser.send('/verify/address', { target: `drop:${drop.split('/').at(-1)}`, address: sam });
    const proven = await prove(browser, drop);
    assert.deepEqual([proven.status, proven.location], [303, drop]);
  });

  test('is not shown to a visitor who proves an address after the page was closed', async () => {
    const closing = await dropOf(await newPerson(app, 'closing'));
    const browser = new Browser(app.url);
    const fields = { drop_key: Browser.hidden(await browser.get(closing), 'drop_key'), email: sam };
    await browser.sendFiles(closing, fields, [{ name: 'plan.txt', bytes: 'the plan' }]);
    const params = { id: 'closing-example-com' };
    await app.admin.expect(200, 'changeUser', { params, body: { user: { disabled: true } } });
    const proven = await prove(browser, closing);
    assert.deepEqual([proven.status, proven.location], [303, closing]);
    assert.equal((await browser.get(closing)).status, 404);
  });
});
