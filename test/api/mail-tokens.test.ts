// Access tokens that processes share, refresh tokens that are replaced, limits of Microsoft Graph, and DKIM signatures.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { readConfig } from '#server/config.ts';
import { transportFromEnvironment } from '#server/config-mail.ts';
import { defaultScope, emptyMailSetup, type MailSetup } from '#server/domain/mail-settings.ts';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { openTokenStore } from '#server/installation/mail-tokens.ts';
import { openMailTransport } from '#server/mail/transports/open.ts';
import { openTokens, requestToken, type TokenStore } from '#server/mail/transports/tokens.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { dkimFault } from '#test/kit/dkim-check.ts';
import { until } from '#test/kit/eventually.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import { startTokenEndpoint, type TokenEndpoint } from '#test/kit/token-endpoint.ts';
import { useApp } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;

const mail = (number = 0): OutgoingMail => ({
  messageId: `<m${number}@files.example>`,
  from: { name: 'Mara  Lindqvist via Northlight', address: 'files@northlight.example' },
  to: 'ben@harbour.example',
  replyTo: null,
  envelopeFrom: 'files@northlight.example',
  subject: 'Zeichnungen für den Hafen, mit einem sehr langen Betreff, der über mehrere Zeilen der Kopfzeilen geht',
  text: 'Hello   Ben,\n\nthe drawings \n\n\n',
  html: '<p>Hello   Ben</p>\n\n',
  headers: { 'Auto-Submitted': 'auto-generated' },
});

