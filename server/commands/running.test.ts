import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { greet } from './running.ts';

test('the first lines of the log say where to go, what is listened on and whether everybody can reach it', () => {
  const linesFor = (listen: Config['listen']) => {
    const lines: string[] = [];
    const log = { info: (_: object, line: string) => void lines.push(line) };
    const baseUrl = new URL('http://localhost:8080/');
    greet({ baseUrl, dataDir: '/srv/waybill', workers: 2, listen } as Config, log as never, 'it');
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
