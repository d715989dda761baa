// The doctor announces certificates that end within 21 days, whatever precedes TLS.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { readConfig } from '#server/config.ts';
import { checkCertificates } from '#server/installation/doctor/certificates.ts';
import { mailInForce } from '#server/installation/mail-setup.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';

const dayMs = 86_400_000;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function startTlsDatabase(identity: { key: string; cert: string }): Server {
  return createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(identity) }).on('error', () => {});
    });
  });
}

test('certificates that end within 21 days are announced, and those that have ended are faults', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-certificates-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const endsAt = Math.floor(Date.now() / 1000) * 1000 + 100 * dayMs;
  const { keyPem: key, certificatePem: cert } = makeCertificate(new Date(endsAt));
  await writeFile(join(folder, 'ca.pem'), cert);
  const web = createWebServer({ key, cert });
  const database = startTlsDatabase({ key, cert });
  const relay = await startRelay({ key, cert, disabledCommands: [] });
  const port = await listen(web);
  context.after(async () => {
    await relay.close();
    for (const server of [web, database]) server.close();
  });
  const config = readConfig({
    WAYBILL_BASE_URL: `https://localhost:${port}`,
    WAYBILL_STORAGE: 's3',
    WAYBILL_S3_ENDPOINT: `https://localhost:${port}`,
    WAYBILL_S3_BUCKET: 'b',
    WAYBILL_S3_ACCESS_KEY: 'a',
    WAYBILL_S3_SECRET_KEY: 's',
    WAYBILL_DATABASE_URL: `postgres://u:p@localhost:${await listen(database)}/x?sslmode=verify-full`,
    WAYBILL_SMTP_URL: `smtp://localhost:${relay.port}`,
    WAYBILL_LDAP_URL: `ldaps://localhost:${port}`,
    WAYBILL_LDAP_BASE_DN: 'dc=example',
    WAYBILL_CA_FILE: join(folder, 'ca.pem'),
  });
  const states = async (now: number) =>
    (await checkCertificates(config, mailInForce(config, null), now)).map(
      ({ state, sentence }) => `${state} ${sentence}`,
    );
  assert.deepEqual(await states(endsAt - 21 * dayMs - 1), ['ok None of 6 ends within 21 days.']);
  const on = new Date(endsAt).toISOString().slice(0, 10);
  const soon = await states(endsAt - 21 * dayMs);
  assert.deepEqual(
    soon.map((line) => line.replace(/ \(localhost:\d+\)/, '')),
    [
      'an authority of WAYBILL_CA_FILE',
      'the public address',
      'the object store',
      'the database',
      'the relay',
      'the sign-in service LDAP',
    ].map((what) => `warn The certificate of ${what} ends on ${on}.`),
  );
  const ended = await states(endsAt);
  assert.equal(ended.filter((line) => line.startsWith('fault')).length, 6, ended.join('\n'));
});
