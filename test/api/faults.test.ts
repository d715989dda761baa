import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { problem } from '#contract/problems.ts';
import { checkRecipients } from '#server/actions/contacts/contacts.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { issueLink } from '#server/actions/sessions/one-time-links.ts';
import { DatabaseBusy } from '#server/db/engine/errors.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { browserOf, browserProving, sendMessage } from '#test/kit/messages.ts';
import { assertInside, beyondBuffersBytes } from '#test/kit/outside.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const secret = 'relation "secret_table" at /srv/waybill/data has password hunter2';

onOneEngine('A fault of the server', (start) => {
  const app = useApp(start);

  test('reveals nothing to programs, whatever was thrown', async (context) => {
    const alice = await newPerson(app, 'alice');
    const cause = new Error(secret, { cause: new Error(secret) });
    for (const thrown of [cause, new TypeError(secret), secret, { message: secret, code: secret }]) {
      const fault = context.mock.method(app.app.ctx.settings, 'current', () => {
        throw thrown;
      });
      const reply = await alice.fetch('/account', { headers: { accept: 'application/json' } });
      fault.mock.restore();
      assert.equal(reply.status, 500);
      const { request_id, ...body } = problem.strict().parse(reply.body);
      assert.deepEqual(body, {
        errors: ['Something went wrong on our side. Try again, and tell us the request id if it keeps happening.'],
        code: 'server.fault',
      });
      assert.equal(reply.headers.get('x-request-id'), request_id);
      const everything = `${reply.text} ${JSON.stringify([...reply.headers])}`;
      assert.doesNotMatch(everything, /secret_table|hunter2|srv|\.ts:|node:|TypeError/);
    }
    assert.equal((await alice.fetch('/account')).status, 200, 'the next call is fine');
  });

  test('reveals nothing on pages', async (context) => {
    const fault = context.mock.method(app.app.ctx.keys.passwords, 'verifyNothing', () => {
      throw new TypeError(secret);
    });
    const browser = new Browser(app.url);
    await browser.get('/sign-in');
    const reply = await browser.submit('/sign-in', { email: 'unknown@example.com', password: 'any password' });
    fault.mock.restore();
    assert.equal(reply.status, 500);
    assert.match(reply.text, /<html/);
    assert.doesNotMatch(reply.text, /secret_table|hunter2|srv|\.ts:|TypeError/);
  });

  test('does not keep a download that ends while the database is busy from the log', async (context) => {
    const { ctx } = app.app;
    const owner = await newPerson(app, 'olga');
    const { linkId } = await share(owner, { bytes: beyondBuffersBytes });
    const { path } = await clickDownload(app.url, linkId);
    const running = await openDownload(app.url, path!);
    const { write } = ctx.db;
    let refusals = 0;
    const busy = context.mock.method(ctx.db, 'write', (work: Parameters<typeof write>[0]) => {
      if (refusals === 2) return write(work);
      refusals += 1;
      return Promise.reject(new DatabaseBusy('others hold the lock'));
    });
    assert.ok((await running.rest()).isWhole);
    await untilDownloadsEnd(app);
    busy.mock.restore();
    assert.equal(refusals, 2);
    const { outcome } = await ctx.db.read
      .selectFrom('downloads')
      .select('outcome')
      .where('link_id', '=', linkId)
      .executeTakeFirstOrThrow();
    assert.equal(outcome, 'complete');
  });

  /** The answer to a form while the database rejects every write with an error that the form does not handle. */
  async function failing(context: TestContext, submit: () => Promise<PageReply>, refused = 401): Promise<void> {
    assertInside();
    const off = new Problem('unauthenticated', 'credentials.invalid', 'Not now.');
    for (const [thrown, status] of [
      [new TypeError(secret), 500],
      [off, refused],
    ] as const) {
      const fault = context.mock.method(app.app.ctx.db, 'write', () => Promise.reject(thrown));
      const reply = await submit().finally(() => fault.mock.restore());
      assert.equal(reply.status, status, reply.location ?? reply.words.slice(0, 300));
      assert.doesNotMatch(reply.text, /secret_table|hunter2|TypeError/);
    }
  }

  test('is not shown as a refusal beside a form', async (context) => {
    const password = 'seven lamps under a quiet river';
    const group = await app.group('Trusting', { filedrop_confirm_sender: false });
    const paula = await newPerson(app, 'paula', { password, group });
    const browser = await browserOf(app, paula.email, password);
    // The token of a page is fetched while everything works.
    const stranger = await new Browser(app.url).imitate(new Browser(app.url));
    const { linkId } = await share(paula, { link: { password: 'violet' } });
    await failing(context, () => stranger.post(`/link/${linkId}/password`, { password: 'violet' }));
    const { url } = await app.app.ctx.db.write((tx) => issueLink(app.app.ctx, tx, 'reset', idOf(paula)));
    const chosen = { password: 'nine boats on a dry lake' };
    await failing(context, () => stranger.post(url.slice(app.url.length), chosen));
    const csrf = Browser.hidden(await browser.get('/connect'), 'csrf');
    await failing(context, () => browser.post('/connect', { csrf, code: 'ABCD-EFGH' }), 303);
  });

  test('is not shown as a refusal of a submission or of reading', async (context) => {
    const { ctx } = app.app;
    const paul = await newPerson(app, 'paul', {
      group: await app.group('Trustful', { filedrop_confirm_sender: false }),
    });
    const request = { recipient: 'ben@harbour.example', send_email: false };
    const asked = await paul.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (asked.body as { request: { id: string } }).request;
    const stranger = new Browser(app.url);
    const byScript = async (...[name, params]: Parameters<ApiClient['call']>) => {
      const reply = await app.anonymous.expect(200, name, { ...params, query: { filename: 'a.txt' }, bytes: 'abc' });
      return (reply.body as { attachment: { id: string } }).attachment.id;
    };
    const waiting = await byScript('uploadForRequest', { params: { id } });
    await failing(context, () => stranger.post(`/requests/${id}`, { attachments: waiting }));
    await failing(context, () => stranger.submitFiles(`/requests/${id}`, {}, [{ name: 'b.txt', bytes: 'abc' }]));
    const { body } = await paul.expect(200, 'getAccount');
    const drop = (body as { user: { filedrop_url: string } }).user.filedrop_url.split('/').at(-1)!;
    const drop_key = Browser.hidden(await stranger.get(`/filedrop/${drop}`), 'drop_key');
    const attachments = await byScript('uploadForDropPage', { params: { name: drop, key: drop_key } });
    const fields = { drop_key, email: 'sam@elsewhere.example', subject: 'Hello', attachments };
    await failing(context, () => stranger.post(`/filedrop/${drop}`, fields));
    const ben = await browserProving(app, 'ben@harbour.example');
    const message = { recipients: ['ben@harbour.example'], subject: 'Secret', message: 'x', private_message: true };
    const sent = await sendMessage(paul, { ...message, send_email: false });
    await failing(context, () => ben.post(`/message/${sent.id}/read`));
    assert.deepEqual(await ctx.db.read.selectFrom('counters').select('used').execute(), []);
  });

  test('is not shown as a refusal of an address', async () => {
    const { ctx } = app.app;
    const user = (await findUserByEmail(ctx.db.read, 'root@example.com'))!;
    const caller = callerOf(user, systemCaller.from);
    const broken = new Proxy(caller.policy, {
      get: () => {
        throw new TypeError(secret);
      },
    });
    await assert.rejects(checkRecipients(ctx, { ...caller, policy: broken }, ['ben@harbour.example']), TypeError);
  });
});
