// Certificates from an authority with ACME: both challenges against Pebble, renewal, one order for several processes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { trustCertificates } from '#server/lib/outbound-tls.ts';
import { onOneEngine, type TestApp } from '#test/kit/app.ts';
import { until } from '#test/kit/eventually.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { ensureInstalled } from '#test/kit/servers/packages.ts';
import { type Authority, pebbleRequirement, startPebble } from '#test/kit/servers/pebble.ts';

const domains = ['files.example.test', 'send.example.test'];

for (const type of ['http-01', 'tls-alpn-01']) {
  onOneEngine(`a certificate ordered with ${type}`, (start) => {
    let app: TestApp;
    let authority: Authority;
    let port: number;
    let distrust = () => {};

    before(async () => {
      await ensureInstalled([pebbleRequirement], () => {});
      const [servicePort, redirectPort] = (await freePorts(2)) as [number, number];
      port = servicePort;
      // The authority is trusted before it starts, because the first request checks that it runs.
      authority = await startPebble({ httpPort: redirectPort, tlsPort: servicePort }, (certificate) => {
        distrust = trustCertificates([certificate]);
      });
      app = await start({
        environment: {
          WAYBILL_ROLE: 'web',
          WAYBILL_LISTEN: `127.0.0.1:${port}`,
          WAYBILL_BASE_URL: `https://${domains[0]}:${port}`,
          WAYBILL_ACME_DOMAINS: domains.join(', '),
          WAYBILL_ACME_EMAIL: 'operator@example.com',
          WAYBILL_ACME_DIRECTORY: authority.directory,
          ...(type === 'http-01' ? { WAYBILL_TLS_REDIRECT_LISTEN: `127.0.0.1:${redirectPort}` } : {}),
        },
      });
    });
    after(async () => {
      await app.close();
      await authority.stop();
      distrust();
    });

    const order = () => app.app.jobs.runOnce('renew-certificate');

    /** Resolves when the handshake has succeeded or the connection has ended. */
    const open = (options: ConnectionOptions) =>
      new Promise<TLSSocket>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port, servername: domains[0]!, ...options });
        socket.on('error', () => {});
        socket.once('secureConnect', () => resolve(socket)).once('close', () => resolve(socket));
      });

    test('is presented for every domain, verified by the root of the authority', async () => {
      assert.equal((await open({ ALPNProtocols: ['h2'] })).authorized, false);
      assert.match((await order())!, /^a certificate until/);
      const ca = await authority.findRoot();
      for (const domain of domains) {
        const socket = await until(async () => {
          const found = await open({ ca, servername: domain, ALPNProtocols: ['h2'] });
          return found.authorized ? found : null;
        });
        assert.equal(socket.alpnProtocol, 'h2');
        socket.destroy();
      }
    });

    test('is not ordered again before two thirds of its time have passed', async () => {
      assert.equal(await order(), 'the certificate is not due yet');
      app.clock.advance(5 * 365 * 86_400_000);
      assert.match((await order())!, /^a certificate until/);
    });

    test('leaves no challenge behind', async () => {
      const socket = await open({ ALPNProtocols: ['acme-tls/1'] });
      assert.equal(socket.authorized, false);
      if (type !== 'http-01') return;
      const reply = await fetch(`http://127.0.0.1:${authority.httpPort}/.well-known/acme-challenge/abc`);
      assert.equal(reply.status, 404);
    });
  });
}
