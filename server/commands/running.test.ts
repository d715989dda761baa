import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { parseTrusted } from '../lib/client-address.ts';
import { createSecret } from '../lib/secret.ts';
import { greet, terminalGreeting } from './running.ts';

const plain: Partial<Config> = { logFormat: 'json', setupToken: null, workers: 2, trustProxy: parseTrusted('none') };

test('a terminal shows three lines: the address, the data folder and how to stop', () => {
  const config = { baseUrl: new URL('http://localhost:8080/'), dataDir: '/srv/waybill' };
  const rest = 'Data folder:      /srv/waybill\nStop:             Ctrl+C\n';
  assert.equal(terminalGreeting(config, null), `Waybill is ready: http://localhost:8080\n${rest}`);
  const setupUrl = 'http://localhost:8080/setup?token=abc';
  assert.equal(terminalGreeting(config, setupUrl), `Set up Waybill:   ${setupUrl}\n${rest}`);
});

test('the log names the link to the setup page while its token is in the data folder', (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'waybill-'));
  context.after(() => rmSync(dataDir, { recursive: true }));
  const logged = (changes: Partial<Config> = {}) => {
    const lines: string[] = [];
    const log = { info: (_: object, line: string) => void lines.push(line) };
    const listen: Config['listen'] = { kind: 'port', host: '127.0.0.1', port: 80 };
    greet({ ...plain, baseUrl: new URL('http://localhost/'), dataDir, listen, ...changes } as Config, log as never, {
      url: 'it',
      failing: [],
    });
    return lines.filter((line) => line.includes('/setup'));
  };
  assert.deepEqual(logged(), []);
  writeFileSync(join(dataDir, 'setup-token'), 'abc\n');
  assert.deepEqual(logged(), ['Set up Waybill at http://localhost/setup?token=abc']);
  assert.deepEqual(logged({ setupToken: createSecret('chosen') }), [], 'a token chosen by the operator is not logged');
});

test('the first log lines name the address, the listener and whether every address of the machine is open', () => {
  const linesFor = (listen: Config['listen']) => {
    const lines: string[] = [];
    const log = { info: (_: object, line: string) => void lines.push(line) };
    const baseUrl = new URL('http://localhost:8080/');
    greet({ ...plain, baseUrl, dataDir: '/srv/waybill', listen } as Config, log as never, { url: 'it', failing: [] });
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

test('a service that starts while a check fails is not called ready', () => {
  const lines: string[] = [];
  const log = { info: () => {}, warn: (_: object, line: string) => void lines.push(line) };
  const listen: Config['listen'] = { kind: 'port', host: '127.0.0.1', port: 80 };
  const config = { ...plain, baseUrl: new URL('http://localhost/'), dataDir: '/srv/waybill', listen } as Config;
  greet(config, log as never, { url: 'it', failing: ['clock', 'storage'] });
  assert.deepEqual(lines, ['Waybill runs, but is not ready (clock, storage), at http://localhost (listening on it)']);
});

test('the log warns when clients can choose the address that the service sees', () => {
  const warningsFor = (trusted: string, host: string) => {
    const lines: string[] = [];
    const log = { info: () => {}, warn: (_: object, line: string) => void lines.push(line) };
    const listen = { kind: 'port', host, port: 8080 } as const;
    const config = { ...plain, baseUrl: new URL('http://localhost/'), dataDir: '', listen };
    greet({ ...config, trustProxy: parseTrusted(trusted) } as Config, log as never, { url: 'it', failing: [] });
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
