import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachDatabase, onOneEngine, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { isBehindNginx, isOutside } from '#test/kit/outside.ts';
import { type RawReply, rawRequest } from '#test/kit/raw-requests.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;
const password = 'open sesame';

onEachDatabase('the page of a link', (start, engine) => {
  const app = useApp(start, { environment: { WAYBILL_TRUST_PROXY: 'loopback' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const visitor = () => new Visitor(app.url);
  const isPage = (reply: RawReply, status: number, words: RegExp) => {
    assert.equal(reply.status, status, reply.text.slice(0, 500));
    assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(reply.text, words);
  };
  /** What viewing must not change: tickets, downloads, and every column of a link. */
  const traces = async () => {
    const { read } = app.app.ctx.db;
    return {
      tickets: (await read.selectFrom('tickets').select('issued_at').execute()).length,
      downloads: (await read.selectFrom('downloads').select('number').execute()).length,
      links: await read.selectFrom('file_links').selectAll().orderBy('id').execute(),
      attempts: await read.selectFrom('attempts').selectAll().orderBy('key').execute(),
      // The end of an earlier download may be recorded during the test.
      events: (await read.selectFrom('events').select('seq').where('action', '<>', 'download.ended').execute()).length,
    };
  };

  describe('a link that is not available', () => {
    test('is one and the same 404 page for an unknown, a truncated and a malformed address', async () => {
      const pages = new Set<string>();
      // nginx itself refuses paths that lead out of the site.
      const leadingOut = isBehindNginx ? [] : ['..%2f..'];
      const usual = ['A'.repeat(22), 'A'.repeat(21), 'A'.repeat(23), 'a-b', '%3Cb%3E', '%F0%9F%98%80'];
      for (const id of [...usual, ...leadingOut]) {
        const reply = await visitor().get(`/link/${id}`);
        isPage(reply, 404, /There.{1,6}s nothing at this address/);
        pages.add(Browser.withoutToken(reply.text).replaceAll(id, ''));
        isPage(await visitor().send(`/link/${id}/download`), 404, /nothing at this address/);
        isPage(await visitor().send(`/link/${id}/password`, { password: 'x' }), 404, /nothing at this address/);
      }
      assert.equal(pages.size, 1);
    });

    testOnce('says at its complete address who deleted it, and serves no file', async () => {
      const { linkId } = await share(alice, { name: 'secret-plan.txt' });
      await alice.expect(200, 'deleteFileLink', { params: { id: linkId } });
      const page = await visitor().get(`/link/${linkId}`);
      isPage(page, 410, /stopped sharing this file/);
      assert.ok(page.text.includes('alice@example.com'));
      assert.ok(!page.text.includes('secret-plan'));
      isPage(await visitor().send(`/link/${linkId}/download`), 410, /stopped sharing/);
    });

    testOnce('ends with its day, not a moment sooner or later, and says when it ended', async () => {
      const until = new Date(app.clock.now() + dayMs).toISOString().slice(0, 10);
      const { linkId } = await share(alice, { name: 'harbour-plan.txt', link: { expires_at: until } });
      const closed = await share(alice, { name: 'secret-plan.txt', link: { expires_at: until, password } });
      const end = Date.parse(`${until}T00:00:00Z`) + dayMs;
      app.clock.advance(end - app.clock.now() - 1);
      isPage(await visitor().get(`/link/${linkId}`), 200, /Available until/);
      await visitor().clickDownload(linkId);
      app.clock.advance(1);
      for (const reply of [visitor().get(`/link/${linkId}`), visitor().send(`/link/${linkId}/download`)])
        isPage(await reply, 410, /no longer available/);
      const page = await visitor().get(`/link/${linkId}`);
      assert.ok(page.text.includes('alice@example.com'));
      assert.match(
        page.text,
        /mailto:alice@[^"]*subject=harbour-plan\.txt[^"]*/,
        'the mail to the sender names the file',
      );
      const behind = await visitor().get(`/link/${closed.linkId}`);
      isPage(behind, 410, /no longer available/);
      assert.ok(!behind.text.includes('secret-plan'), 'the page does not show a file that had a password');
    });

    test('shows no details after its end when that is switched off', async () => {
      const other = await start();
      try {
        await other.app.ctx.db.write((tx) =>
          tx
            .updateTable('settings')
            .set({ document: JSON.stringify({ showExpiredDetails: false }), version: 99 })
            .execute(),
        );
        await other.restart();
        const bob = await newPerson(other, 'bob');
        const { linkId } = await share(bob, {});
        await bob.expect(200, 'deleteFileLink', { params: { id: linkId } });
        const page = await new Visitor(other.url).get(`/link/${linkId}`);
        assert.equal(page.status, 410);
        assert.ok(!page.text.includes('bob'));
      } finally {
        await other.close();
      }
    });

    test('is closed immediately when its owner is disabled, and open again with them', async () => {
      const carol = await newPerson(app, 'carol');
      const { linkId } = await share(carol, { name: 'carols-file.txt' });
      const toggle = (disabled: boolean) =>
        app.admin.expect(200, 'changeUser', { params: { id: idOf(carol) }, body: { user: { disabled } } });
      await toggle(true);
      const page = await visitor().get(`/link/${linkId}`);
      isPage(page, 410, /was removed/);
      assert.ok(!page.text.includes('carol'));
      isPage(await visitor().send(`/link/${linkId}/download`), 410, /was removed/);
      await toggle(false);
      isPage(await visitor().get(`/link/${linkId}`), 200, /carols-file/);
    });

    testOnce(
      'that requires a proven address is not reachable without one, whatever is sent with the request',
      async () => {
        const { linkId } = await share(alice, { name: 'for-some.txt', link: { require_authentication: true } });
        for (const headers of [{}, { cookie: 'local-rcpt=anything; local-sid=anything' }] as Record<string, string>[]) {
          for (const page of [
            await visitor().get(`/link/${linkId}`, headers),
            await visitor().send(`/link/${linkId}/download`, {}, { ...headers, 'sec-fetch-site': 'same-origin' }),
          ]) {
            isPage(page, 200, /Confirm it.{1,6}s you/);
            assert.ok(!page.text.includes('for-some') && !page.text.includes('/dl/'));
          }
        }
        const open = await share(alice);
        const ticket = await visitor().clickDownload(open.linkId);
        await alice.expect(200, 'updateAuthentication', {
          params: { id: open.linkId },
          body: { require_authentication: true },
        });
        assert.equal((await visitor().get(ticket)).status, 403, 'an earlier ticket is refused too');
      },
    );
  });

  describe('viewing', () => {
    test('changes nothing, counts nothing and writes nothing, by GET and HEAD, however often', async () => {
      const plain = await share(alice);
      const locked = await share(alice, { link: { password } });
      const before = await traces();
      for (const { linkId } of [plain, locked]) {
        for (let count = 0; count < 3; count++) {
          assert.equal((await visitor().get(`/link/${linkId}`)).status, 200);
          const head = await visitor().head(`/link/${linkId}`);
          assert.equal(head.status, 200);
          assert.equal(head.bytes.length, 0);
        }
        for (const path of ['download', 'password']) {
          // A GET of a form's address leads to its page.
          const reply = await visitor().get(`/link/${linkId}/${path}`);
          assert.equal(reply.status, 303);
          assert.match(reply.headers.location as string, new RegExp(`/link/${linkId}$`));
        }
      }
      assert.deepEqual(await traces(), before);
    });

    test('shows the file, its size, who shared it and until when, and needs no script', async () => {
      const { linkId } = await share(alice, { name: 'Quarterly report.pdf', bytes: 2048 });
      const page = await visitor().get(`/link/${linkId}`);
      for (const words of ['Quarterly report.pdf', '2 KB', 'alice@example.com', 'Available until'])
        assert.ok(page.text.includes(words), words);
      assert.ok(page.text.includes(`action="/link/${linkId}/download"`));
      assert.doesNotMatch(withoutOwnScripts(page.text), /<script|<iframe|\son\w+=|\sstyle=|javascript:/i);
    });

    test('shows a hostile file name and a hostile person as text only', async () => {
      const mallory = await newPerson(app, 'mallory', { name: '<script>alert(1)</script>' });
      const { linkId } = await share(mallory, { name: '"><img src=x onerror=alert(1)>‮cod.exe.txt' });
      const page = await visitor().get(`/link/${linkId}`);
      assert.equal(page.status, 200);
      assert.doesNotMatch(withoutOwnScripts(page.text), /<script|<img/i);
      assert.ok(!page.text.includes('‮'), 'nothing on the page runs backwards');
    });

    test('forbids foreign and inline content, frames, type sniffing, storing, indexing and referrers on every page', async () => {
      const { linkId } = await share(alice);
      const locked = await share(alice, { link: { password } });
      const { cookies: _, ...replies } = {
        cookies: null,
        page: await visitor().get(`/link/${linkId}`),
        password: await visitor().get(`/link/${locked.linkId}`),
        wrong: await visitor().submit(`/link/${locked.linkId}/password`, { password: 'wrong' }),
        unknown: await visitor().get(`/link/${'B'.repeat(22)}`),
        nowhere: await visitor().get('/no/such/page'),
        home: await visitor().get('/'),
        foreign: await visitor().submit(`/link/${linkId}/download`, {}, { 'sec-fetch-site': 'cross-site' }),
      };
      for (const [name, reply] of Object.entries(replies)) {
        const { headers } = reply;
        assert.match(headers['content-security-policy'] as string, /^default-src 'none';/, name);
        assert.match(headers['content-security-policy'] as string, /frame-ancestors 'none'/, name);
        assert.doesNotMatch(headers['content-security-policy'] as string, /unsafe|https?:|\*/, name);
        assert.equal(headers['x-content-type-options'], 'nosniff', name);
        assert.equal(headers['x-robots-tag'], 'noindex', name);
        assert.equal(headers['cache-control'], 'no-store', name);
        assert.equal(headers['referrer-policy'], 'no-referrer', name);
        assert.equal(headers['cross-origin-opener-policy'], 'same-origin', name);
        assert.equal(headers['strict-transport-security'], undefined, 'this installation is plain HTTP on loopback');
        assert.equal(headers['access-control-allow-origin'], undefined, name);
      }
    });
  });

  describe('clicking Download', () => {
    test('is refused from a foreign page, and without an origin but with a cookie, before anything happens', async () => {
      const { linkId } = await share(alice);
      const before = await traces();
      for (const headers of [
        { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: app.url },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${app.url}.evil.example` },
        { cookie: 'a=b' },
      ] as Record<string, string>[]) {
        const reply = await visitor().submit(`/link/${linkId}/download`, {}, headers);
        isPage(reply, 403, /not sent from our own page/);
      }
      assert.deepEqual(await traces(), before);
    });

    test('works from our own page, with either of the headers browsers send, and leads to the bytes', async () => {
      const { linkId, bytes } = await share(alice, { name: 'a b.txt' });
      for (const headers of [
        { 'sec-fetch-site': 'same-origin' },
        { origin: app.url },
        { 'sec-fetch-site': 'same-origin', origin: app.url },
      ] as Record<string, string>[]) {
        const reply = await visitor().submit(`/link/${linkId}/download`, {}, headers);
        assert.equal(reply.status, 303);
        assert.match(reply.headers.location!, /^\/dl\/[A-Za-z0-9]{22}\/a_b\.txt$/);
        assert.equal(reply.headers['referrer-policy'], 'no-referrer');
        assert.deepEqual((await visitor().get(reply.headers.location!)).bytes, bytes);
      }
    });
  });

  describe('a download by a program, with neither cookie nor origin', () => {
    const clickDownload = (linkId: string) => visitor().submit(`/link/${linkId}/download`, {}, { accept: '*/*' });

    testOnce('leads to the bytes, which then need no cookie', async () => {
      const { linkId, bytes } = await share(alice, { name: 'for scripts.txt' });
      const reply = await clickDownload(linkId);
      assert.equal(reply.status, 303, reply.text.slice(0, 300));
      const file = await visitor().get(reply.headers.location!, { accept: '*/*' });
      assert.deepEqual(file.bytes, bytes);
      assert.match(file.headers['content-disposition']!, /for scripts\.txt|for_scripts\.txt/);
    });

    test('is answered by a status when there is nothing to fetch, never by a page that looks like the file', async () => {
      const withPassword = (await share(alice, { link: { password } })).linkId;
      const withAddress = (await share(alice, { link: { require_authentication: true } })).linkId;
      const deleted = (await share(alice)).linkId;
      await alice.expect(200, 'deleteFileLink', { params: { id: deleted } });
      for (const [linkId, status] of [
        [withPassword, 403],
        [withAddress, 403],
        [deleted, 410],
        ['A'.repeat(22), 404],
      ] as const)
        assert.equal((await clickDownload(linkId)).status, status, linkId);
    });

    test('is one command on the page, where it works', async () => {
      const { linkId } = await share(alice);
      const line = `curl -LOJ -d &#x27;&#x27; ${app.url}/link/${linkId}/download`;
      assert.ok((await visitor().get(`/link/${linkId}`)).text.includes(line));
      const closed = await share(alice, { link: { password } });
      const browser = visitor();
      await browser.send(`/link/${closed.linkId}/password`, { password });
      const page = await browser.get(`/link/${closed.linkId}`);
      isPage(page, 200, /Available until/);
      assert.ok(!page.text.includes('curl -LOJ'));
    });
  });

  describe('a password', () => {
    testOnce('is required before anything of the file is shown', async () => {
      const { linkId } = await share(alice, { name: 'hidden-name.txt', link: { password } });
      const page = await visitor().get(`/link/${linkId}`);
      isPage(page, 200, /This link has a password/);
      assert.doesNotMatch(page.text, /hidden-name|SHA-256/);
      isPage(await visitor().send(`/link/${linkId}/download`), 200, /This link has a password/);
    });

    test('is refused from a foreign page without being checked', async () => {
      const { linkId } = await share(alice, { link: { password } });
      const before = await traces();
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}] as Record<
        string,
        string
      >[]) {
        const reply = await visitor().submit(`/link/${linkId}/password`, { password }, headers);
        isPage(reply, 403, /not sent from our own page/);
        assert.equal(reply.headers['set-cookie'], undefined);
      }
      assert.deepEqual(await traces(), before);
    });

    testOnce('uses no attempt if left empty; a body that is no form is refused', async () => {
      const { linkId } = await share(alice, { link: { password } });
      for (let count = 0; count < 12; count++)
        isPage(await visitor().submit(`/link/${linkId}/password`, { password: '' }), 422, /Enter the password/);
      const reply = await rawRequest(`${app.url}/link/${linkId}/password`, {
        method: 'POST',
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: JSON.stringify({ password }),
      });
      assert.equal(reply.status, 422);
      isPage(await visitor().submit(`/link/${linkId}/password`, { password: 'x' }), 422, /9 tries left/);
    });

    testOnce(
      'wrong ten times blocks the link for that network for fifteen minutes, also for the right one',
      async () => {
        const { linkId } = await share(alice, { link: { password } });
        const from = (address: string) => ({ 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address });
        const attempt = (typed: string, address = '198.51.100.1') =>
          visitor().submit(`/link/${linkId}/password`, { password: typed }, from(address));
        for (let left = 9; left >= 1; left--)
          isPage(await attempt('wrong'), 422, new RegExp(`${left} (try|tries) left`));
        const last = await attempt('wrong');
        isPage(last, 429, /wrong too often/);
        assert.equal(last.headers['retry-after'], '900');
        const closed = await attempt(password);
        isPage(closed, 429, /wrong too often/);
        assert.equal(closed.headers['retry-after'], '900');
        assert.doesNotMatch(String(closed.headers['set-cookie']), /local-link-/);
        assert.equal((await attempt(password, '198.51.100.2')).status, 303, 'another network is not touched');
        await app.restart();
        app.clock.advance(15 * minuteMs - 1);
        assert.equal((await attempt(password)).status, 429);
        app.clock.advance(1);
        assert.equal((await attempt(password)).status, 303);
      },
    );

    testOnce('wrong a hundred times from many networks blocks the link for all', async () => {
      const { linkId } = await share(alice, { link: { password } });
      const attempt = (typed: string, network: number) =>
        visitor().submit(
          `/link/${linkId}/password`,
          { password: typed },
          { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `192.0.2.${network}` },
        );
      for (let count = 0; count < 100; count++) await attempt('wrong', Math.floor(count / 9));
      assert.equal((await attempt(password, 200)).status, 429);
      app.clock.advance(60 * minuteMs);
      assert.equal((await attempt(password, 200)).status, 303);
    });

    test('tried many times concurrently is checked ten times, not more', async (context) => {
      const { linkId } = await share(alice, { link: { password } });
      const checks = context.mock.method(app.app.ctx.keys.passwords, 'verifyPassword');
      const replies = await Promise.all(
        Array.from({ length: 25 }, (_, count) =>
          visitor().submit(`/link/${linkId}/password`, { password: `guess ${count}` }),
        ),
      );
      if (!isOutside) assert.equal(checks.mock.callCount(), 10);
      assert.equal(replies.filter((reply) => reply.status === 422).length, 9);
      assert.equal(replies.filter((reply) => reply.status === 429).length, 16);
    });

    test('once right opens the page and the file for this browser, for fifteen minutes', async () => {
      const { linkId, bytes } = await share(alice, { name: 'opened.txt', link: { password } });
      const guest = visitor();
      const reply = await guest.submit(`/link/${linkId}/password`, { password });
      assert.equal(reply.status, 303);
      assert.equal(reply.headers.location, `/link/${linkId}`);
      assert.match(reply.headers['set-cookie']![0]!, /; Path=\/; HttpOnly; SameSite=Lax$/);
      isPage(await guest.get(`/link/${linkId}`), 200, /opened\.txt/);
      assert.deepEqual((await guest.get(await guest.clickDownload(linkId))).bytes, bytes);
      assert.equal((await guest.submit(`/link/${linkId}/password`, { password: 'x' })).status, 303, 'open already');
      isPage(await visitor().get(`/link/${linkId}`), 200, /has a password/);
      app.clock.advance(15 * minuteMs);
      isPage(await guest.get(`/link/${linkId}`), 200, /has a password/);
    });

    testOnce('opens no other link, and nothing after it was changed', async () => {
      const first = await share(alice, { link: { password } });
      const second = await share(alice, { link: { password } });
      const guest = visitor();
      await guest.submit(`/link/${first.linkId}/password`, { password });
      const [name, pass] = [...guest.cookies][0]!;
      for (const value of [
        pass,
        `9${pass}`,
        pass.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        '',
        'x',
        '1.2',
      ]) {
        const cookie = `local-link-${second.linkId.slice(0, 12)}=${value}`;
        isPage(await visitor().get(`/link/${second.linkId}`, { cookie }), 200, /has a password/);
      }
      for (const value of [`9${pass}`, pass.slice(1), '']) {
        const cookie = `${name}=${value}`;
        isPage(await visitor().get(`/link/${first.linkId}`, { cookie }), 200, /has a password/);
      }
      isPage(await guest.get(`/link/${first.linkId}`), 200, /Download/);
    });

    test('is compared exactly as entered: case, spaces and any script', async () => {
      const { linkId } = await share(alice, { link: { password: ' Пароль 🔑 ' } });
      assert.equal((await visitor().submit(`/link/${linkId}/password`, { password: 'Пароль 🔑' })).status, 422);
      assert.equal((await visitor().submit(`/link/${linkId}/password`, { password: ' пароль 🔑 ' })).status, 422);
      assert.equal((await visitor().submit(`/link/${linkId}/password`, { password: ' Пароль 🔑 ' })).status, 303);
    });
  });

  /** These requests are answered before any database query. */
  const describeEdge = engine === sqliteAndDisk ? describe : () => {};

  describeEdge('a program or a browser', () => {
    const basic = (key: string) => `Basic ${Buffer.from(`${key}:x`).toString('base64')}`;

    test('is detected by Accept, Content-Type and Authorization, and by nothing else', async () => {
      const { linkId } = await share(alice);
      const ask = (headers: Record<string, string>, query = '') =>
        rawRequest(`${app.url}/link/${linkId}${query}`, { headers });
      for (const headers of [
        {},
        { accept: 'application/json' },
        { accept: 'Application/JSON' },
        { accept: 'text/html, application/json' },
        { accept: '*/*', 'content-type': 'application/json' },
        { accept: 'text/html', 'content-type': 'Application/json; charset=utf-8' },
      ] as Record<string, string>[]) {
        const reply = await ask(headers);
        assert.equal(reply.status, 401, JSON.stringify(headers));
        assert.equal((reply.body as { code: string }).code, 'credentials.invalid');
      }
      for (const headers of [
        { accept: 'text/html' },
        { accept: '*/*' },
        { accept: 'text/javascript' },
        { accept: 'application/xhtml+xml' },
        { accept: '' },
      ] as Record<string, string>[])
        isPage(await ask(headers), 200, /report\.bin/);
      isPage(await ask({ accept: 'text/html' }, '?format=json&callback=x'), 200, /report\.bin/);
      isPage(await rawRequest(`${app.url}/link/${linkId}.json`, { headers: { accept: 'text/html' } }), 404, /nothing/);
    });

    test('always gets the API with an Authorization header, right key or wrong', async () => {
      const { linkId } = await share(alice);
      const ask = (authorization: string) =>
        rawRequest(`${app.url}/link/${linkId}`, { headers: { accept: 'text/html', authorization } });
      const own = await ask(basic(alice.key!));
      assert.equal(own.status, 200);
      assert.equal((own.body as { link: { id: string } }).link.id, linkId);
      for (const header of [basic('Wrong1Wrong2Wrong3Wrong'), 'nonsense', '']) {
        const reply = await ask(header);
        assert.equal(reply.status, 401);
        assert.ok(Array.isArray((reply.body as { errors: unknown }).errors));
      }
    });

    test('gets JSON and a browser gets a page at an unknown address', async () => {
      for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*', authorization: 'x' }] as Record<
        string,
        string
      >[]) {
        const reply = await rawRequest(`${app.url}/nothing/here`, { headers });
        assert.equal(reply.status, 404);
        assert.equal((reply.body as { code: string }).code, 'request.not_found');
      }
      isPage(await visitor().get('/nothing/here'), 404, /nothing at this address/);
    });

    test('gets JSON for a refused download too', async () => {
      for (const headers of [{ accept: 'application/json' }, {}] as Record<string, string>[]) {
        const reply = await rawRequest(`${app.url}/dl/${'C'.repeat(22)}/file.bin`, { headers });
        assert.equal(reply.status, 404);
        assert.ok(Array.isArray((reply.body as { errors: unknown }).errors), reply.text);
      }
    });
  });
});

onOneEngine('a link below a public sub-path', (start) => {
  test('keeps the path in every address, form and redirect', async () => {
    const app = await start({ environment: { WAYBILL_BASE_URL: 'http://localhost:8443/files/' } });
    try {
      const alice = await newPerson(app, 'alice');
      const attachment = await alice.upload('a.txt', 'hello');
      const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment: attachment.id } } });
      const { link } = body as { link: { id: string; url: string } };
      assert.equal(link.url, `http://localhost:8443/files/link/${link.id}`);
      const visitor = new Visitor(app.url);
      const page = await visitor.get(`/files/link/${link.id}`);
      assert.ok(page.text.includes(`action="/files/link/${link.id}/download"`));
      const reply = await visitor.submit(`/files/link/${link.id}/download`);
      assert.match(reply.headers.location!, /^\/files\/dl\/[A-Za-z0-9]{22}\/a\.txt$/);
      assert.equal((await visitor.get(reply.headers.location!)).text, 'hello');
    } finally {
      await app.close();
    }
  });
});

/** Our own optional scripts are allowed; other scripts are not. */
function withoutOwnScripts(html: string): string {
  return html.replaceAll(/<script type="module" src="\/assets\/[\w.-]+"><\/script>/g, '');
}
