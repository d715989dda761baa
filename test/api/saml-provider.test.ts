// Sign-in through SAML with SimpleSAMLphp: the whole way, encrypted assertions, and new certificates.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { createOwnKey } from '#server/lib/saml/own-certificate.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { type SimpleSaml, simpleSamlRequirement, startSimpleSaml } from '#test/kit/servers/simplesamlphp.ts';
import { useApp } from '#test/kit/use-app.ts';

const users = [
  { name: 'ann', mail: 'ann@example.com', groups: ['Staff', 'Legal'] },
  { name: 'ben', mail: 'ben@example.com', groups: [] },
];

if (!simpleSamlRequirement.isMet()) test.skip('SAML with SimpleSAMLphp needs it');
else
  onOneEngine('SAML with SimpleSAMLphp', (start) => {
    let idp: SimpleSaml;
    const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_SAML_METADATA_URL: '' };
    before(async () => {
      idp = await startSimpleSaml(users);
      environment.WAYBILL_SAML_METADATA_URL = idp.metadataUrl;
    });
    after(() => idp?.stop());
    const app = useApp(start, { environment });

    const register = async (isEncrypted: boolean) => {
      const { baseUrl } = app.app.ctx.settings.surroundings;
      const own = (await new Browser(app.url).get('/saml/metadata.xml')).text;
      const certificate = /<ds:X509Certificate>([^<]*)/.exec(own)![1]!;
      idp.register({
        entityId: `${baseUrl}/saml/metadata.xml`,
        callbackUrl: `${baseUrl}/saml/consume`,
        certificate: isEncrypted ? certificate : null,
      });
    };
    const signIn = async (user: string) => {
      const browser = new Browser(app.url);
      const begun = await browser.get('/saml/init');
      assert.match(begun.location!, /SSOService/);
      const SAMLResponse = await idp.signIn(begun.location!, user);
      const headers = { origin: new URL(idp.metadataUrl).origin, 'sec-fetch-site': 'cross-site' };
      const reply = await browser.post('/saml/consume', { SAMLResponse }, headers);
      return { browser, location: reply.location, xml: Buffer.from(SAMLResponse, 'base64').toString() };
    };
    const account = (name: string) => findUserByEmail(app.app.ctx.db.read, `${name}@example.com`);

    test('refuses a person in no matching group, who then has no account', async () => {
      await register(false);
      assert.equal((await signIn('ben')).location, '/sign-in');
      assert.equal(await account('ben'), undefined);
      const [attempt] = await listSignInAttempts(app.app.ctx.db.read, 'saml');
      assert.equal(attempt!.reason, 'sign_in.no_group', 'an empty list means no groups');
    });

    test('creates the account in its group at the first sign-in', async () => {
      await app.group('Colleagues', { match_groups: ['staff'] });
      const { browser, location } = await signIn('ann');
      assert.equal(location, '/app');
      assert.equal((await browser.get('/app')).status, 200);
      assert.equal((await account('ann'))!.groupId, 'colleagues');
    });

    test('finds the person again through an encrypted assertion', async () => {
      const { id } = (await account('ann'))!;
      await register(true);
      const { location, xml } = await signIn('ann');
      assert.match(xml, /EncryptedAssertion/);
      assert.doesNotMatch(xml, /ann@example.com/);
      assert.equal(location, '/app');
      assert.equal((await account('ann'))!.id, id);
    });

    test('accepts the next certificate, announced or not, within a minute', async () => {
      const [second, third] = [await createOwnKey('second'), await createOwnKey('third')];
      idp.setKeys([second]);
      app.clock.advance(61_000);
      assert.equal((await signIn('ann')).location, '/app');
      idp.setKeys([second, third]);
      app.clock.advance(3_600_001);
      assert.equal((await signIn('ann')).location, '/app');
      idp.setKeys([third]);
      assert.equal((await signIn('ann')).location, '/app');
    });

    test('keeps working with the metadata it knows while the address does not answer', async () => {
      const browser = new Browser(app.url);
      const { location } = await browser.get('/saml/init');
      const SAMLResponse = await idp.signIn(location!, 'ann');
      await idp.stop();
      app.clock.advance(600_000);
      assert.equal((await browser.post('/saml/consume', { SAMLResponse })).location, '/app');
      app.clock.advance(7_200_000);
      assert.match((await new Browser(app.url).get('/saml/init')).location!, /SSOService/);
    });
  });
