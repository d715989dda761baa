import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { activateAccount, onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const stepMs = 30_000;
const minuteMs = 60_000;
const password = 'seven lamps under a quiet river';

onEachDatabase('the second step', (start) => {
  const app = useApp(start, openDistantMailbox().options);
  let people = 0;
  let required: string;
  let without: string;
  before(async () => {
    required = await app.group('Careful', { require_second_factor: 'required' });
    without = await app.group('Plain', { require_second_factor: 'off' });
  });

  const newPerson = async (group?: string): Promise<string> => {
    const email = `person${++people}@example.com`;
    const user = { email, password, ...(group === undefined ? {} : { group }) };
    await app.admin.expect(200, 'createUser', { body: { user } });
    await activateAccount(app.app.ctx, email);
    return email;
  };
  const browse = () => new DistantBrowser(app.url);
  const enter = async (email: string) => {
    const browser = browse();
    return { browser, reply: await browser.submit('/sign-in', { email, password }) };
  };
  const secretIn = (html: string): Secret => {
    const secret = /otpauth:\/\/totp\/[^"]*[?&](?:amp;)?secret=([A-Z2-7]+)/.exec(html)?.[1];
    assert.ok(secret !== undefined, html);
    return Secret.fromBase32(secret);
  };
  const codeOf = (secret: Secret, shift = 0) =>
    new TOTP({ secret }).generate({ timestamp: app.clock.now() + shift * stepMs });
  const wrongCode = (secret: Secret) => {
    const right = [-1, 0, 1].map((shift) => codeOf(secret, shift));
    return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code))!;
  };
  const isSignedIn = async (browser: Browser) => (await browser.get('/sign-in')).location === '/app';
  /** Sets the app up for a person, as the account of the web app does, and returns its secret. */
  const setUp = async (email: string): Promise<Secret> => {
    const person = await signIn(app, email, password);
    const { body } = await person.expect(200, 'startTotp', { body: { password } });
    const secret = Secret.fromBase32((body as { totp: { secret: string } }).totp.secret);
    await person.expect(200, 'confirmTotp', { body: { code: codeOf(secret) } });
    app.clock.advance(2 * stepMs);
    return secret;
  };

  test('the set-up page is for people who are signing in; an open session needs the password for it', async () => {
    assert.equal((await browse().get('/second-factor')).location, '/sign-in?to=/second-factor');
    assert.equal((await browse().submit('/second-factor', { code: '123456' })).location, '/sign-in?to=/second-factor');
    for (const group of [undefined, without]) {
      const email = await newPerson(group);
      const { browser } = await enter(email);
      assert.equal((await browser.get('/second-factor')).location, '/app/account/security');
      assert.equal((await browser.submit('/second-factor', { code: '123456' })).location, '/app/account/security');
      const person = await signIn(app, email, password);
      await person.refused(422, 'password.wrong', 'startTotp', { body: { password: 'wrong' } });
      if (group !== undefined) await person.refused(422, 'totp.not_offered', 'startTotp', { body: { password } });
    }
  });

  test('setting it up ends every other session, which was opened with the password alone', async () => {
    const email = await newPerson(required);
    const [first, other] = [(await enter(email)).browser, (await enter(email)).browser];
    const page = await first.get('/second-factor');
    const code = codeOf(secretIn(page.text));
    const codes = await first.submit('/second-factor', { csrf: Browser.hidden(page, 'csrf'), code });
    assert.equal(codes.words.match(/[a-z0-9]{5}-[a-z0-9]{5}/g)?.length, 10, 'the recovery codes');
    assert.equal((await first.get('/second-factor/codes')).location, '/sign-in', 'are shown once');
    assert.equal(await isSignedIn(first), true);
    assert.equal(await isSignedIn(other), false);
    assert.equal((await other.get('/app')).location, '/sign-in?to=%2Fapp');
  });

  testOnce('a wrong code, none, and a form without our token switch nothing on', async () => {
    const email = await newPerson(required);
    const { browser } = await enter(email);
    const page = await browser.get('/second-factor');
    const secret = secretIn(page.text);
    const csrf = Browser.hidden(page, 'csrf');
    for (const code of ['', '12345', 'abcdef', wrongCode(secret), codeOf(secret, 2), codeOf(secret, -2)]) {
      const reply = await browser.submit('/second-factor', { csrf, code });
      assert.equal(reply.status, 422, code);
      assert.equal(secretIn(reply.text).base32, secret.base32, 'the page keeps its secret');
    }
    assert.equal((await browser.submit('/second-factor', { code: codeOf(secret) })).status, 403);
    assert.equal((await enter(email)).reply.status, 303, 'a password alone still does');
  });

  test('opening the page writes nothing, and its secret lasts half an hour at most', async () => {
    const email = await newPerson(required);
    const { browser } = await enter(email);
    const rowOf = () =>
      app.app.ctx.db.read.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
    const before = await rowOf();
    const page = await browser.get('/second-factor');
    const secret = secretIn(page.text);
    assert.deepEqual(await rowOf(), before);
    assert.equal(
      secretIn((await browser.get('/second-factor')).text).base32,
      secret.base32,
      'a reload changes nothing',
    );
    const elsewhere = (await enter(email)).browser;
    assert.notEqual(secretIn((await elsewhere.get('/second-factor')).text).base32, secret.base32);
    app.clock.advance(30 * minuteMs);
    const csrf = Browser.hidden(page, 'csrf');
    assert.equal((await browser.submit('/second-factor', { csrf, code: codeOf(secret) })).status, 422);
    const fresh = secretIn((await browser.get('/second-factor')).text);
    assert.notEqual(fresh.base32, secret.base32);
    app.clock.advance(14 * minuteMs);
    assert.equal((await browser.post('/second-factor', { csrf, code: codeOf(fresh) })).status, 303);
  });

  test('once set up, a password alone opens nothing', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const { browser, reply } = await enter(email);
    assert.equal(reply.status, 200);
    assert.match(reply.text, /action="\/sign-in\/second"/);
    assert.equal(await isSignedIn(browser), false);
    assert.equal((await browser.get('/second-factor')).location, '/sign-in?to=/second-factor');
    const passed = await browser.submit('/sign-in/second', { code: codeOf(secret), to: '/message/abc' });
    assert.deepEqual([passed.status, passed.location], [303, '/message/abc']);
    assert.equal(await isSignedIn(browser), true);
  });

  testOnce(
    'a code that comes too late leads back to the password with the requested address and the reason',
    async () => {
      const email = await newPerson();
      const secret = await setUp(email);
      const { browser } = await enter(email);
      app.clock.advance(11 * minuteMs);
      const fields = { code: codeOf(secret), to: '/message/abc', keep: '1' };
      const reply = await browser.post('/sign-in/second', fields);
      assert.deepEqual([reply.status, reply.location], [303, '/sign-in?to=%2Fmessage%2Fabc']);
      const page = await browser.get(reply.location!);
      assert.match(page.words, /You were signed out because nothing happened for a while/);
      assert.equal(Browser.hidden(page, 'to'), '/message/abc');
      assert.equal((await browser.submit('/sign-in', { email, password })).status, 200);
    },
  );

  testOnce('a code that is sent twice by two clicks ends no session', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const { browser } = await enter(email);
    const fields = { code: codeOf(secret), to: '/message/abc' };
    assert.equal((await browser.post('/sign-in/second', fields)).location, '/message/abc');
    const again = await browser.post('/sign-in/second', fields);
    assert.equal((await browser.get(again.location!)).location, '/message/abc');
    assert.equal(await isSignedIn(browser), true);
  });

  testOnce('the second step keeps the choice to stay signed in, and the requested address', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    for (const keep of ['1', '']) {
      const browser = browse();
      const asked = await browser.submit('/sign-in', { email, password, keep, to: '/message/abc' });
      const fields = { to: Browser.hidden(asked, 'to'), keep: Browser.hidden(asked, 'keep') };
      const wrong = await browser.submit('/sign-in/second', { code: wrongCode(secret), ...fields });
      assert.deepEqual({ to: Browser.hidden(wrong, 'to'), keep: Browser.hidden(wrong, 'keep') }, fields);
      const passed = await browser.submit('/sign-in/second', { code: codeOf(secret), ...fields });
      assert.deepEqual([passed.status, passed.location], [303, '/message/abc']);
      const cookie = passed.headers.getSetCookie().find((line) => line.startsWith('local-sid='))!;
      assert.equal(/Max-Age/.test(cookie), keep === '1');
      app.clock.advance(stepMs);
    }
  });

  testOnce('the pending session gets a new id, and ends after ten minutes', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const { browser } = await enter(email);
    const pending = browser.cookies.get('local-sid')!;
    await browser.submit('/sign-in/second', { code: codeOf(secret) });
    assert.notEqual(browser.cookies.get('local-sid'), pending);
    const old = browse();
    old.cookies.set('local-sid', pending);
    assert.equal(await isSignedIn(old), false);
    app.clock.advance(2 * stepMs);
    assert.notEqual((await old.submit('/sign-in/second', { code: codeOf(secret) })).status, 303, 'the code works once');
    const { browser: slow } = await enter(email);
    app.clock.advance(10 * minuteMs);
    assert.notEqual((await slow.submit('/sign-in/second', { code: codeOf(secret) })).status, 303);
    assert.equal(await isSignedIn(slow), false);
  });

  test('a code works once, also for the neighbours of its time step, and leads to no foreign address', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const [first, second] = [(await enter(email)).browser, (await enter(email)).browser];
    const code = codeOf(secret);
    const passed = await first.submit('/sign-in/second', { code, to: '//evil.example' });
    assert.deepEqual([passed.status, passed.location], [303, '/']);
    assert.notEqual((await second.submit('/sign-in/second', { code })).status, 303);
    assert.notEqual(
      (await second.submit('/sign-in/second', { code: codeOf(secret, -1) })).status,
      303,
      'older than used',
    );
    app.clock.advance(stepMs);
    const spaced = codeOf(secret).replace(/^(...)/, '$1 ');
    assert.equal((await second.submit('/sign-in/second', { code: spaced })).status, 303);
  });

  test('of parallel uses of one code one opens a session', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const browsers = await Promise.all(Array.from({ length: 4 }, async () => (await enter(email)).browser));
    const replies = await Promise.all(
      browsers.map((browser) => browser.submit('/sign-in/second', { code: codeOf(secret) })),
    );
    assert.equal(replies.filter((reply) => reply.status === 303).length, 1);
  });

  test('of parallel confirmations of new apps one counts and is recorded', async () => {
    const email = await newPerson(required);
    const browsers = await Promise.all(Array.from({ length: 4 }, async () => (await enter(email)).browser));
    const pages = await Promise.all(browsers.map((browser) => browser.get('/second-factor')));
    const replies = await Promise.all(
      browsers.map((browser, n) => {
        const page = pages[n]!;
        const form = { csrf: Browser.hidden(page, 'csrf'), code: codeOf(secretIn(page.text)) };
        return browser.post('/second-factor', form);
      }),
    );
    const ended = replies.filter(({ location }) => location === '/second-factor/codes');
    assert.equal(ended.length, 1, 'the others show the page again, or have no session');
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select('action')
      .where('actor_id', '=', email.replace(/[^a-z0-9]+/g, '-'))
      .execute();
    assert.equal(events.filter(({ action }) => action === 'totp.switched_on').length, 1);
  });

  testOnce('five wrong codes block the second step for five minutes, in every browser', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const { browser } = await enter(email);
    for (let index = 0; index < 5; index++)
      assert.equal((await browser.submit('/sign-in/second', { code: wrongCode(secret) })).status, 422);
    for (const one of [browser, (await enter(email)).browser]) {
      const reply = await one.submit('/sign-in/second', { code: codeOf(secret) });
      assert.equal(reply.status, 429);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
    }
    app.clock.advance(5 * minuteMs);
    const later = (await enter(email)).browser;
    assert.equal((await later.submit('/sign-in/second', { code: codeOf(secret) })).status, 303);
  });

  testOnce('a right code resets the count of wrong ones', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    for (const time of ['first', 'second']) {
      const { browser } = await enter(email);
      for (let index = 0; index < 4; index++)
        assert.equal((await browser.submit('/sign-in/second', { code: wrongCode(secret) })).status, 422, time);
      assert.equal((await browser.submit('/sign-in/second', { code: codeOf(secret) })).status, 303, time);
      app.clock.advance(2 * stepMs);
    }
  });

  test('showing the set-up page again neither replaces nor switches off an app in use', async () => {
    const email = await newPerson();
    const secret = await setUp(email);
    const { browser } = await enter(email);
    await browser.submit('/sign-in/second', { code: codeOf(secret) });
    const page = await browser.get('/second-factor');
    assert.doesNotMatch(page.text, /otpauth:/);
    app.clock.advance(2 * stepMs);
    const again = await enter(email);
    assert.equal(again.reply.status, 200, 'the second step is still required');
    assert.equal((await again.browser.submit('/sign-in/second', { code: codeOf(secret) })).status, 303);
  });

  testOnce('a group that requires it leads to the set-up, and until then the sign-in opens nothing', async () => {
    const email = await newPerson(required);
    const { id } = await sendMessage(app.admin, {
      recipients: [email],
      attachments: [inlineFile('plan.txt', 'the plan')],
    });
    const { browser, reply } = await enter(email);
    assert.deepEqual([reply.status, reply.location], [303, '/second-factor']);
    assert.equal((await browser.get('/sign-in?to=/message/abc')).location, '/second-factor');
    assert.doesNotMatch((await browser.get(`/message/${id}`)).text, /plan\.txt/);
    const page = await browser.get('/second-factor');
    const secret = secretIn(page.text);
    await browser.submit('/second-factor', { csrf: Browser.hidden(page, 'csrf'), code: codeOf(secret) });
    assert.match((await browser.get(`/message/${id}`)).text, /plan\.txt/);
  });

  testOnce('a password alone returns no API key where a second step is required or set up', async () => {
    const demanded = await newPerson(required);
    await app.anonymous.refused(401, 'login.second_factor', 'login', { body: { user: { email: demanded, password } } });
    const chosen = await newPerson();
    await app.anonymous.expect(200, 'login', { body: { user: { email: chosen, password } } });
    await setUp(chosen);
    await app.anonymous.refused(401, 'login.second_factor', 'login', { body: { user: { email: chosen, password } } });
  });
});
