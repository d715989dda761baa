// Above level 0 a ticket works in the browser that clicked Download, for its key, or for a phone's download helper nearby.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Grant, grantBytes } from '#server/actions/downloads/downloads.ts';
import { finishDownload } from '#server/actions/downloads/request-ends.ts';
import { openTicket } from '#server/actions/downloads/tickets.ts';
import { createReceivedTicket } from '#server/actions/received/received.ts';
import { callerOf, findSignedIn } from '#server/actions/sessions/identities.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { DistantBrowser, newNetwork, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { openDownload, unknownVisitor } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { linkTo } from '#test/kit/links.ts';
import { browserOf, browserProving, countersOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const ben = 'ben@harbour.example';
const password = 'seven lamps along the pier';

onEachDatabase('a download ticket', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    const group = await app.group('Senders', { message_can_use_anyone: true, message_can_change_expires_after: true });
    alice = await newPerson(app, 'alice', { group });
  });

  const bytes = Buffer.from('the plan of the harbour, all of it');
  const send = async (authorization = 3, more: Record<string, unknown> = {}) => {
    const { id } = await sendMessage(alice, {
      recipients: [ben],
      attachments: [inlineFile('plan.txt', bytes)],
      authorization,
      ...more,
    });
    const { attachment_id: attachment } = await app.app.ctx.db.read
      .selectFrom('message_attachments')
      .select('attachment_id')
      .where('message_id', '=', id)
      .executeTakeFirstOrThrow();
    return { id, downloadPath: `/message/${id}/download/${attachment}` };
  };
  /** Ben's browser with a ticket of a message, clicked in this network. */
  const clickDownload = async (network: string, authorization = 3, more: Record<string, unknown> = {}) => {
    const browser = await browserProving(app, ben);
    const { id, downloadPath } = await send(authorization, more);
    const reply = await browser.submit(downloadPath, {}, { 'x-forwarded-for': network });
    assert.match(reply.location ?? '', /^\/dl\//);
    return { id, downloadPath, browser, path: reply.location! };
  };
  /** No cookies at all, like a download helper or a command line. */
  const bare = (path: string, network: string, headers: Record<string, string> = {}) =>
    rawRequest(`${app.url}${path}`, { headers: { accept: '*/*', 'x-forwarded-for': network, ...headers } });
  const settled = (id: string) =>
    until(async () => {
      const rows = await app.app.ctx.db.read
        .selectFrom('downloads')
        .select('outcome')
        .where((eb) => eb.or([eb('message_id', '=', id), eb('link_id', '=', id)]))
        .execute();
      return rows.length > 0 && rows.every((row) => row.outcome === 'complete');
    });

  describe('served by another process', () => {
    /** Records the bytes of another process as sent when `log` is called, and not before. */
    const sendElsewhere = async (path: string, start: number, end: number) => {
      const { ctx } = app.app;
      const bearer = {
        visitorHash: null,
        sessionHash: null,
        proofHash: null,
        apiKeyId: null,
        isBare: false,
        accountId: null,
        network: '',
      };
      const delivery = await openTicket(ctx, path.split('/')[2]!, bearer);
      const grant: Grant = await grantBytes(ctx, systemCaller, {
        delivery,
        range: { start, end },
        visitor: unknownVisitor,
        servedBy: '',
      });
      const taken = { certain: end - start, possible: end - start };
      return { log: () => finishDownload(ctx, grant, taken, 'partial') };
    };
    /** Long enough for a request without a wait to end. */
    const untilOthersEnd = async () => {
      for (let call = 0; call < 10; call++) await alice.expect(200, 'getAccount');
    };

    test('serves nothing more once all of it was sent, although that is not in the log yet', async () => {
      for (const parts of [[bytes.length], [20, bytes.length]]) {
        const { browser, path } = await clickDownload(newNetwork(), 0, { expires_after: 1 });
        let sent = { log: async () => {} };
        let start = 0;
        for (const end of parts) {
          await sent.log();
          sent = await sendElsewhere(path, start, end);
          start = end;
        }
        const again = browser.get(path, { range: 'bytes=0-3' });
        await untilOthersEnd();
        await sent.log();
        assert.equal((await again).status, 410, `${parts.length} requests`);
      }
    });

    test('is not taken over by another click once all of it was sent', async () => {
      const { id, downloadPath, browser, path } = await clickDownload(newNetwork(), 0, { expires_after: 2 });
      const { log } = await sendElsewhere(path, 0, bytes.length);
      const second = browser.submit(downloadPath);
      await untilOthersEnd();
      await log();
      assert.equal((await browser.get((await second).location!)).status, 200);
      assert.deepEqual(await countersOf(app, id), { '': 2 });
    });
  });

  describe('above level 0', () => {
    testOnce('works in the browser that created it, wherever that browser is', async () => {
      const { browser, path } = await clickDownload(newNetwork());
      assert.deepEqual((await browser.get(path, { 'x-forwarded-for': newNetwork() })).bytes, bytes);
    });

    testOnce('is refused in another browser, also in the same network, and uses up nothing', async () => {
      const network = newNetwork();
      const { id, path } = await clickDownload(network);
      const other = new DistantBrowser(app.url, network);
      other.cookies.set('local-visitor', 'V'.repeat(22));
      const stranger = await browserProving(app, 'eve@harbour.example');
      for (const browser of [other, stranger]) {
        const refused = await browser.get(path, { 'x-forwarded-for': network });
        assert.equal(refused.status, 403);
        assert.ok(!refused.text.includes('plan of the harbour'));
        assert.equal((await browser.head(path)).status, 403);
      }
      assert.deepEqual(await countersOf(app, id), {});
    });

    testOnce('works without cookies in the network of the click for fifteen minutes, and nowhere else', async () => {
      const network = newNetwork();
      for (const authorization of [1, 2, 3, 4]) {
        const { path } = await clickDownload(network, authorization);
        assert.equal((await bare(path, newNetwork())).status, 403, `level ${authorization}`);
        app.clock.advance(15 * minuteMs);
        assert.deepEqual((await bare(path, network)).bytes, bytes, `level ${authorization}`);
      }
      const late = await clickDownload(network);
      app.clock.advance(15 * minuteMs + 1);
      assert.equal((await bare(late.path, network)).status, 403);
      assert.deepEqual((await late.browser.get(late.path)).bytes, bytes, 'the browser itself may come later');
    });

    testOnce('of the app works in its session, and by key only for the user who requested it', async () => {
      const [frank, grace] = [await newPerson(app, 'frank', { password }), await newPerson(app, 'grace')];
      const { id } = await sendMessage(alice, {
        recipients: [frank.email],
        attachments: [inlineFile('plan.txt', bytes)],
        authorization: 3,
      });
      const headers = { 'x-forwarded-for': newNetwork() };
      const options = { params: { id }, body: { attachment: 'all' }, headers };
      const { body } = await frank.expect(200, 'createReceivedTicket', options);
      const path = (body as { ticket: { url: string } }).ticket.url.slice(app.url.length);
      const elsewhere = newNetwork();
      assert.equal((await bare(path, elsewhere)).status, 403);
      assert.equal((await bare(path, elsewhere, { authorization: `Bearer ${grace.key}` })).status, 403);
      assert.deepEqual((await bare(path, elsewhere, { authorization: `Bearer ${frank.key}` })).bytes, bytes);
      const browser = await browserOf(app, frank.email, password);
      const token = browser.cookies.get('local-sid')!;
      const { ctx } = app.app;
      const from = { address: newNetwork(), agent: '', requestId: '' };
      const user = (await findSignedIn(ctx, token, { isPassive: true }))!;
      const caller = callerOf(user, from, ctx.keys.hash('session', token));
      const { ticket } = await createReceivedTicket(ctx, caller, id, 'all');
      assert.equal((await bare(`/dl/${ticket}/plan.txt`, elsewhere)).status, 403);
      assert.deepEqual((await browser.get(`/dl/${ticket}/plan.txt`)).bytes, bytes);
    });

    testOnce('is bound for links that require a password or an address, and no others', async () => {
      const network = newNetwork();
      const open = await linkTo(alice, (await alice.upload('a.txt', bytes)).id);
      const openPath = (await new DistantBrowser(app.url, network).submit(`/link/${open.id}/download`)).location!;
      assert.equal((await bare(openPath, newNetwork())).status, 200);
      const locked = await linkTo(alice, (await alice.upload('a.txt', bytes)).id, { password });
      const guest = new DistantBrowser(app.url, network);
      await guest.submit(`/link/${locked.id}/password`, { password });
      const lockedPath = (await guest.submit(`/link/${locked.id}/download`)).location!;
      assert.equal((await bare(lockedPath, newNetwork())).status, 403);
      assert.equal((await guest.get(lockedPath)).status, 200);
      const signed = await linkTo(alice, (await alice.upload('a.txt', bytes)).id, { require_authentication: true });
      const known = await browserProving(app, ben);
      const signedPath = (await known.submit(`/link/${signed.id}/download`, {}, { 'x-forwarded-for': network }))
        .location!;
      assert.equal((await bare(signedPath, newNetwork())).status, 403);
      assert.equal((await known.get(signedPath)).status, 200);
    });
  });

  testOnce('at level 0 works wherever its address is', async () => {
    const { path } = await clickDownload(newNetwork(), 0);
    assert.deepEqual((await bare(path, newNetwork())).bytes, bytes);
  });

  describe('serves one copy for one count', () => {
    testOnce('and nothing more after the last byte, in the browser or by command line', async () => {
      for (const authorization of [0, 3]) {
        const network = newNetwork();
        const { id, browser, path } = await clickDownload(network, authorization, { expires_after: 1 });
        assert.deepEqual((await browser.get(path)).bytes, bytes);
        await settled(id);
        for (const headers of [{}, { range: 'bytes=0-3' }] as Record<string, string>[]) {
          const again = await browser.get(path, headers);
          assert.equal(again.status, 410);
          assert.ok(!again.text.includes('plan of the harbour'));
        }
        const other = await clickDownload(network, authorization);
        assert.deepEqual((await bare(other.path, network)).bytes, bytes);
        await settled(other.id);
        assert.equal((await bare(other.path, network)).status, 410);
        assert.equal(Object.values(await countersOf(app, id))[0], 1);
      }
    });

    testOnce('and continues a partial one by several connections until it is whole', async () => {
      const { id, browser, path } = await clickDownload(newNetwork());
      const parts = await Promise.all(
        ['0-9', '5-19', '20-'].map((range) => browser.get(path, { range: `bytes=${range}` })),
      );
      assert.ok(parts.every((reply) => reply.status === 206));
      await settled(id);
      assert.equal((await browser.get(path, { range: 'bytes=0-9' })).status, 410);
    });

    test('and lets a phone’s helper take over from the browser, once', async () => {
      const network = newNetwork();
      const { id, browser, path } = await clickDownload(network, 3, { expires_after: 1 });
      // The network has a small file before the browser decides to hand it to its helper.
      assert.equal((await browser.get(path)).status, 200);
      await settled(id);
      assert.deepEqual((await bare(path, network)).bytes, bytes);
      assert.equal((await bare(path, network)).status, 410);
      assert.deepEqual(await countersOf(app, id), { [ben]: 1 });
    });

    testOnce('of an archive whose end is missing can be continued', async () => {
      const { id } = await sendMessage(alice, {
        recipients: [ben],
        attachments: [inlineFile('a.txt', 'first'), inlineFile('b.txt', 'second')],
        authorization: 3,
      });
      const browser = await browserProving(app, ben);
      const path = (await browser.submit(`/message/${id}/download`)).location!;
      const size = Number((await browser.head(path)).headers.get('content-length'));
      assert.equal((await browser.get(path, { range: `bytes=0-${size - 11}` })).status, 206);
      await settled(id);
      const end = await browser.get(path, { range: `bytes=${size - 10}-` });
      assert.equal(end.status, 206, 'all files are there, the directory of the archive is not');
      assert.equal(end.bytes.length, 10);
      await until(async () => (await browser.get(path, { range: 'bytes=0-0' })).status === 410);
    });
  });

  describe('of a link', () => {
    const change = async (id: string, next: string | null) => {
      await alice.expect(200, 'changeLinkPassword', { params: { id }, body: { password: next } });
    };

    test('ends when a password is set or changed, also while it is being used, and not when one is removed', async () => {
      const guest = new Browser(app.url);
      const link = await linkTo(alice, (await alice.upload('a.bin', new Uint8Array(beyondBuffersBytes))).id);
      const click = async () => (await guest.submit(`/link/${link.id}/download`)).location!;
      const open = await click();
      const running = await openDownload(app.url, await click());
      await change(link.id, password);
      assert.equal((await guest.get(open, { range: 'bytes=0-3' })).status, 410);
      assert.equal((await guest.head(open)).status, 410, 'HEAD gets the same answer');
      const outcome = () =>
        app.app.ctx.db.read.selectFrom('downloads').select('outcome').where('link_id', '=', link.id).execute();
      await until(async () => (await outcome()).some((line) => line.outcome === 'cut'));
      assert.equal((await running.rest()).isWhole, false);
      assert.ok(!(await click()).startsWith('/dl/'), 'the page asks for the password');
      await guest.submit(`/link/${link.id}/password`, { password });
      const first = await click();
      assert.equal((await guest.get(first, { range: 'bytes=0-3' })).status, 206);
      await change(link.id, `${password}, and an eighth`);
      assert.equal((await guest.get(first, { range: 'bytes=4-7' })).status, 410);
      assert.ok(!(await click()).startsWith('/dl/'), 'a pass for the old password is void');
      await guest.submit(`/link/${link.id}/password`, { password: `${password}, and an eighth` });
      const second = await click();
      await change(link.id, null);
      assert.equal((await guest.get(second, { range: 'bytes=0-3' })).status, 206);
    });
  });
});
