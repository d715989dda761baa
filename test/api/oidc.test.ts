import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { forgetOidcMetadata } from '#server/lib/oidc.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { type OpenIdProvider, openIdClient, startOpenIdProvider } from '#test/kit/openid-provider.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const provider: OpenIdProvider = await startOpenIdProvider();
after(() => provider.close());

onEachDatabase('OpenID Connect', (start) => {
  const app = useApp(start, {
    environment: {
      WAYBILL_ROLE: 'web',
      WAYBILL_OIDC_ISSUER: provider.issuer,
      WAYBILL_OIDC_CLIENT_ID: openIdClient.client_id,
      WAYBILL_OIDC_CLIENT_SECRET: openIdClient.client_secret,
      WAYBILL_OIDC_NAME: 'Northlight ID',
      WAYBILL_OIDC_PROVISION: 'all',
    },
  });
  let people = 0;
  let address = '';

  before(forgetOidcMetadata);
  beforeEach(() => {
    address = `person${++people}@example.com`;
    const claims = { sub: `sub${people}`, email: address, email_verified: true, name: 'Pia', groups: [] };
    Object.assign(provider, { claims, faults: {}, isForged: false, authMethods: null, authUsed: [] });
    app.clock.advance(3_600_000);
  });

  const begin = async (browser: Browser, to = '') => {
    const start = await browser.get(`/sign-in/oidc/oidc${to}`);
    assert.equal(start.status, 303, start.text.slice(0, 500));
    return start.location!;
  };
  const back = async (location: string) => {
    const answer = await fetch(location, { redirect: 'manual' });
    const url = new URL(answer.headers.get('location')!);
    return `${url.pathname}${url.search}`;
  };
  const signIn = async (browser = new Browser(app.url), to = ''): Promise<PageReply> =>
    browser.get(await back(await begin(browser, to)));
  const refused = async (): Promise<string> => {
    const browser = new Browser(app.url);
    const reply = await signIn(browser);
    assert.equal(reply.location, '/sign-in');
    assert.equal((await browser.get('/app')).status, 303);
    const [attempt] = await listSignInAttempts(app.app.ctx.db.read, 'oidc');
    return attempt!.reason;
  };

  test('is offered on the sign-in page, without a script', async () => {
    const page = await new Browser(app.url).get('/sign-in?to=%2Fapp%2Freceived');
    assert.match(page.words, /Sign in with Northlight ID/);
    assert.match(page.text, /href="\/sign-in\/oidc\/oidc\?to=%2Fapp%2Freceived"/);
  });

  test('signs a person in with PKCE, state and nonce, and leads to the requested page', async () => {
    const browser = new Browser(app.url);
    const reply = await signIn(browser, '?to=%2Fapp%2Freceived');
    assert.deepEqual([reply.status, reply.location], [303, '/app/received']);
    assert.equal((await browser.get('/app/received')).status, 200);
    assert.equal(provider.asked.get('code_challenge_method'), 'S256');
    assert.ok(provider.asked.get('nonce') && provider.asked.get('state'));
    assert.deepEqual((await findUserByEmail(app.app.ctx.db.read, address))!.provenAddresses, [address]);
  });

  test('counts an absent email_verified as false', async () => {
    provider.claims = { ...provider.claims, email_verified: undefined };
    await signIn();
    assert.deepEqual((await findUserByEmail(app.app.ctx.db.read, address))!.provenAddresses, []);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const wrong: Record<string, () => Record<string, unknown>> = {
    'another nonce': () => ({ nonce: 'another' }),
    'another issuer': () => ({ iss: 'https://evil.example' }),
    'another audience': () => ({ aud: 'another' }),
    'an expiry ten minutes ago': () => ({ iat: now() - 1200, exp: now() - 600 }),
    'no subject': () => ({ sub: undefined }),
  };
  for (const [name, faults] of Object.entries(wrong))
    test(`refuses an ID token with ${name}`, async () => {
      provider.faults = faults();
      assert.equal(await refused(), 'sign_in.bad_answer');
      assert.equal(await findUserByEmail(app.app.ctx.db.read, address), undefined);
    });

  test('refuses an ID token with a forged signature', async () => {
    provider.isForged = true;
    assert.equal(await refused(), 'sign_in.bad_answer');
  });

  test('accepts clocks that differ by four minutes', async () => {
    provider.faults = { iat: now() - 600, exp: now() - 240 };
    assert.equal((await signIn()).location, '/app');
  });

  test('accepts a new key of the provider at the next sign-in', async () => {
    await signIn();
    provider.rotate();
    assert.equal((await signIn()).location, '/app');
  });

  test('refuses an answer with another state, for another browser, and a second time', async () => {
    const browser = new Browser(app.url);
    const answer = await back(await begin(browser));
    assert.equal((await new Browser(app.url).get(answer)).location, '/sign-in');
    assert.equal((await browser.get(answer.replace(/state=[^&]*/, 'state=another'))).location, '/sign-in');
    const other = new Browser(app.url);
    const once = await back(await begin(other));
    assert.equal((await other.get(once)).location, '/app');
    assert.equal((await other.get(once)).location, '/sign-in');
  });

  test('shows what the provider refused, and offers to try again', async () => {
    const browser = new Browser(app.url);
    const state = new URL(await begin(browser)).searchParams.get('state');
    const reply = await browser.get(`/sign-in/oidc/oidc/callback?error=access_denied&state=${state}`);
    const page = await browser.get(reply.location!);
    assert.match(page.words, /Northlight ID didn’t sign you in/);
    assert.match(page.words, /Sign in with Northlight ID/);
  });

  test('sends the client secret in the way the provider announces', async () => {
    for (const [methods, used] of [
      [null, 'basic'],
      [['client_secret_post'], 'post'],
      [['client_secret_basic', 'client_secret_post'], 'basic'],
    ] as const) {
      forgetOidcMetadata();
      provider.authMethods = methods === null ? null : [...methods];
      await signIn();
      assert.equal(provider.authUsed.at(-1), used);
    }
  });

  test('does not sign in again by itself after a sign-out', async () => {
    const browser = new Browser(app.url);
    await signIn(browser);
    const page = await browser.get('/sign-out');
    const out = await browser.submit('/sign-out', { csrf: Browser.hidden(page, 'csrf') });
    assert.equal(out.location, '/sign-out');
    assert.equal((await browser.get('/sign-out')).status, 200);
    assert.equal((await browser.get('/sign-in')).status, 200);
  });

  test('links an existing account once its owner enters the old password', async () => {
    const password = 'seven lamps under a quiet river';
    const person = await newPerson(app, `linked${people}`, { password });
    provider.claims = { ...provider.claims, email: person.email };
    const browser = new Browser(app.url);
    assert.equal((await signIn(browser)).location, '/sign-in/link');
    const wrongly = await browser.submit('/sign-in/link', { way: 'password', password: 'wrong' });
    assert.match(wrongly.words, /don’t match/);
    const linked = await browser.submit('/sign-in/link', { way: 'password', password });
    assert.equal(linked.location, '/sign-in/oidc/oidc');
    assert.equal((await signIn(browser)).location, '/app');
    assert.equal((await signIn()).location, '/app');
  });

  test('links with a mailed code, which ends the old password and keys', async () => {
    const password = 'seven lamps under a quiet river';
    const person = await newPerson(app, `coded${people}`, { password });
    provider.claims = { ...provider.claims, email: person.email };
    const browser = new Browser(app.url);
    await signIn(browser);
    assert.match((await browser.submit('/sign-in/link', { way: 'mail' })).words, /Code from the e-mail/);
    const rows = await app.app.ctx.db.read.selectFrom('codes').select('target').execute();
    assert.ok(rows.some(({ target }) => target.startsWith('identity:')));
    assert.match((await browser.submit('/sign-in/link', { way: 'code', code: '000 000' })).words, /isn’t right/);
  });

  test('says in words that there are too many groups', async () => {
    provider.claims = { ...provider.claims, groups: undefined, _claim_names: { groups: 'src1' } };
    assert.equal((await signIn()).location, '/app');
  });
});
