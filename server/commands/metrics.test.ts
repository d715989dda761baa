import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog } from '../lib/log.ts';
import type { Metric } from '../lib/metrics.ts';
import { createSecret } from '../lib/secret.ts';
import { openMetrics } from './metrics.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-metrics-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const listen = (name: string) => ({ kind: 'socket', path: join(folder, name) }) as const;
const metrics: Metric[] = [{ name: 'bytes_total', help: 'Bytes.', type: 'counter', samples: [['', 7]] }];

function ask(socketPath: string, path: string, method = 'GET', authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asking = request({ socketPath, path, method, headers, agent: false }, (response) => {
    let body = '';
    response.on('data', (bytes: Buffer) => {
      body += bytes;
    });
    const demand = response.headers['www-authenticate'];
    response.on('end', () => resolve(`${response.statusCode}${demand ? ` ${demand}` : ''} ${body.split('\n')[0]}`));
  });
  asking.on('error', reject).end();
  return promise;
}

test('metrics are served at one address, for reading only', async () => {
  const place = listen('open');
  const server = await openMetrics({ metricsListen: place, metricsToken: null }, silentLog, async () => metrics);
  try {
    assert.equal(await ask(place.path, '/metrics'), '200 # HELP bytes_total Bytes.');
    assert.equal(await ask(place.path, '/metrics?x=1'), '200 # HELP bytes_total Bytes.');
    assert.match(await ask(place.path, '/metrics', 'HEAD'), /^200 /);
    assert.match(await ask(place.path, '/'), /^404 Metrics are at \/metrics\./);
    assert.match(await ask(place.path, '/metrics', 'POST'), /^405 Only GET/);
    // As during an upgrade with two processes.
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, sentence: string) => void warnings.push(sentence) };
    (await openMetrics({ metricsListen: place, metricsToken: null }, log, async () => metrics)).close();
    assert.match(warnings.join(), /^metrics are not served: WAYBILL_METRICS_LISTEN is .* listens there already/);
  } finally {
    server.close();
  }
  await assert.rejects(ask(place.path, '/metrics'));
});

test('with a token, requests without it are refused', async () => {
  const place = listen('token');
  const metricsToken = createSecret('quiet-lamps');
  const server = await openMetrics({ metricsListen: place, metricsToken }, silentLog, async () => metrics);
  const refused = /^401 Bearer Send the token of WAYBILL_METRICS_TOKEN/;
  try {
    assert.match(await ask(place.path, '/metrics'), refused);
    for (const wrong of ['Bearer quiet-lampz', 'Bearer quiet-lamps2', 'quiet-lamps', 'Bearer '])
      assert.match(await ask(place.path, '/metrics', 'GET', wrong), refused, wrong);
    assert.match(await ask(place.path, '/metrics', 'GET', 'Bearer quiet-lamps'), /^200 /);
  } finally {
    server.close();
  }
});

test('a failed collection returns an error, and the server continues', async () => {
  const place = listen('broken');
  const server = await openMetrics({ metricsListen: place, metricsToken: null }, silentLog, () =>
    Promise.reject(new Error('unreachable')),
  );
  try {
    for (let time = 0; time < 2; time++)
      assert.match(await ask(place.path, '/metrics'), /^500 The metrics could not be collected; the log says why/);
  } finally {
    server.close();
  }
});

test('nothing is served when metrics are switched off', async () => {
  const server = await openMetrics({ metricsListen: 'off', metricsToken: null }, silentLog, async () => metrics);
  server.close();
});
