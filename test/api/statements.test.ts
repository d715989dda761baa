// docs/contribute/benchmark.md has a table of statements per request; this test compares it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { counterRow } from '#test/kit/counters.ts';
import { clickDownload, fetchFile } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { type Counted, statementsOf } from '#test/kit/queries.ts';
import { clickFile } from '#test/kit/sent.ts';
import { linkTo } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

/** Request, statements, transactions: the rows of the table. */
function readTable(): Record<string, string> {
  const text = readFileSync(join(repositoryRoot, 'docs', 'contribute', 'benchmark.md'), 'utf8');
  const section = text.slice(text.indexOf('## Statements of a request'));
  const lines = [...section.matchAll(/^\| (.+?) \| (\d+) \| (\d+) \|$/gm)];
  return Object.fromEntries(
    lines.map(([, request, statements, transactions]) => [request!, `${statements} ${transactions}`]),
  );
}

onEachDatabase('Statements', (start) => {
  // Without jobs, whose queries would be counted too.
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_WEBHOOK_NETWORKS: 'loopback' } });

  /** Waits after the answer until this statement ran and all transactions have ended. */
  const untilSaid = (counted: Counted, words: RegExp) =>
    until(async () => counted.open === 0 && counted.statements.some((statement) => words.test(statement)));
  const fetched = (path: string) => async (counted: Counted) => {
    assert.equal((await fetchFile(app.url, path)).status, 200);
    await untilSaid(counted, /update "downloads" .*"finished_at"/);
    // On a slow machine a running download is checked more than once.
    counted.statements = [...new Set(counted.statements)];
  };

  test('are as many as the table says, request by request', async () => {
    const counts: Record<string, string> = {};
    const count = async (request: string, work: (counted: Counted) => Promise<unknown>) => {
      // SQLite caches the owner of a key until the next write; this write makes each request query it.
      const something = counterRow({ key: request, window_ends_at: app.clock.now() + 1 });
      await app.app.ctx.db.write(async (tx) => void (await tx.insertInto('attempts').values(something).execute()));
      const { statements, transactions } = await statementsOf(app, work);
      counts[request] = `${statements.length} ${transactions}`;
    };
    const send = (file: string) =>
      sendMessage(alice, {
        recipients: ['ben@harbour.example'],
        authorization: 0,
        attachments: [file],
        send_email: true,
      });
    const alice = await newPerson(app, 'alice', { group: await app.group('Open', { message_can_use_anyone: true }) });
    // A first call, because queries that a process makes only once are no part of a request.
    await alice.expect(200, 'getAccount');
    const { id: file } = await alice.upload('first.txt', 'hello');
    const link = await linkTo(alice, file);
    const message = await send(file);
    const page = `/message/${message.id}`;
    const stranger = new Browser(app.url);

    await count('`GET /account`', () => alice.expect(200, 'getAccount'));
    await count('an upload in one request', () => alice.upload('next.txt', 'hello'));
    await count('`POST /link`', () => linkTo(alice, file));
    await count('`POST /message`, one recipient, one file, a mail and a copy', () => send(file));
    await count('the page of a message, first visit', async (counted) => {
      await stranger.get(page);
      await untilSaid(counted, /insert into "message_visits"/);
    });
    app.clock.advance(6000);
    await count('the page of a message, later visits', async (counted) => {
      await stranger.get(page);
      await untilSaid(counted, /update "message_visits"/);
    });
    for (const when of ['first time, with a receipt', 'later']) {
      let path = '';
      await count(`clicking Download on a link, ${when === 'later' ? when : 'first time'}`, async () => {
        path = (await clickDownload(app.url, link)).path!;
      });
      await count(`the file of a link, ${when}`, fetched(path));
    }
    const { attachments } = await readMessage(alice, message.id);
    const path = await clickFile(stranger, message.id, attachments[0]!.id);
    await count('the file of a message, first time, with a receipt', fetched(path!));
    const webhook = { url: 'http://127.0.0.1:1/', events: ['message.sent'] };
    for (let number = 0; number < 10; number++) await app.admin.expect(200, 'createWebhook', { body: { webhook } });
    await count('the same `POST /message` with ten webhooks for it', () => send(file));
    assert.deepEqual(counts, readTable());
  });
});
