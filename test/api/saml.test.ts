// Sign-in through SAML with answers that the test signs or forges.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { listSignInAttempts } from '#server/db/identity/sign-in-attempts.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { silentLog } from '#server/lib/log.ts';
import { createOwnKey } from '#server/lib/saml/own-certificate.ts';
import { onEachDatabase, startTestApp } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { databases } from '#test/kit/engines.ts';
import {
  type AssertionFields,
  assertionOf,
  createTestProvider,
  encryptedFor,
  metadataOf,
  responseOf,
  signed,
  wrappings,
} from '#test/kit/saml-answers.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { useApp } from '#test/kit/use-app.ts';

const provider = await createTestProvider();
const next = await createOwnKey('next');
const stranger = await createOwnKey('stranger');
const common = { WAYBILL_ROLE: 'web', WAYBILL_SAML_PROVISION: 'all' };
const metadata = metadataOf(provider.entityId, [provider.certificate, next.certificate]);

const crossSite = { origin: 'https://id.example', 'sec-fetch-site': 'cross-site' };

function requestIdOf(location: string): string {
  const asked = Buffer.from(new URL(location).searchParams.get('SAMLRequest')!, 'base64');
  const request = inflateRawSync(asked).toString();
  assert.match(request, /nameid-format:persistent/);
  return /\bID="([^"]*)"/.exec(request)![1]!;
}

