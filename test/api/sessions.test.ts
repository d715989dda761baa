import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { dial, head } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const password = 'seven lamps under a quiet river';

onEachDatabase('signing in on pages', (start) => {
  const app = useApp(start, openDistantMailbox().options);
  let people = 0;

  const newPerson = (more: { group?: string } = {}): Promise<ApiClient> =>
    app.person(`person${++people}`, { password, email: `person${people}@example.com`, ...more });
  const browse = (address?: string) => new DistantBrowser(app.url, address);
  const enter = (browser: DistantBrowser, email: string, more: Record<string, string> = {}): Promise<PageReply> =>
    browser.submit('/sign-in', { email, password, ...more });
  const signedIn = async (email: string, more: Record<string, string> = {}): Promise<DistantBrowser> => {
    const browser = browse();
    const reply = await enter(browser, email, more);
    assert.equal(reply.status, 303, reply.text);
    return browser;
  };
  const isSignedIn = async (browser: DistantBrowser) => (await browser.get('/sign-in')).location === '/app';
  const csrfOf = async (browser: DistantBrowser) => Browser.hidden(await browser.get('/sign-out'), 'csrf');

  testOnce('an unknown, a disabled and a passwordless account and a wrong password get the same bytes', async () => {
    const known = await newPerson();
    const disabled = await newPerson();
    const bare = await app.person('bare', { email: 'bare999@example.com' });
    await app.admin.expect(200, 'changeUser', { params: { id: disabled.email }, body: { user: { disabled: true } } });
    const replies = [
      await enter(browse(), known.email, { password: 'not the right one at all' }),
      await enter(browse(), 'unknown@example.com'),
      await enter(browse(), disabled.email),
      await enter(browse(), bare.email),
    ];
    const emails = [known.email, 'unknown@example.com', disabled.email, bare.email];
    const texts = replies.map((reply, index) =>
      Browser.withoutToken(`${reply.status} ${reply.text.replaceAll(emails[index]!, 'EMAIL')}`),
    );
    assert.equal(new Set(texts).size, 1);
    for (const reply of replies)
      assert.ok(!reply.headers.getSetCookie().some((line) => line.includes('-sid=')), 'no session was opened');
  });

  test('empty fields are reported at the fields and count as no attempt', async () => {
    const { email } = await newPerson();
    const browser = browse();
    for (let index = 0; index < 6; index++) {
      const reply = await browser.submit('/sign-in', { email, password: '' });
      assert.equal(reply.status, 422);
    }
    assert.equal((await enter(browser, email)).status, 303);
  });

  testOnce('a user who mistypes stays on the page, and keeps the requested address', async () => {
    const browser = browse();
    const csrf = Browser.hidden(await browser.get('/sign-in'), 'csrf');
    for (const [to, path] of [
      ['/', '/sign-in'],
      ['/message/abc', '/sign-in?to=%2Fmessage%2Fabc'],
    ] as const)
      assert.equal((await browser.post('/sign-in', { csrf, email: 'sam', password: '', to })).location, path);
  });

  test('five wrong passwords block the sign-in for this address and network, with the text of a wrong password', async () => {
    const { email } = await newPerson();
    const browser = browse();
    const wrong: string[] = [];
    for (let index = 0; index < 5; index++)
      wrong.push((await enter(browser, email, { password: 'wrong wrong wrong' })).text);
    const locked = await enter(browser, email);
    assert.notEqual(locked.status, 303);
    assert.equal(new Set([...wrong, locked.text].map(Browser.withoutToken)).size, 1);
    assert.equal((await enter(browse(browser.address), email.toUpperCase())).status, locked.status);
    assert.equal((await enter(browse(), email)).status, 303, 'another network is not shut out');
    await app.restart();
    assert.equal((await enter(browser, email)).status, locked.status, 'a restart forgets nothing');
    app.clock.advance(15 * minuteMs);
    assert.equal((await enter(browser, email)).status, 303);
  });

  test('a sign-in from a foreign page, or without an origin, is refused before it is read', async () => {
    const { email } = await newPerson();
    const strange: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of strange) {
      const reply = await browse().submit('/sign-in', { email, password }, headers);
      assert.equal(reply.status, 403, JSON.stringify(headers));
      assert.deepEqual(reply.headers.getSetCookie(), []);
    }
    const bare = await app.anonymous.fetch('/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email, password }).toString(),
    });
    assert.equal(bare.status, 403);
  });

  test('forms before any session need the token that their page gave this very browser', async () => {
    const { email } = await newPerson();
    const own = browse();
    const token = Browser.hidden(await own.get('/sign-in'), 'csrf');
    const other = browse();
    const foreign = Browser.hidden(await other.get('/sign-in'), 'csrf');
    assert.notEqual(token, foreign);
    const target = `message:${'A'.repeat(22)}`;
    const forms: [string, Record<string, string>][] = [
      ['/sign-in', { email, password }],
      ['/sign-in/second', { code: '123456' }],
      ['/forgot', { email }],
      ['/verify/address', { target, address: email }],
      ['/verify/code', { target, code: 'ABCD-EFGH' }],
      [`/reset/${'a'.repeat(44)}`, { password }],
      [`/invite/${'a'.repeat(44)}`, { password, name: 'x' }],
      [`/link/${'A'.repeat(22)}/password`, { password }],
    ];
    for (const [path, fields] of forms.reverse()) {
      assert.ok(!own.cookies.has('local-sid'), 'a refused form opens no session');
      for (const [browser, csrf] of [
        [own, {}],
        [own, { csrf: '' }],
        [own, { csrf: foreign }],
        [browse(), { csrf: token }],
      ] as const) {
        const reply = await browser.submitBare(path, { ...fields, ...csrf });
        assert.equal(reply.status, 403, `${path} ${JSON.stringify(csrf)}`);
      }
      assert.notEqual((await own.submitBare(path, { ...fields, csrf: token })).status, 403, path);
    }
    assert.ok(own.cookies.has('local-sid'));
  });

  testOnce('signing in leads to our own pages only', async () => {
    const { email } = await newPerson();
    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/x\r\nSet-Cookie: a=b',
      ' //evil.example',
      'message/abc',
    ]) {
      const reply = await enter(browse(), email, { to });
      assert.deepEqual([reply.status, reply.location], [303, '/'], to);
      const shown = await browse().get(`/sign-in?to=${encodeURIComponent(to)}`);
      assert.equal(Browser.hidden(shown, 'to'), '/', to);
    }
    assert.equal((await enter(browse(), email, { to: '/message/abc?x=1' })).location, '/message/abc?x=1');
  });

  testOnce('the cookie is hidden from scripts, lives as long as the browser, and is new at every sign-in', async () => {
    const { email } = await newPerson();
    const browser = browse();
    const first = await enter(browser, email);
    const [cookie] = first.headers.getSetCookie();
    assert.match(cookie!, /^local-sid=\w{44}; Path=\/; HttpOnly; SameSite=Lax$/);
    const token = browser.cookies.get('local-sid')!;
    const second = await enter(browser, email);
    assert.equal(second.status, 303);
    assert.notEqual(browser.cookies.get('local-sid'), token);
    const stale = browse();
    stale.cookies.set('local-sid', token);
    assert.equal(await isSignedIn(stale), false, 'the session before it has ended');
    assert.equal(await isSignedIn(browser), true);
  });

  testOnce('a planted session id is not accepted', async () => {
    const { email } = await newPerson();
    const browser = browse();
    const planted = 'A'.repeat(44);
    browser.cookies.set('local-sid', planted);
    await enter(browser, email);
    assert.notEqual(browser.cookies.get('local-sid'), planted);
    const attacker = browse();
    attacker.cookies.set('local-sid', planted);
    assert.equal(await isSignedIn(attacker), false);
  });

  test('an hour without a request ends a session, and twelve hours end it in any case', async () => {
    const { email } = await newPerson();
    const idle = await signedIn(email);
    app.clock.advance(60 * minuteMs);
    assert.equal(await isSignedIn(idle), true);
    app.clock.advance(60 * minuteMs + 1);
    assert.equal(await isSignedIn(idle), false);
    const busy = await signedIn(email);
    for (let minutes = 50; minutes < 720; minutes += 50) {
      app.clock.advance(50 * minuteMs);
      assert.equal(await isSignedIn(busy), true, `after ${minutes} minutes`);
    }
    app.clock.advance(20 * minuteMs);
    assert.equal(await isSignedIn(busy), false);
  });

  test('administrators have half an hour and eight hours', async () => {
    const { email } = await newPerson({ group: 'administrators' });
    const idle = await signedIn(email);
    app.clock.advance(30 * minuteMs + 1);
    assert.equal(await isSignedIn(idle), false);
    const busy = await signedIn(email);
    for (let minutes = 25; minutes < 480; minutes += 25) {
      app.clock.advance(25 * minuteMs);
      assert.equal(await isSignedIn(busy), true, `after ${minutes} minutes`);
    }
    app.clock.advance(5 * minuteMs);
    assert.equal(await isSignedIn(busy), false);
  });

  test('"keep me signed in" outlives idle hours, until its own time is over', async () => {
    const { email } = await newPerson();
    const reply = await enter(browse(), email, { keep: '1' });
    assert.match(reply.headers.getSetCookie()[0]!, /; Max-Age=86400$/);
    const browser = await signedIn(email, { keep: '1' });
    app.clock.advance(23 * hourMs);
    assert.equal(await isSignedIn(browser), true);
    app.clock.advance(hourMs);
    assert.equal(await isSignedIn(browser), false);
  });

  test('a shared browser has a mark that scripts can read, is not kept signed in, and loses the mark without the tick', async () => {
    const { email } = await newPerson();
    const markIn = (reply: Awaited<ReturnType<typeof enter>>) =>
      reply.headers.getSetCookie().find((line) => line.startsWith('local-shared='));
    const browser = browse();
    const reply = await enter(browser, email, { keep: '1', shared_computer: '1' });
    assert.doesNotMatch(reply.headers.getSetCookie()[0]!, /Max-Age/);
    assert.match(markIn(reply)!, /^local-shared=yes; Path=\/; SameSite=Lax; Max-Age=\d+$/);
    assert.match(markIn(await enter(browser, email))!, /^local-shared=;.*Max-Age=0$/);
    assert.equal(markIn(await enter(browse(), email)), undefined);
  });

  test('signing out needs the token of our page; then the session is deleted, not only the cookie', async () => {
    const { email } = await newPerson();
    const browser = await signedIn(email);
    const token = browser.cookies.get('local-sid')!;
    const other = await signedIn(email);
    for (const csrf of ['', 'x', await csrfOf(other)])
      assert.equal((await browser.submit('/sign-out', { csrf })).status, 403, csrf);
    const csrf = await csrfOf(browser);
    assert.equal((await browser.submit('/sign-out', { csrf }, { origin: 'https://evil.example' })).status, 403);
    assert.equal(await isSignedIn(browser), true);
    assert.match((await browser.get('/sign-out')).text, /action="\/sign-out"/, 'a link only shows a button');
    assert.equal(await isSignedIn(browser), true);
    assert.equal((await browser.send('/sign-out', { csrf })).status, 200);
    assert.equal(browser.cookies.has('local-sid'), false);
    browser.cookies.set('local-sid', token);
    assert.equal(await isSignedIn(browser), false);
    assert.equal(await isSignedIn(other), true);
  });

  testOnce('the forms of a message need the token of a signed-in reader', async () => {
    const sender = await newPerson();
    const reader = await newPerson();
    const { id } = await sendMessage(sender, {
      recipients: [reader.email],
      subject: 'x',
      attachments: [inlineFile('plan.txt', 'the plan')],
    });
    const browser = await signedIn(reader.email);
    const page = await browser.get(`/message/${id}`);
    const action = /action="(\/message\/[^"]*\/download\/[^"]*)"/.exec(page.text)?.[1];
    assert.ok(action !== undefined, page.text);
    assert.equal((await browser.submit(action)).status, 403);
    const reply = await browser.submit(action, { csrf: Browser.hidden(page, 'csrf') });
    assert.equal((await browser.get(reply.location!)).text, 'the plan');
  });

  for (const [what, change] of Object.entries({
    'disabling the account': { disabled: true },
    'a new password': { password: 'another river with nine lamps' },
    'another group': { group: 'external-users' },
  })) {
    test(`${what} ends every session immediately`, async () => {
      const { email } = await newPerson();
      const browsers = [await signedIn(email), await signedIn(email, { keep: '1' })];
      await app.admin.expect(200, 'changeUser', { params: { id: email }, body: { user: change } });
      for (const browser of browsers) assert.equal(await isSignedIn(browser), false);
      if ('disabled' in change) {
        await app.admin.expect(200, 'changeUser', { params: { id: email }, body: { user: { disabled: false } } });
        for (const browser of browsers) assert.equal(await isSignedIn(browser), false, 'also once it is enabled again');
      }
    });
  }

  testOnce('deleting a user ends their sessions', async () => {
    const { email } = await newPerson();
    const browser = await signedIn(email);
    await app.admin.expect(200, 'deleteUser', { params: { id: email } });
    assert.equal(await isSignedIn(browser), false);
  });

  testOnce('cookies alone never authenticate a call of the API, and the API sets none', async () => {
    const person = await newPerson();
    const link = await newLink(person);
    const browser = await signedIn(person.email);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const [method, path] of [
      ['GET', '/account'],
      ['GET', '/link'],
      ['GET', '/messages/sent'],
      ['DELETE', `/link/${link.id}`],
      ['POST', '/message'],
    ] as const) {
      const reply = await app.anonymous.fetch(path, {
        method,
        headers: {
          cookie,
          accept: 'application/json',
          origin: app.url,
          'content-type': 'application/json',
        },
        ...(method === 'POST' ? { body: '{"message":{"recipients":["a@b.example"]}}' } : {}),
      });
      assert.equal(reply.status, 403, `${method} ${path}`);
      assert.deepEqual(reply.headers.getSetCookie(), []);
    }
    const login = await app.anonymous.fetch('/login', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ user: { email: person.email, password } }),
    });
    assert.deepEqual(login.headers.getSetCookie(), []);
  });

  test('the sign-in page leads a signed-in user to the app or the page they wanted', async () => {
    const { email } = await newPerson();
    const browser = await signedIn(email);
    assert.equal((await browser.get('/sign-in?to=/message/abc')).location, '/message/abc');
    assert.equal((await browser.get('/sign-in')).location, '/app');
  });
});

