import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activateAccount, onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Authenticator } from '#test/kit/authenticator.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { type SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';
const minuteMs = 60_000;

onEachDatabase('passkeys of accounts', (start) => {
  const app = useApp(start, openDistantMailbox().options);
  let people = 0;
  let required: string;
  before(async () => {
    required = await app.group('Passkeys only', { require_passkey: true });
  });

  const newPerson = async (group?: string): Promise<string> => {
    const email = `passkey${++people}@example.com`;
    const user = { email, password, ...(group === undefined ? {} : { group }) };
    await app.admin.expect(200, 'createUser', { body: { user } });
    await activateAccount(app.app.ctx, email);
    return email;
  };
  const newKey = () => new Authenticator(new URL(app.app.ctx.settings.surroundings.baseUrl).origin);
  const optionsOf = async (person: SignedIn) => {
    const { body } = await person.expect(200, 'startPasskey', { body: { password } });
    return (body as unknown as { options: Parameters<Authenticator['create']>[0] }).options;
  };
  const enrol = async (email: string) => {
    const person = await signIn(app, email, password);
    const key = newKey();
    const credential = key.create(await optionsOf(person));
    const { body } = await person.expect(200, 'addPasskey', { body: { name: 'My phone', credential } });
    return { person, key, id: (body as { passkey: { id: string } }).passkey.id };
  };
  const browse = () => new DistantBrowser(app.url);
  const requestIn = (page: PageReply) => {
    const json = /data-passkey="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"');
    assert.ok(json !== undefined, page.text);
    return JSON.parse(json) as Parameters<Authenticator['use']>[0];
  };
  const isSignedIn = async (browser: DistantBrowser) => (await browser.get('/sign-in')).location === '/app';
  const use = async (key: Authenticator, forged: Parameters<Authenticator['use']>[1] = {}, browser = browse()) => {
    const request = requestIn(await browser.get('/sign-in'));
    const reply = await browser.submit('/sign-in/passkey', { credential: key.use(request, forged) });
    return { browser, reply, request };
  };
  const eventsOf = async (id: string) => {
    const rows = app.app.ctx.db.read.selectFrom('events').select(['action']).where('object_id', '=', id);
    return (await rows.orderBy('seq').execute()).map(({ action }) => action);
  };

  test('a passkey is created with the password, used without it, renamed and removed', async () => {
    const email = await newPerson();
    const { person, key, id } = await enrol(email);
    await person.refused(422, 'password.wrong', 'startPasskey', { body: { password: 'wrong' } });
    const { browser, reply } = await use(key);
    assert.deepEqual([reply.status, reply.location], [303, '/']);
    assert.equal(await isSignedIn(browser), true);
    await person.expect(200, 'renamePasskey', { params: { id }, body: { name: 'My key' } });
    const { passkeys } = (await person.expect(200, 'listPasskeys', {})).body as {
      passkeys: { name: string; last_used_at: number | null }[];
    };
    assert.equal(passkeys.length, 1);
    assert.equal(passkeys[0]!.name, 'My key');
    assert.notEqual(passkeys[0]!.last_used_at, null);
    await person.refused(422, 'password.wrong', 'removePasskey', { params: { id }, body: { password: 'wrong' } });
    await person.expect(200, 'removePasskey', { params: { id }, body: { password } });
    assert.equal((await use(key)).reply.status, 422);
    assert.deepEqual(await eventsOf(id), ['passkey.created', 'passkey.used', 'passkey.renamed', 'passkey.removed']);
  });

  test('a passkey is refused if its counter goes back, its origin is wrong, or its user is not verified', async () => {
    const email = await newPerson();
    const { key, id } = await enrol(email);
    assert.equal((await use(key)).reply.status, 303);
    for (const forged of [
      { counter: 1 },
      { counter: 0 },
      { origin: 'https://evil.example' },
      { isUserVerified: false },
    ]) {
      const { browser, reply } = await use(key, forged);
      assert.equal(reply.status, 422, JSON.stringify(forged));
      assert.equal(await isSignedIn(browser), false);
    }
    assert.equal((await eventsOf(id)).filter((action) => action === 'passkey.refused').length, 4);
    assert.equal((await use(key)).reply.status, 303);
  });

  test('a challenge works once, for half an hour, and only if this server has created it', async () => {
    const email = await newPerson();
    const { key } = await enrol(email);
    const browser = browse();
    const request = requestIn(await browser.get('/sign-in'));
    assert.equal((await browser.submit('/sign-in/passkey', { credential: key.use(request) })).status, 303);
    const other = browse();
    assert.equal((await other.submit('/sign-in/passkey', { credential: key.use(request) })).status, 422);
    const late = requestIn(await other.get('/sign-in'));
    app.clock.advance(31 * minuteMs);
    assert.equal((await other.submit('/sign-in/passkey', { credential: key.use(late) })).status, 422);
    const challenge = Buffer.from('guess').toString('base64url');
    assert.equal((await use(key, { challenge })).reply.status, 422);
    assert.equal((await use(newKey())).reply.status, 422);
    assert.equal((await use(key)).reply.status, 303);
  });

  test('a passkey of one account is not added to another, and needs the challenge of its session', async () => {
    const { key } = await enrol(await newPerson());
    const person = await signIn(app, await newPerson(), password);
    const options = await optionsOf(person);
    const body = { name: 'Copy', credential: key.create(options) };
    await person.refused(401, 'passkey.invalid', 'addPasskey', { body });
    const other = await signIn(app, await newPerson(), password);
    await other.refused(401, 'passkey.late', 'addPasskey', {
      body: { name: 'Foreign', credential: newKey().create(await optionsOf(person)) },
    });
    await person.refused(401, 'passkey.invalid', 'addPasskey', {
      body: { name: 'Unverified', credential: newKey().create(await optionsOf(person), { isUserVerified: false }) },
    });
    await person.refused(401, 'passkey.invalid', 'addPasskey', { body: { name: 'Nothing', credential: '{}' } });
  });

  test('a group that requires passkeys leads to the set-up, and then a password alone opens nothing', async () => {
    const email = await newPerson(required);
    const browser = browse();
    assert.equal((await browser.submit('/sign-in', { email, password })).location, '/passkey');
    assert.equal((await browser.get('/app')).location, '/passkey');
    const key = await enrolAtSignIn(browser);
    assert.equal(await isSignedIn(browser), true);
    const second = browse();
    const asked = await second.submit('/sign-in', { email, password });
    assert.match(asked.text, /action="\/sign-in\/second"/);
    assert.doesNotMatch(asked.text, /name="code"/);
    assert.equal(await isSignedIn(second), false);
    const passed = await second.submit('/sign-in/second/passkey', { credential: key.use(requestIn(asked)) });
    assert.equal(passed.status, 303);
    assert.equal(await isSignedIn(second), true);
    assert.equal((await use(key)).reply.status, 303);
    await app.anonymous.refused(401, 'login.second_factor', 'login', { body: { user: { email, password } } });
  });

  test('an administrator removes the passkeys of a person who has lost them', async () => {
    const email = await newPerson();
    const { key } = await enrol(email);
    const id = email.replace(/[^a-z0-9]+/g, '-');
    await app.admin.expect(200, 'removeSecondFactor', { params: { id } });
    assert.equal((await use(key)).reply.status, 422);
    const browser = browse();
    assert.equal((await browser.submit('/sign-in', { email, password })).location, '/');
  });

  testOnce('after a password only a passkey of that account is accepted', async () => {
    const email = await newPerson(required);
    const first = browse();
    await first.submit('/sign-in', { email, password });
    await enrolAtSignIn(first);
    const foreign = await enrol(await newPerson());
    const browser = browse();
    const asked = await browser.submit('/sign-in', { email, password });
    const credential = foreign.key.use(requestIn(asked));
    assert.equal((await browser.submit('/sign-in/second/passkey', { credential })).status, 422);
    assert.equal(await isSignedIn(browser), false);
  });

  async function enrolAtSignIn(browser: DistantBrowser): Promise<Authenticator> {
    const page = await browser.get('/passkey');
    const key = newKey();
    const credential = key.create(requestIn(page) as never);
    const form = { csrf: Browser.hidden(page, 'csrf'), credential };
    assert.equal((await browser.submit('/passkey', form)).location, '/sign-in');
    return key;
  }
});
