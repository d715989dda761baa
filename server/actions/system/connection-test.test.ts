// A server in this process plays the proxy or a foreign server at the public address.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Check } from '../../domain/checks.ts';
import { type Arrived, checkPublicAddress, isProbeToken, probeToken } from './connection-test.ts';

const mebibyte = 1024 * 1024;

interface Played {
  status: number;
  body: string;
  headers: Record<string, string>;
  mostBytes: number;
  arrived: Partial<Arrived>;
}

let played: Played;
const server = createServer((request, response) => {
  // The reply begins before the request body has ended, as without buffering.
  response.writeHead(played.status, played.headers);
  response.flushHeaders();
  request.resume().on('end', () => response.end(played.body));
});
server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
  if (Number(request.headers['content-length']) <= played.mostBytes) response.writeContinue();
  else response.writeHead(413).end();
});

describe('the test of the public address', () => {
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => void server.close());
  beforeEach(() => {
    played = { status: 200, body: 'ours', headers: {}, mostBytes: 200 * mebibyte, arrived: {} };
  });

  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const arrivedAt = (host: string): Arrived => ({
    host,
    forwardedFor: '198.51.100.7',
    peer: '10.0.0.1',
    peerPort: 0,
    isPeerTrusted: true,
  });

  async function check(maxChunkSizeBytes = 100 * mebibyte, baseUrl = base()): Promise<Map<string, Check>> {
    const host = new URL(baseUrl).host;
    const checks = await checkPublicAddress({ baseUrl, maxChunkSizeBytes }, 'token', (body) =>
      body === 'ours' ? { ...arrivedAt(host), ...played.arrived } : null,
    );
    assert.equal(checks.length, 7);
    return new Map(checks.map((check) => [check.check, check]));
  }

  test('passes every check behind a correct proxy', async () => {
    const found = await check();
    assert.deepEqual(
      [...found.values()].filter(({ state }) => state !== 'passed'),
      [],
    );
    assert.deepEqual(found.get('size')?.values, { size: '100 MiB' });
    assert.equal(found.get('forwarded')?.said, '198.51.100.7');
  });

  describe('reports a size limit of the proxy', () => {
    const said = async (mostBytes: number, wanted?: number) => {
      played.mostBytes = mostBytes;
      const { code, values } = (await check(wanted)).get('size')!;
      return [code, values?.size, values?.wanted];
    };

    test('with the largest body that passes, in steps of 64 KiB', async () => {
      assert.deepEqual(await said(3 * mebibyte), ['size.too_small', '3 MiB', '100 MiB']);
      assert.deepEqual(await said(1.5 * mebibyte), ['size.too_small', '1.5 MiB', '100 MiB']);
      assert.deepEqual(await said(mebibyte), ['size.too_small', '1 MiB', '100 MiB']);
      assert.deepEqual(await said(mebibyte - 1), ['size.too_small', '960 KiB', '100 MiB']);
      assert.deepEqual(await said(64 * 1024, 512 * 1024), ['size.too_small', '64 KiB', '512 KiB']);
      assert.deepEqual(await said(0), ['size.too_small', '0 KiB', '100 MiB']);
    });

    test('only if a chunk does not pass', async () => {
      assert.deepEqual(await said(100 * mebibyte), ['size.ok', '100 MiB', undefined]);
      assert.deepEqual((await said(100 * mebibyte - 1))[0], 'size.too_small');
    });
  });

  test('reports a clock that is more than a minute off, in seconds', async () => {
    const codeAt = async (offMs: number) => {
      played.headers = { date: new Date(Date.now() + offMs).toUTCString() };
      return (await check()).get('clock')!;
    };
    assert.equal((await codeAt(-55_000)).code, 'clock.ok');
    const late = await codeAt(-90_000);
    assert.equal(late.code, 'clock.off');
    // A date has whole seconds, and time passes.
    assert.ok(Math.abs(Number(late.values?.seconds) - 91) <= 5);
    assert.equal((await codeAt(90_000)).code, 'clock.off');
    played.headers = { date: 'never' };
    assert.equal((await check()).get('clock')?.code, 'clock.ok');
  });

  test('reports client addresses that are not forwarded or not trusted', async () => {
    const code = async (arrived: Partial<Arrived>) => {
      played.arrived = arrived;
      return (await check()).get('forwarded')?.code;
    };
    assert.equal(await code({ forwardedFor: null }), 'forwarded.missing');
    assert.equal(await code({ forwardedFor: '203.0.113.77' }), 'forwarded.missing');
    assert.equal(await code({ forwardedFor: '203.0.113.77, 198.51.100.7' }), 'forwarded.ok');
    assert.equal(await code({ isPeerTrusted: false }), 'forwarded.untrusted');
  });

  describe('a response that is not from the probe', () => {
    const answered = async (status: number, body = 'hello', headers: Record<string, string> = {}) => {
      played = { ...played, status, body, headers };
      const found = await check();
      const tried = [...found.values()].filter(({ state }) => state !== 'skipped');
      assert.equal(tried.length, 1);
      return tried[0]!;
    };

    test('is classified as another server, a redirect or a bad gateway', async () => {
      const codes = [200, 299, 300, 399, 400, 501, 502, 504, 505];
      const found = [];
      for (const status of codes) found.push((await answered(status)).code);
      const other = 'public.another_server';
      const [elsewhere, nowhere] = ['public.redirected', 'public.bad_gateway'];
      assert.deepEqual(found, [other, other, elsewhere, elsewhere, other, other, nowhere, nowhere, other]);
    });

    test('is quoted up to 200 characters', async () => {
      assert.equal((await answered(200, `a\n\n${'b'.repeat(300)}`)).said, `200 a ${'b'.repeat(198)}`);
      const { values } = await answered(301, '', { location: `https://${'e'.repeat(300)}` });
      assert.equal(values?.to?.toString().length, 200);
    });

    test('that is a refusal of this server shows what the proxy left out', async () => {
      assert.equal((await answered(400, '{"code":"request.foreign_host"}')).code, 'host.changed');
      assert.equal((await answered(403, '{"code":"request.insecure"}')).code, 'forwarded.untrusted');
    });
  });

  test('reports an address where no server listens', async () => {
    const gone = createServer();
    await once(gone.listen(0, '127.0.0.1'), 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    assert.equal((await check(1, `http://127.0.0.1:${port}`)).get('address')?.code, 'public.refused');
  });

  test('the probe accepts tokens of this installation for five minutes', () => {
    const prover = {
      clock: { now: () => 1_000 },
      keys: { hash: (kind: string, text: string) => Buffer.from(kind + text) },
    };
    const token = probeToken(prover);
    const isKnownAt = (now: number, given = token) => isProbeToken({ ...prover, clock: { now: () => now } }, given);
    assert.deepEqual([isKnownAt(1_000), isKnownAt(300_999), isKnownAt(301_000)], [true, true, false]);
    const [until, signed] = token.split('.');
    for (const forged of ['', until!, `${Number(until) + 1}.${signed}`, `${until}.${signed}x`, `${until}x.${signed}`])
      assert.equal(isKnownAt(1_000, forged), false, forged);
  });
});