onEachDatabase('SAML', (start) => {
  const app = useApp(start, {
    environment: { ...common, WAYBILL_SAML_METADATA: metadata, WAYBILL_SAML_NAME: 'Northlight ID' },
  });
  let people = 0;
  let address = '';
  beforeEach(() => {
    address = `person${++people}@example.com`;
    app.clock.advance(3_600_000);
  });

  const place = () => {
    const { baseUrl } = app.app.ctx.settings.surroundings;
    return { audience: `${baseUrl}/saml/metadata.xml`, recipient: `${baseUrl}/saml/consume` };
  };
  /** Returns the id of the request. */
  const begin = async (browser: Browser, to = ''): Promise<string> => {
    const reply = await browser.get(`/saml/init${to}`);
    assert.equal(reply.status, 303, reply.text.slice(0, 300));
    return requestIdOf(reply.location!);
  };
  const send = (browser: Browser, xml: string): Promise<PageReply> =>
    browser.post('/saml/consume', { SAMLResponse: Buffer.from(xml).toString('base64') }, crossSite);
  const fieldsFor = (requestId: string, fields: Partial<AssertionFields> = {}): Partial<AssertionFields> => ({
    ...place(),
    requestId,
    subject: `subject-${people}`,
    email: address,
    ...fields,
  });
  const answer = (requestId: string, fields: Partial<AssertionFields> = {}, key = provider) =>
    responseOf(signed(assertionOf(fieldsFor(requestId, fields)), key), { requestId, destination: place().recipient });
  /** A new browser that begins, and sends what `make` returns. Returns the operator's words. */
  const refused = async (make: (requestId: string) => string): Promise<string> => {
    const browser = new Browser(app.url);
    const reply = await send(browser, make(await begin(browser)));
    assert.equal(reply.location, '/sign-in');
    assert.equal((await browser.get('/app')).status, 303, 'is not signed in');
    assert.equal(await findUserByEmail(app.app.ctx.db.read, address), undefined);
    const [attempt] = await listSignInAttempts(app.app.ctx.db.read, 'saml');
    assert.equal(attempt!.outcome, 'refused');
    return attempt!.reason;
  };

  test('is offered on the sign-in page, and describes itself to the identity provider', async () => {
    const browser = new Browser(app.url);
    const page = await browser.get('/sign-in?to=%2Fapp%2Freceived');
    assert.match(page.text, /href="\/saml\/init\?to=%2Fapp%2Freceived"/);
    const own = await browser.get('/saml/metadata.xml');
    assert.equal(own.headers.get('content-type'), 'application/samlmetadata+xml');
    assert.ok(own.text.includes(`entityID="${place().audience}"`));
    assert.ok(own.text.includes(`Location="${place().recipient}"`));
    assert.equal((await browser.get('/saml/metadata.xml')).text, own.text, 'the key stays');
    assert.equal((await browser.get('/saml/other/metadata.xml')).status, 404);
  });

  for (const form of [
    'the original answer inside the signature of another answer',
    'the original answer beside the signature of another answer',
    'another assertion before the original one',
    'the original assertion inside another one',
    'another assertion with the original signature, before the original one',
    'another assertion whose signature contains the original one',
    'another assertion with the same ID in an extension',
    'the original assertion in an object of the signature that another one holds',
  ])
    test(`refuses ${form}`, async () => {
      const reason = await refused((requestId) => {
        const wrap = (content: string) => responseOf(content, { requestId });
        const own = assertionOf(fieldsFor(requestId, { subject: 'attacker', email: 'attacker@example.com' }));
        const forms = wrappings({
          signedResponse: signed(wrap(own), provider),
          signedAssertion: signed(own, provider),
          wrap,
          evil: assertionOf(fieldsFor(requestId)),
        });
        return forms[form]!;
      });
      assert.equal(reason, 'sign_in.bad_answer');
      assert.equal(await findUserByEmail(app.app.ctx.db.read, 'attacker@example.com'), undefined);
    });

  const forged: Record<string, (requestId: string) => string> = {
    'without a signature': (requestId) => responseOf(assertionOf(fieldsFor(requestId)), { requestId }),
    'signed by a stranger': (requestId) => answer(requestId, {}, { ...provider, ...stranger }),
    'that was changed after it was signed': (requestId) => answer(requestId).replace(`subject-${people}`, 'root'),
    'signed with SHA-1': (requestId) =>
      responseOf(signed(assertionOf(fieldsFor(requestId)), provider, 'sha1'), { requestId }),
    'of another issuer': (requestId) => answer(requestId, { issuer: 'https://evil.example' }),
    'for another audience': (requestId) => answer(requestId, { audience: 'https://other.example' }),
    'for another recipient': (requestId) => answer(requestId, { recipient: 'https://other.example/saml/consume' }),
    'that ended ten minutes ago': (requestId) => answer(requestId, { notOnOrAfter: Date.now() - 600_000 }),
    'that begins in ten minutes': (requestId) => answer(requestId, { notBefore: Date.now() + 600_000 }),
    'with a document type': (requestId) => `<!DOCTYPE x [<!ENTITY y "z">]>${answer(requestId)}`,
    'for another address (Destination)': (requestId) =>
      answer(requestId).replace(`Destination="${place().recipient}"`, 'Destination="https://other.example"'),
    'that is no XML': () => '<samlp:Response',
    'without an assertion': (requestId) => responseOf('', { requestId }),
  };
  for (const [name, make] of Object.entries(forged))
    test(`refuses an answer ${name}`, async () => {
      assert.equal(await refused(make), 'sign_in.bad_answer');
    });

  const ownCertificate = async () =>
    /<ds:X509Certificate>([^<]*)</.exec((await new Browser(app.url).get('/saml/metadata.xml')).text)![1]!;
  type Sign = (xml: string) => string;
  const encrypted: Record<string, Sign> = {
    'that nobody signed': (xml) => xml,
    'that a stranger signed': (xml) => signed(xml, stranger),
    'signed with SHA-1': (xml) => signed(xml, provider, 'sha1'),
    'whose signature covers another assertion': (xml) => {
      const other = signed(assertionOf({ ...place(), subject: 'attacker', requestId: '' }), provider);
      return xml.replace('</saml:Issuer>', `$&${/<Signature[\s\S]*<\/Signature>/.exec(other)![0]}`);
    },
  };
  for (const [name, sign] of Object.entries(encrypted))
    test(`refuses an encrypted assertion ${name}`, async () => {
      const certificate = await ownCertificate();
      const reason = await refused((requestId) =>
        responseOf(encryptedFor(certificate, sign(assertionOf(fieldsFor(requestId)))), { requestId }),
      );
      assert.equal(reason, 'sign_in.bad_answer');
    });

  test('accepts an encrypted assertion that is signed, or in a signed answer', async () => {
    const certificate = await ownCertificate();
    const accepted: ((requestId: string) => string)[] = [
      (id) => responseOf(encryptedFor(certificate, signed(assertionOf(fieldsFor(id)), provider)), { requestId: id }),
      (id) => signed(responseOf(encryptedFor(certificate, assertionOf(fieldsFor(id))), { requestId: id }), provider),
    ];
    for (const make of accepted) {
      const browser = new Browser(app.url);
      assert.equal((await send(browser, make(await begin(browser)))).location, '/app');
    }
  });

  test('refuses an answer to another request, to none, and in another browser', async () => {
    assert.equal(await refused(() => answer('_other')), 'sign_in.expired');
    assert.equal(await refused(() => answer('')), 'sign_in.expired');
    const stranger = new Browser(app.url);
    assert.equal((await send(stranger, answer(await begin(new Browser(app.url))))).location, '/sign-in');
    assert.equal((await stranger.get('/app')).status, 303);
    assert.equal((await send(new Browser(app.url), answer(''))).location, '/sign-in');
  });

  test('refuses a transient name, which is another one each time', async () => {
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    assert.equal(await refused((requestId) => answer(requestId, { format })), 'sign_in.no_subject');
  });

  test('signs a person in once, and leads to the requested page', async () => {
    const browser = new Browser(app.url);
    const requestId = await begin(browser, '?to=%2Fapp%2Freceived');
    const xml = answer(requestId);
    const cookies = new Map(browser.cookies);
    assert.equal((await send(browser, xml)).location, '/app/received');
    assert.equal((await browser.get('/app/received')).status, 200);
    const { provenAddresses } = (await findUserByEmail(app.app.ctx.db.read, address))!;
    assert.deepEqual(provenAddresses, [address]);
    const thief = new Browser(app.url);
    for (const [name, value] of cookies) thief.cookies.set(name, value);
    assert.match((await send(thief, xml)).location!, /^\/sign-in\?/, 'a second time');
    assert.equal((await thief.get('/app')).status, 303);
  });

  test('accepts a signature of the whole answer, clocks that differ by four minutes, and the next certificate', async () => {
    const minutes = (count: number) => Date.now() + count * 60_000;
    const accepted: ((requestId: string) => string)[] = [
      (requestId) => signed(responseOf(assertionOf(fieldsFor(requestId)), { requestId }), provider),
      (requestId) => answer(requestId, { notBefore: minutes(4) }),
      (requestId) => answer(requestId, { notOnOrAfter: minutes(-4) }),
      (requestId) => answer(requestId, {}, { ...provider, ...next }),
    ];
    for (const make of accepted) {
      const browser = new Browser(app.url);
      assert.equal((await send(browser, make(await begin(browser)))).location, '/app');
    }
  });

  test('reads a name as a whole where a comment divides it', async () => {
    const browser = new Browser(app.url);
    const xml = answer(await begin(browser), { subject: 'victim.evil', email: address });
    assert.equal((await send(browser, xml.replace('victim.evil', 'victim<!-- -->.evil'))).location, '/app');
    const rows = await app.app.ctx.db.read.selectFrom('identities').select('subject').execute();
    assert.ok(rows.some(({ subject }) => subject === 'victim.evil'));
    assert.ok(!rows.some(({ subject }) => subject === 'victim'));
  });
});

