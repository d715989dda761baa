// Sign-in services are tested before they are saved: nothing is saved and nobody is signed in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { forgetOidcMetadata } from '#server/lib/oidc.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { openIdClient, startOpenIdProvider } from '#test/kit/openid-provider.ts';
import { assertionOf, createTestProvider, metadataOf, responseOf, signed } from '#test/kit/saml-answers.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const openId = await startOpenIdProvider();
after(() => openId.close());
const saml = await createTestProvider();
const password = 'seven lamps under a quiet river';

interface Tested {
  id: string;
  failed: string;
  url: string;
  callback: string;
  metadata: string | null;
  result: Record<string, unknown> | null;
}

onEachDatabase('A test of a sign-in service that is not saved', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let root: Awaited<ReturnType<typeof signIn>>;
  let browser: Browser;
  before(async () => {
    forgetOidcMetadata();
    const person = await newPerson(app, 'boss', { password, group: 'system-administrators' });
    root = await signIn(app, person.email, password);
    browser = browserOf(root);
    await app.group('Staff', { match_groups: ['CN=Staff'] });
  });
  beforeEach(() => {
    const claims = {
      sub: 'sub1',
      email: 'pia@example.com',
      email_verified: true,
      name: 'Pia',
      groups: ['cn=staff', 'x'],
    };
    Object.assign(openId, { claims, faults: {}, isForged: false });
  });

  const browserOf = ({ shown }: typeof root) => {
    const made = new Browser(app.url);
    const [name, value] = shown.cookie!.split('=') as [string, string];
    made.cookies.set(name, value);
    return made;
  };
  const fields = {
    kind: 'oidc',
    name: 'Harbour',
    issuer: openId.issuer,
    client_id: openIdClient.client_id,
    client_secret: openIdClient.client_secret,
  };
  const begin = async (service: object, client: Pick<typeof root, 'expect'> = root) =>
    (
      (await client.expect(200, 'startSignInTest', { body: { sign_in_service: service as never } })).body as {
        test: Tested;
      }
    ).test;
  const found = async ({ id }: Tested) =>
    ((await root.expect(200, 'getSignInTest', { params: { id } })).body as { test: Tested }).test;
  const pathOf = (url: string) => url.replace(app.app.ctx.settings.surroundings.baseUrl, '');
  const back = async (location: string) => {
    const url = new URL((await fetch(location, { redirect: 'manual' })).headers.get('location')!);
    return `${url.pathname}${url.search}`;
  };
  const inSecondWindow = async (test: Tested, visitor = browser) => {
    const toProvider = await visitor.get(pathOf(test.url));
    const end = await visitor.get(await back(toProvider.location!));
    assert.match(end.location!, new RegExp(`/app/admin/sign-in-services\\?test=${test.id}$`));
    return (await found(test)).result;
  };
  const countPeople = async () => (await app.app.ctx.db.read.selectFrom('users').select('id').execute()).length;

  test('is refused for missing fields, a name that is taken, and people who may not change the system', async () => {
    const refused = async (service: object) =>
      JSON.stringify((await root.expect(422, 'startSignInTest', { body: { sign_in_service: service as never } })).body);
    assert.match(await refused({ ...fields, issuer: '' }), /sign_in_service\.missing.*issuer/);
    assert.match(await refused({ ...fields, kind: undefined }), /kind_missing/);
    assert.match(await refused({ ...fields, name: 'SCIM' }), /id_taken/);
    const { email } = await newPerson(app, 'auditor', {
      password,
      group: await app.group('Auditors', { role: 'auditor' }),
    });
    const auditor = await signIn(app, email, password);
    await auditor.expect(403, 'startSignInTest', { body: { sign_in_service: fields as never } });
  });

  test('names the step that fails', async () => {
    const { failed } = await begin({ ...fields, issuer: 'http://127.0.0.1:1' });
    assert.match(failed, /ECONNREFUSED|fetch|connect/i);
  });

  test('shows masked claims, matched groups and the account that would be created, and creates none', async () => {
    const before = await countPeople();
    const begun = await begin(fields);
    assert.deepEqual([begun.failed, begun.result], ['', null]);
    assert.equal(pathOf(begun.callback), '/sign-in/oidc/harbour/callback');
    const result = (await inSecondWindow(begun))!;
    assert.deepEqual(
      [result.would, result.account, result.group, result.matched_groups, result.refused],
      ['create', 'pia@example.com', 'Staff', ['cn=staff'], ''],
    );
    assert.equal((result.claims as Record<string, string>).email, 'p•••@example.com');
    assert.equal(await countPeople(), before);
    await root.expect(404, 'getSignInService', { params: { id: 'harbour' } });
    assert.equal((await new Browser(app.url).get('/sign-in/oidc/harbour')).status, 404);
  });

  test('says why a person would be refused, or asked for proof', async () => {
    openId.claims = { ...openId.claims, groups: ['x'] };
    const refused = (await inSecondWindow(await begin(fields)))!;
    assert.match(String(refused.refused), /None of your groups at Harbour gives you an account/);
    assert.deepEqual([refused.would, refused.matched_groups], [null, []]);
    const { email } = await newPerson(app, 'known', { password });
    openId.claims = { ...openId.claims, email };
    const proof = (await inSecondWindow(await begin(fields)))!;
    assert.deepEqual([proof.would, proof.account], ['prove', email]);
  });

  test('tells an answer that is not valid, in its own window', async () => {
    openId.isForged = true;
    const begun = await begin(fields);
    assert.equal(await inSecondWindow(begun), null);
    assert.match((await found(begun)).failed, /signature/i);
  });

  test('belongs to the session that began it, and ends after a quarter of an hour', async () => {
    const begun = await begin(fields);
    const again = await signIn(app, root.email, password);
    await again.expect(404, 'getSignInTest', { params: { id: begun.id } });
    await app.admin.expect(404, 'getSignInTest', { params: { id: begun.id } });
    for (const visitor of [browserOf(again), new Browser(app.url)])
      assert.equal((await visitor.get(pathOf(begun.url))).status, 404);
    const { text } = await app.app.ctx.db.read
      .selectFrom('sign_in_tests')
      .select('test_sealed')
      .executeTakeFirstOrThrow()
      .then(({ test_sealed }) => ({ text: test_sealed.toString('latin1') }));
    assert.ok(!text.includes(openIdClient.client_secret));
    const toProvider = await browser.get(pathOf(begun.url));
    app.clock.advance(15 * 60_000);
    await root.expect(404, 'getSignInTest', { params: { id: begun.id } });
    assert.equal((await browser.get(await back(toProvider.location!))).status, 404);
    await app.app.jobs.runOnce('tidy');
    assert.deepEqual(await app.app.ctx.db.read.selectFrom('sign_in_tests').select('id').execute(), []);
  });

  test('of a saved service uses its secret, except at another address, and changes nothing', async () => {
    root = await signIn(app, root.email, password);
    browser = browserOf(root);
    const saved = { ...fields, id: 'saved', name: 'Saved', provision: 'none', enabled: false };
    await root.expect(200, 'createSignInService', { body: { sign_in_service: saved as never } });
    const changed = await begin({ id: 'saved', provision: 'all' });
    assert.equal((await inSecondWindow(changed))!.would, 'create');
    assert.equal((await inSecondWindow(await begin({ id: 'saved' })))!.would, null);
    const attempts = await root.expect(200, 'listSignInAttempts', { params: { id: 'saved' } });
    assert.match(JSON.stringify(attempts.body), /"outcome":"tested"/);
    const elsewhere = await begin({ id: 'saved', issuer: openId.issuer.replace('127.0.0.1', 'localhost') });
    const { body } = await root.expect(200, 'getSignInService', { params: { id: 'saved' } });
    assert.equal((body as { sign_in_service: { provision: string } }).sign_in_service.provision, 'none');
    assert.notEqual(elsewhere.failed, '');
    assert.equal((await new Browser(app.url).get('/sign-in/oidc/saved')).status, 404);
  });

  test('of a saved service is no sign-in: its answer opens no session', async () => {
    await root.expect(200, 'changeSignInService', {
      params: { id: 'saved' },
      body: { sign_in_service: { enabled: true, provision: 'all' } as never },
    });
    const visitor = browserOf(root);
    const toProvider = await visitor.get(pathOf((await begin({ id: 'saved' })).url));
    visitor.cookies.delete('local-sid');
    await visitor.get(await back(toProvider.location!));
    assert.equal((await visitor.get('/app')).status, 303);
  });

  test('works for SAML, with the metadata of Waybill before it is saved', async () => {
    const metadata = metadataOf(saml.entityId, [saml.certificate]);
    const begun = await begin({ kind: 'saml', name: 'Quay', metadata, provision: 'all' });
    const own = await browser.get(pathOf(begun.metadata!));
    assert.equal(own.status, 200);
    assert.equal((await new Browser(app.url).get(pathOf(begun.metadata!))).status, 404);
    const { inflateRawSync } = await import('node:zlib');
    const asked = new URL((await browser.get(pathOf(begun.url))).location!).searchParams.get('SAMLRequest')!;
    const requestId = /\bID="([^"]*)"/.exec(inflateRawSync(Buffer.from(asked, 'base64')).toString())![1]!;
    const audience = begun.metadata!.replace(/\?.*/, '');
    const xml = responseOf(signed(assertionOf({ requestId, audience, recipient: begun.callback }), saml), {
      requestId,
    });
    const reply = await browser.post(
      pathOf(begun.callback),
      { SAMLResponse: Buffer.from(xml).toString('base64') },
      { origin: 'https://id.example', 'sec-fetch-site': 'cross-site' },
    );
    assert.match(reply.location!, /\?test=/);
    const result = (await found(begun)).result!;
    assert.deepEqual([result.would, result.account], ['create', 'ann@example.com']);
  });

  test('reads metadata behind a private authority only with its certificate', async (context) => {
    const { keyPem, certificatePem } = makeCertificate();
    const metadata = metadataOf(saml.entityId, [saml.certificate]);
    const server = createServer({ key: keyPem, cert: certificatePem }, (_, response) => response.end(metadata));
    server.listen(0, '127.0.0.1');
    context.after(() => server.close());
    await once(server, 'listening');
    const url = `https://localhost:${(server.address() as AddressInfo).port}/metadata`;
    const service = { kind: 'saml', name: 'Private', metadata_url: url };
    assert.match((await begin(service)).failed, /the metadata can't be fetched: .*self.signed/i);
    const other = makeCertificate().certificatePem;
    assert.match((await begin({ ...service, ca: other })).failed, /can't be fetched/);
    assert.equal((await begin({ ...service, ca: certificatePem })).failed, '');
  });

  test('of a linked person shows the group that they would be in, and moves nobody', async () => {
    const { email, ...person } = await newPerson(app, 'linked', { password });
    const id = idOf({ ...person, email } as never);
    await app.admin.expect(200, 'linkIdentity', {
      params: { id },
      body: { identity: { service: 'saved', subject: 'sub1', reason: 'test' } },
    });
    openId.claims = { ...openId.claims, email: 'someone@example.com', groups: ['cn=staff'] };
    const result = (await inSecondWindow(await begin({ id: 'saved' })))!;
    assert.deepEqual([result.would, result.account], ['sign_in', email]);
  });
});
