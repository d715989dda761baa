// The shipped proxy files, each in its real proxy: client address, streaming, large chunks, HTTP/2 and HTTP/3.
import assert from 'node:assert/strict';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import http2 from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { chromium } from 'playwright-core';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { chromiumFlags } from '#test/kit/servers/chromium.ts';
import { type ProxyKind, type ProxyProcess, proxyKinds, startProxy } from '#test/kit/servers/proxies.ts';
import { signIn } from '#test/kit/signed-in.ts';

/** The client's address. Only 127.0.0.1 is trusted as a proxy. */
const clientAddress = '127.0.0.77';

interface Exchange {
  out: Duplex | NodeJS.WritableStream;
  reply: Promise<{ status: number; requestId: string; body: Readable }>;
}

type Send = (method: string, path: string, headers?: Record<string, string>) => Exchange;

describe('a proxy in front', { skip: findTestServers() === null && 'without servers' }, () => {
  let app: TestApp;
  const proxies = new Map<ProxyKind, { proxy: ProxyProcess; port: number }>();
  before(async () => {
    // Uses every name of this machine, so that all proxies can serve one service.
    app = await startTestApp(sqliteAndDisk, {
      environment: { WAYBILL_BASE_URL: 'https://localhost', WAYBILL_TRUST_PROXY: '127.0.0.1' },
    });
    for (const kind of proxyKinds) {
      const port = (await freePorts(1))[0]!;
      proxies.set(kind, { proxy: await startProxy(kind, { port, machines: [new URL(app.url).host] }), port });
    }
  });
  after(async () => {
    for (const { proxy } of proxies.values()) await proxy.stop();
    await app?.close();
  });

  const figure = (name: string) => app.app.metrics().find((known) => known.name === name)!.samples[0]![1];
  const asAdmin = () => ({ authorization: `Bearer ${app.admin.key}` });
  const eventOf = (requestId: string) =>
    app.app.ctx.db.read
      .selectFrom('events')
      .select(['action', 'remote_ip'])
      .where('request_id', '=', requestId)
      .executeTakeFirst();

  for (const kind of proxyKinds) {
    for (const version of ['HTTP/1.1', 'HTTP/2'] as const) {
      describe(`${kind}, ${version}`, () => {
        let send: Send;
        let close: () => void;
        before(() => {
          const { port } = proxies.get(kind)!;
          ({ send, close } = version === 'HTTP/2' ? speakHttp2(port) : speakHttp1(port));
        });
        after(() => close());

        const upload = (name: string, sizeBytes: number, headers: Record<string, string> = {}) =>
          send('POST', `/link/attachments/upload?filename=${name}`, {
            ...asAdmin(),
            accept: 'application/json',
            'content-length': String(sizeBytes),
            ...headers,
          });

        test('the service sees the real client address despite forged headers, and the proxy sets the request id', async () => {
          const claims = { 'x-forwarded-for': '203.0.113.6', 'x-request-id': 'named-by-the-client' };
          const { out, reply } = upload('who.txt', 3, claims);
          out.end('who');
          const { status, requestId, body } = await reply;
          assert.equal(status, 200, String(await buffer(body)));
          assert.match(requestId, /^[\w@-]{20,}$/);
          assert.notEqual(requestId, claims['x-request-id']);
          assert.deepEqual(await eventOf(requestId), { action: 'attachment.uploaded', remote_ip: clientAddress });
        });

        test('an upload reaches the service before it has ended, and a chunk may be large', async () => {
          const half = randomBytes(6 * 1024 * 1024);
          const before = figure('waybill_upload_bytes_total');
          const { out, reply } = upload('large.bin', 2 * half.length);
          out.write(half);
          await eventually(
            'half of it has arrived',
            async () => figure('waybill_upload_bytes_total') - before > half.length / 2,
          );
          out.end(half);
          const { status, body } = await reply;
          const text = String(await buffer(body));
          assert.equal(status, 200, text);
          assert.equal(JSON.parse(text).attachment.size, 2 * half.length);
        });

        test('an endless answer begins immediately', async () => {
          const { session } = await signIn(app, 'root@example.com', 'quiet river under seven lamps');
          const { out, reply } = send('GET', '/app-api/events', {
            cookie: `__Host-sid=${session}`,
            'sec-fetch-site': 'same-origin',
            accept: 'text/event-stream',
          });
          out.end();
          const { status, body } = await reply;
          assert.equal(status, 200);
          const { value } = await body[Symbol.asyncIterator]().next();
          assert.ok(value.length > 0);
          body.destroy();
        });

        test('refusals keep the service’s text', async () => {
          const { out, reply } = send('GET', '/account', { accept: 'application/json' });
          out.end();
          const { status, body } = await reply;
          assert.equal(status, 401);
          assert.equal(JSON.parse(String(await buffer(body))).code, 'credentials.invalid');
        });
      });
    }
  }

  const browser = findTestServers()?.chromium ?? null;
  test('Caddy, HTTP/3: a browser gets pages and sends files', { skip: browser === null && 'no browser' }, async () => {
    const { proxy, port } = proxies.get('Caddy')!;
    const key = new X509Certificate(proxy.certificate).publicKey.export({ type: 'spki', format: 'der' });
    const flags = [
      ...chromiumFlags.filter((flag) => flag !== '--disable-quic'),
      `--origin-to-force-quic-on=localhost:${port}`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
    ];
    const chrome = await chromium.launch({ executablePath: browser!, args: flags });
    try {
      const page = await chrome.newPage();
      await page.goto(`https://localhost:${port}/sign-in`);
      const used = await page.evaluate(() => performance.getEntriesByType('navigation')[0]!.toJSON().nextHopProtocol);
      assert.equal(used, 'h3');
      const status = await page.evaluate(async (authorization) => {
        const body = new Uint8Array(3_000_000);
        const reply = await fetch('/link/attachments/upload?filename=h3.bin', {
          method: 'POST',
          headers: { authorization },
          body,
        });
        return reply.status;
      }, asAdmin().authorization);
      assert.equal(status, 200);
    } finally {
      await chrome.close();
    }
  });
});

function speakHttp1(port: number): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, localAddress: clientAddress });
  const send: Send = (method, path, headers = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<Exchange['reply']>>();
    const options = { host: '127.0.0.1', port, method, path, agent, servername: 'localhost' };
    const out = httpsRequest({ ...options, headers: { host: `localhost:${port}`, ...headers } }, (response) =>
      resolve({ status: response.statusCode!, requestId: String(response.headers['x-request-id']), body: response }),
    );
    out.on('error', reject);
    return { out, reply: promise };
  };
  return { send, close: () => agent.destroy() };
}

function speakHttp2(port: number): { send: Send; close(): void } {
  const session = http2.connect(`https://localhost:${port}`, {
    createConnection: () =>
      connectTls({
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        rejectUnauthorized: false,
        localAddress: clientAddress,
        ALPNProtocols: ['h2'],
      } as ConnectionOptions),
  });
  const send: Send = (method, path, headers = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<Exchange['reply']>>();
    const out = session.request({ ':method': method, ':path': path, ...headers }, { endStream: false });
    out.on('response', (fields) =>
      resolve({ status: Number(fields[':status']), requestId: String(fields['x-request-id']), body: out }),
    );
    out.on('error', reject);
    session.on('error', reject);
    return { out, reply: promise };
  };
  return { send, close: () => session.destroy() };
}