onEachDatabase('Access tokens of mail', (start) => {
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_MAIL_RATE: '0' };
  let service: TokenEndpoint;
  before(async () => {
    service = await startTokenEndpoint();
    Object.assign(environment, {
      WAYBILL_MAIL_GRAPH_TENANT: 'northlight.example',
      WAYBILL_MAIL_GRAPH_CLIENT_ID: 'waybill',
      WAYBILL_MAIL_GRAPH_CLIENT_SECRET: 'in the environment',
      WAYBILL_MAIL_GRAPH_USER: 'files@northlight.example',
      WAYBILL_MAIL_GRAPH_URL: service.graphUrl,
      WAYBILL_MAIL_GRAPH_TOKEN_URL: service.tokenUrl,
    });
  });
  const app = useApp(start, { environment });
  after(() => service.close());
  afterEach(() => {
    const idle = { count: 0, running: 0, most: 0 };
    Object.assign(service, { graphFault: null, rotates: false, acceptsFormer: false, refusal: null, graphCalls: idle });
  });

  let others = 0;
  const setup = (more: Partial<MailSetup> = {}): MailSetup => ({
    ...emptyMailSetup,
    method: 'graph',
    user: 'files@northlight.example',
    tokenUrl: service.tokenUrl,
    graphUrl: service.graphUrl,
    clientId: `client-${++others}`,
    clientSecret: 'secret',
    ...more,
  });
  const store = (): TokenStore => openTokenStore(app.app.ctx);
  const rotating = (): MailSetup => {
    Object.assign(service, { rotates: true, refreshToken: 'first' });
    return setup({ clientSecret: '', refreshToken: 'first' });
  };
  const askedFrom = (before: number) => service.asked.slice(before).map((form) => form.get('refresh_token'));

  test('are asked for once by three processes, and renewed once with the refresh token that replaced the first', async () => {
    const given = rotating();
    const processes = [1, 2, 3].map(() => openTokens(given, store()));
    const before = service.asked.length;
    const getAll = () => Promise.all(processes.map((one) => one.get()));
    const first = await getAll();
    assert.equal(new Set(first).size, 1);
    const current = service.refreshToken;
    app.clock.advance(hourMs - 4 * 60_000);
    const renewed = await getAll();
    assert.ok(
      renewed.some((token) => token !== first[0]),
      'before the first one expires',
    );
    app.clock.advance(4 * 60_000);
    assert.equal(new Set(await getAll()).size, 1);
    assert.deepEqual(askedFrom(before), ['first', current]);
  });

  const fillingStore = () => {
    const real = store();
    const database = {
      isFull: true,
      store: {
        ...real,
        save: (...given: Parameters<typeof real.save>) =>
          database.isFull ? Promise.reject(new Error('the disk is full')) : real.save(...given),
      },
    };
    return database;
  };

  test('keep the refresh token that was received while the database refuses it', async () => {
    const given = rotating();
    const database = fillingStore();
    const source = openTokens(given, database.store);
    const before = service.asked.length;
    await assert.rejects(source.get(), /the disk is full/);
    database.isFull = false;
    app.clock.advance(30_000);
    const token = await source.get();
    assert.ok(service.isValid(token));
    assert.deepEqual(askedFrom(before), ['first'], 'the first one is used up');
    const current = service.refreshToken;
    app.clock.advance(hourMs);
    await openTokens(given, store()).get();
    assert.deepEqual(askedFrom(before), ['first', current]);
  });

  test('that could not be stored are dropped when another process has stored newer ones', async () => {
    const given = rotating();
    const database = fillingStore();
    const source = openTokens(given, database.store);
    await assert.rejects(source.get(), /the disk is full/);
    database.isFull = false;
    service.acceptsFormer = true;
    const other = openTokens(given, store());
    await other.get();
    service.acceptsFormer = false;
    const current = service.refreshToken;
    app.clock.advance(hourMs);
    assert.ok(service.isValid(await source.get()));
    assert.equal(service.asked.at(-1)!.get('refresh_token'), current);
  });

  testOnce('are refused with the words of the service, and a busy service is no refusal', async () => {
    service.refusal = { error: 'invalid_client', error_description: 'AADSTS7000222: The secret has expired.' };
    const source = openTokens(setup(), store());
    const before = service.asked.length;
    for (let mails = 0; mails < 3; mails++)
      await assert.rejects(source.get(), { message: /AADSTS7000222/, isRefused: true });
    assert.equal(service.asked.length, before + 1, 'waiting mails do not repeat it');
    app.clock.advance(30_000);
    service.refusal = { error: 'too_many_requests', error_description: 'Wait.', status: 429 };
    await assert.rejects(source.get(), { message: /Wait/, isRefused: false });
    service.refusal = null;
    app.clock.advance(30_000);
    assert.ok(service.isValid(await source.get()));
  });

  testOnce('are proven with an assertion that the certificate has signed', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { keyPem, certificatePem } = makeCertificate();
    const certificate = `${certificatePem}\n${keyPem}`;
    const before = service.asked.length;
    await requestToken(setup({ clientSecret: '', certificate }), { now: app.clock.now() });
    const form = service.asked[before]!;
    const [head, claims, signature] = form.get('client_assertion')!.split('.') as [string, string, string];
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const { publicKey, raw } = new X509Certificate(certificatePem);
    const isSigned = (key: Parameters<typeof verify>[2] & object) =>
      verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
    assert.equal(isSigned({ key: publicKey, dsaEncoding: 'ieee-p1363' }), true);
    assert.equal(isSigned({ key: rsa.publicKey }), false);
    const thumbprint = createHash('sha256').update(raw).digest('base64url');
    assert.deepEqual(read(head), { alg: 'ES256', typ: 'JWT', 'x5t#S256': thumbprint });
    const { exp, nbf, jti, ...named } = read(claims);
    assert.deepEqual(named, { aud: service.tokenUrl, iss: form.get('client_id'), sub: form.get('client_id') });
    assert.ok(exp - nbf <= 11 * 60 && jti.length > 20);
    assert.equal(form.get('client_secret'), null);
  });

  testOnce('belong to the cloud of the mailbox', () => {
    const clouds: [string, string, string][] = [
      ['https://graph.microsoft.com', 'login.microsoftonline.com', 'https://outlook.office365.com/.default'],
      ['https://graph.microsoft.us', 'login.microsoftonline.us', 'https://outlook.office365.us/.default'],
      ['https://dod-graph.microsoft.us', 'login.microsoftonline.us', 'https://outlook.office365.us/.default'],
      [
        'https://microsoftgraph.chinacloudapi.cn',
        'login.partner.microsoftonline.cn',
        'https://partner.outlook.cn/.default',
      ],
    ];
    for (const [graphUrl, login, smtpScope] of clouds) {
      const config = readConfig({
        WAYBILL_MAIL_GRAPH_TENANT: 'northlight.example',
        WAYBILL_MAIL_GRAPH_CLIENT_ID: 'waybill',
        WAYBILL_MAIL_GRAPH_CLIENT_SECRET: 'secret',
        WAYBILL_MAIL_GRAPH_USER: 'files@northlight.example',
        WAYBILL_MAIL_GRAPH_URL: graphUrl,
      });
      const { setup: found } = transportFromEnvironment(config)!;
      assert.equal(found.tokenUrl, `https://${login}/northlight.example/oauth2/v2.0/token`);
      assert.equal(defaultScope(found), `${graphUrl}/.default`);
      assert.equal(defaultScope({ ...found, method: 'smtp' }), smtpScope);
    }
  });

  test('of Microsoft Graph wait as long as Graph asks, with all mails, and then send them', async () => {
    service.graphFault = {
      status: 429,
      code: 'ApplicationThrottled',
      message: 'Too many requests.',
      headers: { 'retry-after': '600' },
    };
    const alice = await newPerson(app, 'alice');
    const send = (to: string) => sendMessage(alice, { recipients: [to], send_email: true });
    await send('ben@harbour.example');
    await app.app.jobs.runOnce('send-outbox');
    await send('cleo@harbour.example');
    await app.app.jobs.runOnce('send-outbox');
    const { count } = service.graphCalls;
    assert.ok(count >= 1 && count <= 4, `${count}`);
    const rows = await app.app.ctx.db.read.selectFrom('outbox').select(['state', 'next_at', 'server_text']).execute();
    const earliest = Math.min(...rows.filter(({ state }) => state === 'pending').map((row) => Number(row.next_at)));
    assert.equal(earliest, app.clock.now() + 600_000);
    assert.ok(rows.some(({ server_text: text }) => text === 'ApplicationThrottled: Too many requests.'));
    app.clock.advance(599_000);
    await app.app.jobs.runOnce('send-outbox');
    assert.equal(service.graphCalls.count, count);
    service.graphFault = null;
    app.clock.advance(1000);
    await app.app.jobs.runOnce('send-outbox');
    const to = service.mails.map(({ mime }) => /^To: (.*)\r$/m.exec(mime)![1]);
    assert.ok(to.includes('ben@harbour.example') && to.includes('cleo@harbour.example'));
  });

  testOnce('of Microsoft Graph serve four mails at once', async () => {
    const transport = openMailTransport(setup(), store());
    const held = Promise.withResolvers<void>();
    service.graphHold = held.promise;
    const sending = Array.from({ length: 9 }, (_, number) => transport.send(mail(number)));
    await until(async () => service.graphCalls.running === 4);
    held.resolve();
    const results = await Promise.all(sending);
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['accepted']));
    assert.equal(service.graphCalls.most, 4);
    await transport.close();
  });

  testOnce(
    'of Microsoft Graph do not repeat a mail that is too large, and repeat one that meets a fault of Graph',
    async () => {
      const transport = openMailTransport(setup(), store());
      const outcomes: [number, string, string][] = [
        [413, 'RequestEntityTooLarge', 'refused'],
        [400, 'ErrorInvalidRecipients', 'refused'],
        [403, 'ErrorAccessDenied', 'deferred'],
        [404, 'ErrorInvalidUser', 'deferred'],
        [500, 'InternalServerError', 'deferred'],
        [503, 'ServiceUnavailable', 'deferred'],
      ];
      for (const [status, code, outcome] of outcomes) {
        service.graphFault = { status, code, message: 'No.' };
        assert.deepEqual([(await transport.send(mail())).outcome, status], [outcome, status]);
      }
      service.graphFault = null;
      const picture = { name: 'logo', bytes: Buffer.alloc(2_000_000, 7) };
      assert.equal((await transport.send({ ...mail(), pictures: [picture] })).outcome, 'accepted');
      assert.ok(service.mails.at(-1)!.mime.length > 2_600_000);
      await transport.close();
    },
  );
});

