import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { csrfToken } from '#server/actions/sessions/sessions.ts';
import { insertPasskey } from '#server/db/passkeys/passkeys.ts';
import { updateUser } from '#server/db/users/users.ts';
import { activateAccount, onEachDatabase } from '#test/kit/app.ts';
import type { Browser } from '#test/kit/browser.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';
const changed = 'eleven boats behind the old mill';
const dayMs = 24 * 3_600_000;

onEachDatabase('recovery codes and remembered browsers', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  let people = 0;

  interface Prepared {
    email: string;
    person: SignedIn;
    codes: string[];
    code(): string;
  }

  const newPerson = async (): Promise<Prepared> => {
    const email = `careful${++people}@example.com`;
    await app.admin.expect(200, 'createUser', { body: { user: { email, password } } });
    await activateAccount(app.app.ctx, email);
    const person = await signIn(app, email, password);
    const { body } = await person.expect(200, 'startTotp', { body: { password } });
    const secret = Secret.fromBase32((body as { totp: { secret: string } }).totp.secret);
    const code = () => {
      app.clock.advance(60_000);
      return new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    };
    const { body: on } = await person.expect(200, 'confirmTotp', { body: { code: code() } });
    return { email, person, codes: (on as { recovery_codes: string[] }).recovery_codes, code };
  };
  const enter = async (email: string, browser = new DistantBrowser(app.url), secret = password) => {
    const { location } = await browser.post('/sign-in', { email, password: secret });
    return { browser, location };
  };
  const answer = async (email: string, fields: Record<string, string>) => {
    const { browser } = await enter(email);
    const { status, location } = await browser.post('/sign-in/second', fields);
    return { browser, isIn: status === 303 && location === '/' };
  };
  const eventsOf = async (action: 'totp.recovery_code_used' | 'totp.recovery_codes_created') => {
    const rows = app.app.ctx.db.read.selectFrom('events').select('seq').where('action', '=', action);
    return (await rows.execute()).length;
  };
  const leftOf = async (person: SignedIn) =>
    ((await person.expect(200, 'getTotp', {})).body as { totp: { recovery_codes: number } }).totp.recovery_codes;

  test('ten codes are shown once, stored as hashes, and each opens one session', async () => {
    const { email, person, codes } = await newPerson();
    assert.equal(new Set(codes).size, 10);
    const rows = await app.app.ctx.db.read.selectFrom('recovery_codes').selectAll().execute();
    assert.ok(rows.every(({ code_hash }) => codes.every((code) => !code_hash.toString('latin1').includes(code))));
    assert.equal((await answer(email, { code: 'aaaaa-aaaaa' })).isIn, false);
    const used = await eventsOf('totp.recovery_code_used');
    assert.equal((await answer(email, { code: codes[0]!.toUpperCase().replace('-', ' ') })).isIn, true);
    assert.equal((await answer(email, { code: codes[0]! })).isIn, false);
    assert.equal((await eventsOf('totp.recovery_code_used')) - used, 1);
    assert.equal(await leftOf(person), 9);
    const other = await newPerson();
    assert.equal((await answer(other.email, { code: codes[1]! })).isIn, false, 'codes of another account');
  });

  test('new codes need the password and end the earlier ones; without the app there are none', async () => {
    const { email, person, codes } = await newPerson();
    await person.refused(422, 'password.wrong', 'renewRecoveryCodes', { body: { password: 'wrong' } });
    const created = await eventsOf('totp.recovery_codes_created');
    const { body } = await person.expect(200, 'renewRecoveryCodes', { body: { password } });
    assert.equal((await eventsOf('totp.recovery_codes_created')) - created, 1);
    const [fresh] = (body as { recovery_codes: string[] }).recovery_codes;
    assert.equal((await answer(email, { code: codes[0]! })).isIn, false);
    assert.equal((await answer(email, { code: fresh! })).isIn, true);
    await person.expect(200, 'disableTotp', { body: { password } });
    assert.equal(await leftOf(person), 0);
    await person.refused(422, 'totp.not_set_up', 'renewRecoveryCodes', { body: { password } });
  });

  test('a remembered browser needs the password alone for 30 days, for one account', async () => {
    const { email, code } = await newPerson();
    const { browser, isIn } = await answer(email, { code: code(), remember: '1' });
    assert.equal(isIn, true);
    assert.equal((await enter(email, browser, 'wrong password')).location?.startsWith('/sign-in'), true);
    assert.equal((await enter(email, browser)).location, '/');
    assert.equal((await enter(email)).location, '/sign-in/second', 'another browser');
    const second = await newPerson();
    assert.equal((await enter(second.email, browser)).location, '/sign-in/second', 'another account');
    app.clock.advance(31 * dayMs);
    assert.equal((await enter(email, browser)).location, '/sign-in/second');
  });

  test('remembered browsers are listed, forgotten one by one, and end with the password', async () => {
    const { email, code } = await newPerson();
    const remember = async () => (await answer(email, { code: code(), remember: '1' })).browser;
    const sessionIn = ({ cookies }: Browser) => {
      const token = cookies.get('local-sid')!;
      return new SignedIn(app.url, email, token, csrfToken(app.app.ctx, token));
    };
    const listIn = async (session: SignedIn) =>
      ((await session.expect(200, 'listRememberedBrowsers', {})).body as { browsers: { id: string }[] }).browsers;
    const browser = await remember();
    const session = sessionIn(browser);
    const [first] = await listIn(session);
    await session.expect(200, 'forgetBrowser', { params: { id: first!.id } });
    await session.refused(404, 'browser.not_found', 'forgetBrowser', { params: { id: first!.id } });
    assert.deepEqual(await listIn(session), []);
    assert.equal((await enter(email, browser)).location, '/sign-in/second');
    const again = await remember();
    await sessionIn(again).expect(200, 'changePassword', { body: { current: password, new: changed } });
    assert.equal((await enter(email, again, changed)).location, '/sign-in/second');
  });

  test('a group that requires passkeys accepts neither', async () => {
    const group = await app.group('Passkeys', { require_passkey: true });
    const { email, code, codes } = await newPerson();
    const { browser } = await answer(email, { code: code(), remember: '1' });
    const { ctx } = app.app;
    const { id } = await ctx.db.read
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    const passkey = { id: `p${id}`, credentialId: `c${id}`, holder: { userId: id }, name: 'Key', signCount: 0 };
    const rest = { publicKey: Buffer.alloc(1), transports: [], isBackedUp: false, createdAt: ctx.clock.now() };
    await ctx.db.write(async (tx) => {
      await insertPasskey(tx, { ...passkey, ...rest });
      await updateUser(tx, id, { groupId: group }, ctx.clock.now());
    });
    assert.equal((await enter(email, browser)).location, '/sign-in/second');
    assert.equal((await answer(email, { code: codes[0]! })).isIn, false);
  });
});
