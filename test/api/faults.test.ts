// A fault of ours: the reply says that it is one, and nothing else about it. The operator finds the rest by its request id.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem } from '#contract/problems.ts';
import { DatabaseBusy } from '#server/db/engine/errors.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { openDownload, pressDownload } from '#test/kit/downloads.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const secret = 'relation "secret_table" at /srv/waybill/data has password hunter2';

onOneEngine('A fault of ours', (start) => {
  const app = useApp(start);

  test('tells nothing of itself to programs, whatever was thrown', async (context) => {
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

  test('tells nothing of itself to people', async (context) => {
    const fault = context.mock.method(app.app.ctx.keys.passwords, 'verifyNothing', () => {
      throw new TypeError(secret);
    });
    const browser = new Browser(app.url);
    await browser.get('/sign-in');
    const reply = await browser.submit('/sign-in', { email: 'nobody@example.com', password: 'whatever it may be' });
    fault.mock.restore();
    assert.equal(reply.status, 500);
    assert.match(reply.text, /<html/);
    assert.doesNotMatch(reply.text, /secret_table|hunter2|srv|\.ts:|TypeError/);
  });

  test('a download that ends while the database is busy is in the log all the same', async (context) => {
    const { ctx } = app.app;
    const owner = await newPerson(app, 'olga');
    const { linkId } = await share(owner, { bytes: 24 * 1024 * 1024 });
    const { path } = await pressDownload(app.url, linkId);
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
});
