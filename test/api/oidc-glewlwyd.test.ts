// Sign-in through OpenID Connect with Glewlwyd: the whole way, with groups, both client authentications and refusals.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { forgetOidcMetadata } from '#server/lib/oidc.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { type Glewlwyd, glewlwydRequirement, startGlewlwyd } from '#test/kit/servers/glewlwyd.ts';
import { useApp } from '#test/kit/use-app.ts';

const people = [
  { name: 'ann', groups: ['Staff', 'Legal'] },
  { name: 'ben', groups: ['Legal'] },
];

if (!glewlwydRequirement.isMet()) test.skip('OpenID Connect with Glewlwyd needs it');
else
  onOneEngine('OpenID Connect with Glewlwyd', (start) => {
    let provider: Glewlwyd;
    const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
    before(async () => {
      forgetOidcMetadata();
      const { baseUrl } = app.app.ctx.settings.surroundings;
      const client = {
        id: 'waybill',
        secret: 'secretOfWaybill7',
        callbackUrl: `${baseUrl}/sign-in/oidc/oidc/callback`,
      };
      provider = await startGlewlwyd(client, people);
      const fields = { issuer: provider.issuer, client_id: client.id, client_secret: client.secret, scopes: 'openid' };
      await app.admin.expect(200, 'createSignInService', {
        body: { sign_in_service: { id: 'oidc', kind: 'oidc', name: 'Glewlwyd', ...fields } },
      });
      await app.group('Colleagues', { match_groups: ['staff'] });
    });
    after(() => provider?.stop());

    const change = (fields: Record<string, string>) =>
      app.admin.expect(200, 'changeSignInService', { params: { id: 'oidc' }, body: { sign_in_service: fields } });
    const account = (name: string) => findUserByEmail(app.app.ctx.db.read, `${name}@example.com`);
    const signIn = async (user: string) => {
      app.clock.advance(1000);
      const browser = new Browser(app.url);
      const { location } = await browser.get('/sign-in/oidc/oidc');
      const back = new URL(await provider.signIn(location!, user));
      const reply = await browser.get(`${back.pathname}${back.search}`);
      const [attempt] = await listSignInAttempts(app.app.ctx.db.read, 'oidc');
      return { location: reply.location, reason: attempt!.reason, words: attempt!.claims.error ?? '', browser };
    };

    test('refuses a person in no matching group, who then has no account', async () => {
      const { location, reason } = await signIn('ben');
      assert.deepEqual([location, reason], ['/sign-in', 'sign_in.no_group']);
      assert.equal(await account('ben'), undefined);
    });

    test('refuses a sign-in whose client secret is wrong', async () => {
      await change({ client_secret: 'wrong' });
      const { reason, words } = await signIn('ann');
      assert.equal(reason, 'sign_in.bad_answer');
      assert.match(words, /unauthorized_client/, 'administrators see the words of the provider');
      assert.equal(await account('ann'), undefined);
      await change({ client_secret: 'secretOfWaybill7' });
    });

    test('creates the account in its group, with an address that is not confirmed', async () => {
      const { browser, location } = await signIn('ann');
      assert.equal(location, '/app');
      assert.equal((await browser.get('/app')).status, 200);
      const user = (await account('ann'))!;
      assert.deepEqual([user.groupName, user.provenAddresses], ['Colleagues', []]);
    });

    test('finds the person again, with the client secret sent in either way', async () => {
      const { id } = (await account('ann'))!;
      for (const client_auth of ['basic', 'post']) {
        await change({ client_auth });
        assert.equal((await signIn('ann')).location, '/app', client_auth);
      }
      assert.equal((await account('ann'))!.id, id);
    });
  });
