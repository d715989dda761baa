// Sign-in through a browser: the CLI shows a code, a signed-in person confirms it, and the CLI gets a named key.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { activateAccount, onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { assertRefused } from '#test/kit/client.ts';
import { type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';
const codeForm = /[A-Z2-9]{4}-[A-Z2-9]{4}/;

onEachDatabase('signing in through a browser', (start) => {
  const app = useApp(start);
  const line = useCommandLine();
  let people = 0;
  const newPerson = async () => {
    const email = `person${++people}@example.com`;
    await app.admin.expect(200, 'createUser', { body: { user: { email, password } } });
    await activateAccount(app.app.ctx, email);
    return email;
  };
  const enter = async (email: string) => {
    const browser = new Browser(app.url);
    assert.equal((await browser.submit('/sign-in', { email, password })).status, 303);
    return browser;
  };
  const begin = async (name = 'waybill on desk') => {
    const { body } = await app.anonymous.expect(200, 'startPairing', { body: { pairing: { name } } });
    return (body as { pairing: { token: string; code: string; url: string; expires_in: number } }).pairing;
  };
  const claim = (token: string) => app.anonymous.call('claimPairing', { body: { pairing: { token } } });
  /** Enters the code and clicks one of the two buttons. */
  const type = async (browser: Browser, code: string): Promise<PageReply> => {
    const csrf = Browser.hidden(await browser.get('/connect'), 'csrf');
    return browser.submit('/connect', { csrf, code });
  };
  const answer = (browser: Browser, page: PageReply, choice: 'allow' | 'refuse') =>
    browser.submit('/connect/answer', {
      csrf: Browser.hidden(page, 'csrf'),
      code: Browser.hidden(page, 'code'),
      answer: choice,
    });
  let ann: string;
  let browser: Browser;
  before(async () => {
    ann = await newPerson();
    browser = await enter(ann);
  });

  test('refuses invalid names, unknown tokens, and forms of other sites', async () => {
    for (const name of ['', ' ', 'a'.repeat(101), 'two\nlines'])
      assert.equal((await app.anonymous.call('startPairing', { body: { pairing: { name } } })).status, 422, name);
    assertRefused(await claim('x'.repeat(44)), 404, 'pairing.not_found');
    assert.equal((await new Browser(app.url).get('/connect')).location, '/sign-in?to=/connect');
    const { code } = await begin();
    const foreign = await new Browser(app.url).submitBare('/connect/answer', { code, answer: 'allow' });
    assert.equal(foreign.location, '/sign-in?to=/connect');
    assert.equal((await browser.submitBare('/connect/answer', { code, answer: 'allow' })).status, 403);
  });

  test('a missing, wrong or expired code is reported, and the program gets no key', async () => {
    assert.match((await type(browser, ' ')).words, /Enter the code that the program shows/);
    assert.match((await type(browser, 'AAAA-AAAA')).words, /doesn’t match, has expired or was used/);
    const { token, code, expires_in: seconds } = await begin();
    const page = await type(browser, code);
    assert.deepEqual((await claim(token)).body, { pairing: { state: 'waiting', api_key: null } });
    app.clock.advance(seconds * 1000);
    assertRefused(await claim(token), 404, 'pairing.not_found');
    assert.match((await answer(browser, page, 'allow')).words, /has expired/);
    assert.match((await type(browser, code)).words, /has expired/);
    browser = await enter(ann);
  });

  test('refused: the program is notified, and the code is spent', async () => {
    const { token, code } = await begin();
    assert.match((await answer(browser, await type(browser, code), 'refuse')).words, /was not signed in/);
    assertRefused(await claim(token), 403, 'pairing.refused');
    assert.match((await type(browser, code)).words, /was used already/);
  });

  test('confirmed: one named key for one of two simultaneous claims, an event, a notice; never again', async () => {
    const { token, code } = await begin('<b>nightly</b> backup');
    const page = await type(browser, ` ${code.toLowerCase().replace('-', ' ')} `);
    assert.match(page.text, /&lt;b&gt;nightly&lt;\/b&gt; backup/);
    assert.match(page.words, /127\.0\.0\.1/);
    assert.match((await answer(browser, page, 'allow')).words, /continues automatically/);
    const replies = await Promise.all([claim(token), claim(token)]);
    const [won] = replies.filter(({ status }) => status === 200);
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 404]);
    const key = (won!.body as { pairing: { api_key: string } }).pairing.api_key;
    assertRefused(await claim(token), 404, 'pairing.not_found');
    const account = await fetch(`${app.url}/account`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await account.json()) as { user: { email: string } }).user.email, ann);
    const person = await signIn(app, ann, password);
    const { body } = await person.expect(200, 'listApiKeys');
    const named = (body as { api_keys: { name: string; kind: string }[] }).api_keys.filter(({ name }) => name !== '');
    assert.deepEqual(
      named.map(({ name }) => name),
      ['<b>nightly</b> backup'],
    );
    const events = await app.app.ctx.db.read.selectFrom('events').select('action').execute();
    assert.equal(events.filter(({ action }) => action === 'api_key.created').length, 1);
  });

  test('no key for a person who is disabled before the program collects it', async () => {
    const bob = await newPerson();
    const his = await enter(bob);
    const { token, code } = await begin();
    await answer(his, await type(his, code), 'allow');
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('users').set({ state: 'disabled' }).where('email', '=', bob).execute(),
    );
    assertRefused(await claim(token), 404, 'pairing.not_found');
  });

  test('guessing codes is limited by person, and requesting codes by network', async () => {
    const guesser = await enter(await newPerson());
    for (let attempt = 0; attempt < 10; attempt += 1) await type(guesser, `AAAA-AAA${attempt}`);
    assert.match((await type(guesser, (await begin()).code)).words, /Too many attempts/);
    const statuses = new Set<number>();
    for (let asked = 0; asked < 31 && !statuses.has(429); asked += 1)
      statuses.add((await app.anonymous.call('startPairing', { body: { pairing: { name: 'x' } } })).status);
    assert.ok(statuses.has(429));
    app.clock.advance(3_600_000);
    browser = await enter(ann);
  });

  testOnce('waybill login prints address and code, waits, and stores the key without printing it', async () => {
    const printedCode = Promise.withResolvers<string>();
    const running = line.run(['login', app.url], {
      typed: '',
      onError: (text) => {
        const code = codeForm.exec(text)?.[0];
        if (code !== undefined) printedCode.resolve(code);
      },
    });
    const code = await printedCode.promise;
    await answer(browser, await type(browser, code), 'allow');
    const ran = await running;
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.err, new RegExp(`^Open ${app.url}/connect in a browser, on any device, and enter this code:`));
    assert.equal(ran.out, `Signed in to ${app.url} as ${ann} (profile default).\n`);
    const key = readFileSync(join(line.home, '.config', 'waybill', 'default.key'), 'utf8').trim();
    assert.ok(!`${ran.out}${ran.err}`.includes(key));
    assert.equal((await line.run(['-q', 'whoami'])).out, `${ann}\n`);
  });

  testOnce('waybill login reports a refusal, and ends when it is stopped', async () => {
    const stopping = new AbortController();
    const login = (onCode: (code: string) => unknown): Promise<Ran> => {
      let isTold = false;
      return line.run(['login', app.url], {
        typed: '',
        signal: stopping.signal,
        onError: (text) => {
          const code = codeForm.exec(text)?.[0];
          if (code === undefined || isTold) return;
          isTold = true;
          onCode(code);
        },
      });
    };
    const refused = await login(async (code) => answer(browser, await type(browser, code), 'refuse'));
    assert.equal(refused.code, 4, refused.err);
    assert.match(refused.err, /refused in the browser.*pairing\.refused/);
    assert.equal((await login(() => stopping.abort('SIGINT'))).code, 130);
  });

  testOnce('a server without this sign-in: the program asks for a key, and never echoes it', async () => {
    const server = createServer((request, response) => {
      const isKnown = request.headers.authorization === 'Bearer pasted';
      const status = request.url === '/account' ? (isKnown ? 200 : 401) : 404;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { user: { email: 'ann@other.example' } } : { errors: ['Not here.'] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ran = await line.run(['-p', 'other', 'login', url], { typed: 'pasted\r' });
      assert.equal(ran.code, 0, ran.err);
      assert.match(ran.err, /Make an API key at .*\nAPI key: \n/);
      assert.ok(!`${ran.out}${ran.err}`.includes('pasted'));
      const blind = await line.run(['login', url]);
      assert.equal(blind.code, 2);
      assert.match(blind.err, /--api-key-stdin/);
    } finally {
      server.close();
    }
  });
});