test('DKIM signatures of the mails are right for the published key, through SMTP and Graph, and break with the mail', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const dkim = {
    dkimDomain: 'northlight.example',
    dkimSelector: 'waybill',
    dkimKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const record = (name: string) =>
    name === 'waybill._domainkey.northlight.example' ? `v=DKIM1; k=rsa; p=${published}` : undefined;
  const tokens: TokenStore = {
    now: Date.now,
    find: async () => null,
    claim: async () => true,
    save: async () => {},
    release: async () => {},
  };
  const [relay, service] = [await startRelay(), await startTokenEndpoint()];
  const smtp = openMailTransport({ ...emptyMailSetup, host: '127.0.0.1', port: relay.port, ...dkim }, tokens);
  const graph = openMailTransport(
    {
      ...emptyMailSetup,
      method: 'graph',
      user: 'files@northlight.example',
      clientId: 'waybill',
      clientSecret: 'secret',
      tokenUrl: service.tokenUrl,
      graphUrl: service.graphUrl,
      ...dkim,
    },
    tokens,
  );
  for (const transport of [smtp, graph]) assert.equal((await transport.send(mail())).outcome, 'accepted');
  const sent = [relay.received.at(-1)!.mime, Buffer.from(service.mails.at(-1)!.mime, 'latin1')];
  for (const mime of sent) {
    assert.equal(dkimFault(mime, record), null);
    const text = mime.toString('latin1');
    const changed = (from: RegExp | string, to: string) =>
      dkimFault(Buffer.from(text.replace(from, to), 'latin1'), record);
    assert.equal(changed('Hello', 'Hallo'), 'the body is not the signed one');
    assert.equal(changed(/^To: ben@/m, 'To: eve@'), 'the signature is wrong');
    assert.equal(changed(/^From: /m, 'From: x'), 'the signature is wrong');
    assert.equal(
      dkimFault(mime, () => undefined),
      'there is no key in the DNS',
    );
  }
  for (const one of [smtp, graph, relay, service]) await one.close();
});