for (const engine of databases)
  test(`an assertion signs in once, whichever process gets it, also at the same moment (${engine.name})`, async (context) => {
    const environment = { ...common, WAYBILL_SAML_METADATA: metadata };
    let place: Record<string, string> = {};
    const create: typeof engine.create = async (state) => {
      const created = await engine.create(state);
      place = created.environment;
      return created;
    };
    const app = await startTestApp({ ...engine, create }, { environment });
    context.after(() => app.close());
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const config = readConfig({
      ...place,
      ...environment,
      WAYBILL_LISTEN: `127.0.0.1:${port}`,
      WAYBILL_BASE_URL: app.url,
      WAYBILL_WORKERS: '1',
      WAYBILL_MIN_FREE_SPACE: '0',
    });
    const other = await startApp(config, silentLog, { clock: app.clock });
    context.after(() => other.close());
    const fields = { audience: `${app.url}/saml/metadata.xml`, recipient: `${app.url}/saml/consume` };
    for (const isAtOnce of [false, true]) {
      const browsers = [new Browser(app.url), new Browser(url)] as const;
      const requestId = requestIdOf((await browsers[0].get('/saml/init')).location!);
      for (const [name, value] of browsers[0].cookies) browsers[1].cookies.set(name, value);
      const xml = responseOf(signed(assertionOf({ ...fields, requestId }), provider), { requestId });
      const SAMLResponse = Buffer.from(xml).toString('base64');
      const send = (browser: Browser) => browser.post('/saml/consume', { SAMLResponse }, crossSite);
      const replies = isAtOnce
        ? await Promise.all(browsers.map(send))
        : [await send(browsers[1]), await send(browsers[0])];
      assert.deepEqual(replies.map(({ location }) => location).toSorted(), ['/app', '/sign-in']);
    }
  });

onEachDatabase('SAML whose sign-in may begin at the identity provider', (start) => {
  const app = useApp(start, {
    environment: { ...common, WAYBILL_SAML_METADATA: metadata, WAYBILL_SAML_IDP_INITIATED: 'on' },
  });

  test('accepts an answer without a request, once, and still refuses one to a request of another browser', async () => {
    const { baseUrl } = app.app.ctx.settings.surroundings;
    const fields = { audience: `${baseUrl}/saml/metadata.xml`, recipient: `${baseUrl}/saml/consume` };
    const send = (browser: Browser, xml: string) =>
      browser.post('/saml/consume', { SAMLResponse: Buffer.from(xml).toString('base64') });
    const xml = responseOf(signed(assertionOf(fields), provider));
    assert.equal((await send(new Browser(app.url), xml)).location, '/app');
    assert.equal((await send(new Browser(app.url), xml)).location, '/sign-in');
    const other = responseOf(signed(assertionOf({ ...fields, requestId: '_other' }), provider), {
      requestId: '_other',
    });
    assert.equal((await send(new Browser(app.url), other)).location, '/sign-in');
  });
});
