// WAYBILL_CA_FILE: each kind of outbound connection trusts the given authority, and none does without it.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { openS3Store } from '#server/blobs/s3.ts';
import { type ConfigProblems, readConfig, trustConfiguredAuthorities } from '#server/config.ts';
import { connect } from '#server/db/engine/connect.ts';
import { certificateFault } from '#server/lib/outbound-tls.ts';
import { post } from '#server/lib/probe-client.ts';
import { testSignIn } from '#server/mail/transports/delivery-test.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';

const certificate = makeCertificate();
const identity = { key: certificate.keyPem, cert: certificate.certificatePem };

/** Accepts TLS as PostgreSQL does, then closes the connection. */
function startTlsDatabase(): Server {
  return createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(identity) });
      secured.on('error', () => {}).on('secure', () => secured.destroy());
    });
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The fault of the certificate, if that is why it failed. */
async function faultOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    const found = await work();
    return typeof found === 'string' ? certificateFault(new Error(found)) : null;
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      const fault = certificateFault(cause);
      if (fault !== null) return fault;
    }
    return null;
  }
}

describe('an authority of the operator', () => {
  const web = createWebServer(identity, (_request, response) => response.end('{}'));
  const database = startTlsDatabase();
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let connections: Record<string, () => Promise<unknown>>;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-authority-'));
    await writeFile(join(folder, 'ca.pem'), `our authority\n${certificate.certificatePem}`);
    await writeFile(join(folder, 'text.pem'), 'no certificate');
    const [webPort, databasePort] = [await listen(web), await listen(database)];
    relay = await startRelay({ ...identity, disabledCommands: [] });
    connections = {
      'the public address': () => post(new URL(`https://localhost:${webPort}/probe`), {}),
      fetch: async () => (await fetch(`https://localhost:${webPort}/`, { headers: { connection: 'close' } })).text(),
      S3: async () => {
        const store = await openS3Store({
          endpoint: `https://localhost:${webPort}`,
          bucket: 'files',
          region: 'us-east-1',
          accessKey: 'a',
          secretKey: 's',
          pathStyle: true,
        });
        await store.state();
        const said = store.trouble();
        await store.close();
        return said;
      },
      PostgreSQL: () => connect(`postgres://u:p@localhost:${databasePort}/x?sslmode=verify-full`),
      mail: async () => {
        const steps = await testSignIn({ url: `smtp://localhost:${relay.port}`, isTlsAlwaysRequired: true });
        return steps.find(({ state }) => state === 'failed')?.said;
      },
    };
  });
  after(async () => {
    await relay.close();
    for (const server of [web, database]) await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  test('is unknown to every connection without the setting, and trusted by every one with it', async () => {
    const faults = async () => {
      const found: Record<string, string | null> = {};
      for (const [name, open] of Object.entries(connections)) found[name] = await faultOf(open);
      return found;
    };
    const all = (fault: string | null) => Object.fromEntries(Object.keys(connections).map((name) => [name, fault]));
    assert.deepEqual(await faults(), all('unknown_authority'));
    const forget = trustConfiguredAuthorities({ WAYBILL_CA_FILE: join(folder, 'ca.pem') });
    try {
      assert.deepEqual(await faults(), all(null));
    } finally {
      forget();
    }
  });

  test('must be a file of certificates; a fault of it is one of the settings', () => {
    const problem = (file: string) => {
      try {
        readConfig({ WAYBILL_CA_FILE: join(folder, file) });
        return '';
      } catch (error) {
        return (error as ConfigProblems).sentences.join();
      }
    };
    assert.equal(problem('ca.pem'), '');
    assert.match(problem('none.pem'), /^WAYBILL_CA_FILE names a file that can't be read \(.*none\.pem\)\.$/);
    assert.match(problem('text.pem'), /^WAYBILL_CA_FILE must name a file of certificates in PEM format/);
    assert.doesNotThrow(trustConfiguredAuthorities({ WAYBILL_CA_FILE: join(folder, 'none.pem') }));
  });
});
