import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { parseTrusted } from '../lib/client-address.ts';
import { greet } from './running.ts';

test('the first log lines name the address, the listener and whether every address of the machine is open', () => {
  const linesFor = (listen: Config['listen']) => {
    const lines: string[] = [];
    const log = { info: (_: object, line: string) => void lines.push(line) };
    const baseUrl = new URL('http://localhost:8080/');
    greet(
      { baseUrl, dataDir: '/srv/waybill', workers: 2, listen, trustProxy: parseTrusted('none') } as Config,
      log as never,
      'it',
    );
    return lines;
  };
  const ready = 'Waybill is ready at http://localhost:8080 (listening on it';
  const everywhere = `${ready}, every address of this machine)`;
  const port = (host: string): Config['listen'] => ({ kind: 'port', host, port: 8080 });
  assert.deepEqual(linesFor(port('0.0.0.0')), [everywhere, 'data folder: /srv/waybill']);
  assert.equal(linesFor(port('::'))[0], everywhere);
  assert.equal(linesFor(port('127.0.0.1'))[0], `${ready})`);
  assert.equal(linesFor({ kind: 'socket', path: '/run/waybill.sock' } as Config['listen'])[0], `${ready})`);
});

test('the log warns when clients can choose the address that the service sees', () => {
  const warningsFor = (trusted: string, host: string) => {
    const lines: string[] = [];
    const log = { info: () => {}, warn: (_: object, line: string) => void lines.push(line) };
    const listen = { kind: 'port', host, port: 8080 } as const;
    const config = { baseUrl: new URL('http://localhost/'), dataDir: '', workers: 1, listen };
    greet({ ...config, trustProxy: parseTrusted(trusted) } as Config, log as never, 'it');
    return lines;
  };
  for (const [trusted, host] of [
    ['none', '0.0.0.0'],
    ['loopback', '0.0.0.0'],
    ['10.0.0.5', '0.0.0.0'],
    ['10.0.0.8/29', '0.0.0.0'],
    ['10.0.0.5, 2', '0.0.0.0'],
    ['1', '127.0.0.1'],
    ['1', '::1'],
  ] as const)
    assert.deepEqual(warningsFor(trusted, host), [], `${trusted} at ${host}`);
  assert.match(warningsFor('10.0.0.0/28', '127.0.0.1').join(), /trusts 10\.0\.0\.0\/28: every machine there/);
  assert.match(warningsFor('private, fd00::/64', '0.0.0.0').join(), /trusts private, fd00::\/64: .*exact addresses/);
  assert.match(warningsFor('2', '0.0.0.0').join(), /WAYBILL_TRUST_PROXY=2 trusts every connection: .*10\.0\.0\.5,2/);
});
