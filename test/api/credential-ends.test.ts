// Secrets and certificates of sign-in services are announced before they end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createWebServer, type Server } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { OverviewBody } from '#contract/admin/overview.ts';
import { announcementOf } from '#server/domain/credential-ends.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { makeCertificate, type TestCertificate } from '#test/kit/certificate.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { metadataOf } from '#test/kit/saml-answers.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;
const day = (instant: number) => new Date(instant).toISOString().slice(0, 10);

test('announcements that come in the first two thirds of a certificate’s life are left out', () => {
  const found = (lifeDays: number | null, left: number) => {
    const endsAt = 1000 * dayMs;
    const startsAt = lifeDays === null ? null : endsAt - lifeDays * dayMs;
    return announcementOf({ what: '', startsAt, endsAt }, endsAt - left * dayMs);
  };
  const all = [null, 60, 60, 30, 7, 7, 7];
  for (const life of [null, 365, 200])
    assert.deepEqual(
      [61, 60, 31, 30, 7, 0, -5].map((left) => found(life, left)),
      all,
      `${life}`,
    );
  assert.deepEqual(
    [60, 30, 8, 7, 0].map((left) => found(90, left)),
    [null, null, null, 7, 7],
  );
  assert.deepEqual(
    [6, 3, 0].map((left) => found(6, left)),
    [null, null, 7],
  );
});

/** Answers StartTLS like a directory. */
function startDirectory({ keyPem: key, certificatePem: cert }: TestCertificate) {
  return createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.from('300c02010178070a010004000400', 'hex'));
      new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ key, cert }) }).on(
        'error',
        () => {},
      );
    });
  });
}

onEachDatabase('Secrets and certificates of sign-in services', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const servers: { close(): void }[] = [];
  after(() => {
    for (const server of servers) server.close();
  });
  const listen = async (server: Server | ReturnType<typeof createServer>) => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  let begin = 0;
  const ending = (days: number) => makeCertificate(new Date(begin + days * dayMs));
  const base64 = ({ certificatePem }: TestCertificate) => certificatePem.replace(/-----[^-]+-----|\s/g, '');
  const create = (service: object) =>
    app.admin.expect(200, 'createSignInService', { body: { sign_in_service: service as never } });
  const check = async () => {
    await app.app.jobs.runOnce('check-certificate');
    return (await mailbox.post(app)).filter(({ kind }) => kind === 'admin-alert').map(({ text }) => text);
  };
  const attention = async () => {
    const { overview } = (await app.admin.expect(200, 'getOverview')).body as { overview: OverviewBody };
    return overview.attention.find(({ topic }) => topic === 'credential-ending')?.detail ?? null;
  };
  before(async () => {
    begin = Math.floor(app.clock.now() / dayMs) * dayMs + dayMs;
    app.clock.advance(begin - app.clock.now());
  });

  test('an end that is no day is refused', async () => {
    const fields = { kind: 'oidc', issuer: 'https://id.invalid', client_id: 'w', client_secret_ends_on: '2027-02-30' };
    const { body } = await app.admin.expect(422, 'createSignInService', { body: { sign_in_service: fields as never } });
    assert.match(JSON.stringify(body), /sign_in_service\.bad_date.*client_secret_ends_on/);
  });

  test('are mailed 60, 30 and 7 days before, once each, and shown on the overview until they are renewed', async () => {
    const secret = { client_id: 'w', client_secret: 's', client_secret_ends_on: day(begin + 61 * dayMs) };
    await create({ kind: 'oidc', name: 'Harbour', id: 'harbour', issuer: 'https://id.invalid', ...secret });
    assert.deepEqual(await check(), []);
    assert.equal(await attention(), null);
    for (const [left, mails] of [
      [60, 1],
      [59, 0],
      [30, 1],
      [7, 1],
      [6, 0],
      [-1, 0],
    ] as const) {
      app.clock.advance(begin + (61 - left) * dayMs - app.clock.now());
      const said = `The client secret of Harbour ${left < 0 ? 'ended' : 'ends'} on ${day(begin + 61 * dayMs)}`;
      const sent = await check();
      assert.equal(sent.length, mails, `${left} days before`);
      for (const text of sent) assert.ok(text.includes(said), text);
      assert.equal(await attention(), said);
    }
    const params = { id: 'harbour' };
    const changed = { sign_in_service: { client_secret: 't', client_secret_ends_on: day(begin + 900 * dayMs) } };
    await app.admin.expect(200, 'changeSignInService', { params, body: changed as never });
    assert.deepEqual(await check(), []);
    assert.equal(await attention(), null);
    await app.admin.expect(200, 'deleteSignInService', { params });
  });

  test('certificates: of the metadata the last one, of authorities each, and those of servers', async () => {
    begin = app.clock.now();
    const identity = ending(20);
    const port = await listen(createWebServer({ key: identity.keyPem, cert: identity.certificatePem }));
    const directory = await listen(startDirectory(ending(25)));
    const metadata = metadataOf('https://id.example', [base64(ending(5)), base64(ending(50))]);
    await create({ kind: 'saml', name: 'Quay', metadata, ca: ending(400).certificatePem + ending(40).certificatePem });
    await create({ kind: 'oidc', name: 'Pier', issuer: `https://127.0.0.1:${port}`, client_id: 'w' });
    await create({ kind: 'ldap', name: 'Port', url: `ldap+starttls://127.0.0.1:${directory}`, base_dn: 'dc=x' });
    await create({ kind: 'oidc', name: 'Off', issuer: `https://127.0.0.1:${port}`, client_id: 'w', enabled: false });
    const [mail, ...more] = await check();
    assert.deepEqual(more, []);
    const said = [
      `The signing certificate of Quay ends on ${day(begin + 50 * dayMs)}`,
      `A certificate authority of Quay ends on ${day(begin + 40 * dayMs)}`,
      `The certificate of 127.0.0.1 (Pier) ends on ${day(begin + 20 * dayMs)}`,
      `The certificate of 127.0.0.1 (Port) ends on ${day(begin + 25 * dayMs)}`,
    ].join('; ');
    assert.equal(await attention(), said);
    assert.ok(mail!.replace(/\s+/g, ' ').includes(said), mail!);
  });

  test('a server that is away for a while is not announced again', async () => {
    for (const server of servers) server.close();
    assert.deepEqual(await check(), []);
    assert.match((await attention())!, /\(Pier\).*\(Port\)/);
  });
});
