// Sign-in through OpenID Connect with the npm package oidc-provider, which requires PKCE.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { forgetOidcMetadata } from '#server/lib/oidc.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { type OidcProvider, startOidcProvider } from '#test/kit/oidc-provider.ts';
import { useApp } from '#test/kit/use-app.ts';

const many = Array.from({ length: 250 }, (_, index) => `Project ${index}`);
const people = {
  ann: { email: 'ann@oidc.example', email_verified: true, name: 'Ann Park', groups: [...many, 'Staff'] },
  ben: { email: 'ben@oidc.example', email_verified: true, groups: many },
  cid: { email: 'cid@oidc.example', email_verified: false, groups: ['Staff'] },
};

onEachDatabase('OpenID Connect with oidc-provider', (start) => {
  let provider: OidcProvider;
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  before(async () => {
    forgetOidcMetadata();
    const { baseUrl } = app.app.ctx.settings.surroundings;
    const client = {
      id: 'waybill',
      secret: 'secret:of/Waybill 7',
      callbackUrl: `${baseUrl}/sign-in/oidc/oidc/callback`,
    };
    provider = await startOidcProvider(client, people);
    const fields = {
      issuer: provider.issuer,
      client_id: client.id,
      client_secret: client.secret,
      scopes: 'openid email profile groups',
      groups_claim: 'groups',
    };
    await app.admin.expect(200, 'createSignInService', {
      body: { sign_in_service: { id: 'oidc', kind: 'oidc', name: 'Provider', ...fields } },
    });
    await app.group('Colleagues', { match_groups: ['staff'] });
  });
  after(() => provider?.close());

  const account = (name: string) => findUserByEmail(app.app.ctx.db.read, `${name}@oidc.example`);
  const begin = async () => {
    app.clock.advance(1000);
    const browser = new Browser(app.url);
    return { browser, address: (await browser.get('/sign-in/oidc/oidc')).location! };
  };
  const finish = async (browser: Browser, back: string) => {
    const { pathname, search } = new URL(back);
    const reply = await browser.get(`${pathname}${search}`);
    const [attempt] = await listSignInAttempts(app.app.ctx.db.read, 'oidc');
    return { location: reply.location, reason: attempt?.reason };
  };
  const signIn = async (name: string) => {
    const { browser, address } = await begin();
    return finish(browser, await provider.signIn(address, name));
  };

  test('refuses a person in 250 groups of which none matches, who then has no account', async () => {
    assert.deepEqual(await signIn('ben'), { location: '/sign-in', reason: 'sign_in.no_group' });
    assert.equal(await account('ben'), undefined);
  });

  test('refuses the answer to the sign-in of another browser', async () => {
    const { address } = await begin();
    const other = await begin();
    const { location } = await finish(other.browser, await provider.signIn(address, 'ann'));
    assert.equal(location, '/sign-in');
    assert.equal(await account('ann'), undefined);
  });

  test('finds the one matching group among 250 others at the first sign-in', async () => {
    assert.equal((await signIn('ann')).location, '/app');
    const user = (await account('ann'))!;
    assert.deepEqual([user.groupName, user.provenAddresses], ['Colleagues', ['ann@oidc.example']]);
  });

  test('confirms no address for which the provider does not vouch', async () => {
    assert.equal((await signIn('cid')).location, '/app');
    assert.deepEqual((await account('cid'))!.provenAddresses, []);
  });

  test('signs people in after the provider has changed its key', async () => {
    provider.changeKey();
    // Keys are fetched again at most once a minute.
    app.clock.advance(120_000);
    assert.equal((await signIn('ann')).location, '/app');
  });
});