onEachDatabase('signing in behind HTTPS', (start) => {
  test('cookies are Secure, bound to the host, and plain ones of the same name are ignored', async () => {
    const app = await start({ environment: { WAYBILL_BASE_URL: 'https://files.example', WAYBILL_ROLE: 'web' } });
    try {
      const ask = async (requestLine: string, headers: string[], body = '') => {
        const line = await dial(app.url);
        const length = body === '' ? [] : [`Content-Length: ${body.length}`];
        await line.write(head('https://files.example', requestLine, [...headers, ...length]) + body);
        const reply = await line.reply();
        line.cut();
        return reply;
      };
      const fields = `email=root%40example.com&password=${encodeURIComponent('quiet river under seven lamps')}`;
      const formHeaders = ['Content-Type: application/x-www-form-urlencoded', 'Accept: text/html'];
      const page = await ask('GET /sign-in', ['Accept: text/html']);
      const pre = page.headers.get('set-cookie')!;
      assert.match(pre, /^__Host-pre=\w{44}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const form = `${fields}&csrf=${encodeURIComponent(/name="csrf" value="([^"]*)"/.exec(page.text)![1]!)}`;
      formHeaders.push(`Cookie: ${pre.split(';')[0]}`);
      const foreign = await ask('POST /sign-in', [...formHeaders, 'Origin: https://evil.example'], form);
      assert.equal(foreign.status, 403);
      const reply = await ask('POST /sign-in', [...formHeaders, 'Origin: https://files.example'], form);
      assert.equal(reply.status, 303);
      const cookie = reply.headers.get('set-cookie')!;
      assert.match(cookie, /^__Host-sid=\w{44}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const value = cookie.split(';')[0]!.split('=')[1]!;
      const pageWith = (name: string) => ask('GET /sign-out', ['Accept: text/html', `Cookie: ${name}=${value}`]);
      assert.match((await pageWith('__Host-sid')).text, /sign-out/);
      for (const name of ['sid', 'local-sid', '__host-sid'])
        assert.doesNotMatch((await pageWith(name)).text, /sign-out/);
    } finally {
      await app.close();
    }
  });
});
