import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserOf, newPerson, sendMessage } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const first = 'quiet lamps under a river';
const given = 'nine copper kettles whistling';
const chosen = 'seven paper boats drifting';
const page = '/new-password';

onEachDatabase('a password that an administrator has set', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let boss: ApiClient;
  let message: string;
  before(async () => {
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    const alice = await newPerson(app, 'alice');
    const sent = { recipients: ['private@example.com'], subject: 'Private', send_email: false, authorization: 3 };
    message = (await sendMessage(alice, sent)).id;
  });

  const setPassword = (who: ApiClient, id: string, password = given) =>
    who.expect(200, 'changeUser', { params: { id }, body: { user: { password } } });
  const logIn = (email: string, password: string) =>
    app.anonymous.call('login', { body: { user: { email, password } } });
  const csrfIn = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)![1]!;

  test('yields no API key until the person has changed it, and then the previous key', async () => {
    const bob = await newPerson(app, 'bob', { password: first });
    await setPassword(boss, idOf(bob));
    const refused = await logIn(bob.email, given);
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [401, 'login.password_change']);
    // The answer says so only with the right password.
    assert.equal(((await logIn(bob.email, first)).body as { code: string }).code, 'login.wrong');
    const browser = await signIn(app, bob.email, given);
    await browser.expect(200, 'changePassword', { body: { current: given, new: chosen } });
    assert.deepEqual((await logIn(bob.email, chosen)).body, { user: { api_key: bob.key } });
    await bob.expect(200, 'getAccount');
  });

  test('must be changed on a new account too', async () => {
    await boss.expect(200, 'createUser', { body: { user: { email: 'new@example.com', password: given } } });
    assert.equal(((await logIn('new@example.com', given)).body as { code: string }).code, 'login.password_change');
    const browser = await signIn(app, 'new@example.com', given);
    await browser.refused(403, 'session.password_change_needed', 'getMe');
    await browser.expect(200, 'changePassword', { body: { current: given, new: chosen } });
    await browser.expect(200, 'getMe');
    assert.equal((await logIn('new@example.com', chosen)).status, 200);
  });

  test('opens a session that can change the password and nothing else', async () => {
    const cleo = await newPerson(app, 'private', { password: first });
    await setPassword(boss, idOf(cleo));
    const session = await signIn(app, cleo.email, given);
    await session.refused(403, 'session.password_change_needed', 'getMe');
    await session.refused(403, 'session.password_change_needed', 'getMessage', { params: { id: message } });
    await session.refused(403, 'session.password_change_needed', 'listApiKeys');
    const browser = await browserOf(app, cleo.email, given);
    for (const path of ['/app', '/sign-in', '/second-factor']) assert.equal((await browser.get(path)).location, page);
    assert.equal((await browser.get('/sign-in?to=/connect')).location, `${page}?to=%2Fconnect`);
    // On the pages of recipients the visitor is not signed in.
    assert.doesNotMatch((await browser.get(`/messages/${message}`)).text, /Private/);
    await session.expect(200, 'changePassword', { body: { current: given, new: chosen } });
    await session.expect(200, 'getMe');
    // The other session was opened with the password of the administrator.
    assert.match((await browser.get('/app')).location!, /^\/sign-in/);
  });

  test('is replaced on a page that leads to the requested address', async () => {
    const dora = await newPerson(app, 'dora', { password: first });
    await setPassword(boss, idOf(dora));
    const browser = new Browser(app.url);
    const signedIn = await browser.submit('/sign-in', { email: dora.email, password: given, to: '/app/received' });
    assert.equal(signedIn.location, `${page}?to=%2Fapp%2Freceived`);
    const shown = await browser.get(signedIn.location!);
    assert.match(shown.words, /An administrator has set the password/);
    const form = { csrf: csrfIn(shown.text), to: '/app/received' };
    assert.match((await browser.submit(page, { ...form, password: '' })).words, /password/i);
    assert.match((await browser.submit(page, { ...form, password: given })).words, /This is the password you have/);
    assert.match((await browser.submit(page, { ...form, password: 'short' })).words, /at least/);
    assert.equal((await browser.submit(page, { password: chosen })).status, 403);
    assert.equal((await browser.submit(page, { ...form, password: chosen })).location, '/app/received');
    assert.equal((await browser.get('/app')).status, 200);
    assert.equal((await browser.get(page)).location, '/app');
    assert.equal((await new Browser(app.url).get(page)).location, `/sign-in?to=${encodeURIComponent(page)}`);
  });

  test('is reported to the person by mail, with who set it and what comes next', async () => {
    const eve = await newPerson(app, 'eve', { password: first });
    await mailbox.post(app);
    const before = mailbox.transport.sent.length;
    await setPassword(boss, idOf(eve));
    await mailbox.post(app);
    const [mail, ...more] = mailbox.transport.sent.slice(before).map((sent) => sent.mail);
    assert.equal(more.length, 0);
    assert.equal(mail!.to, eve.email);
    assert.equal(mail!.subject, 'An administrator has set your password');
    assert.match(mail!.text, /boss/);
    assert.match(mail!.text, /You choose another one when you next sign in/);
  });

  test('is no longer valid once the person has chosen one by a link, and an own password need not be changed', async () => {
    const fay = await newPerson(app, 'fay', { password: first });
    await setPassword(boss, idOf(fay));
    await new Browser(app.url).submit('/forgot', { email: fay.email });
    const mails = await mailbox.postTo(app, fay.email);
    const link = /\/reset\/\w+/.exec(mails.at(-1)!.text)![0];
    await new Browser(app.url).submit(link, { password: chosen });
    await (await signIn(app, fay.email, chosen)).expect(200, 'getMe');
    await setPassword(boss, idOf(boss));
    await (await signIn(app, boss.email, given)).expect(200, 'getMe');
  });
});
