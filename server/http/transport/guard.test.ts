import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import { parseTrusted } from '../../lib/client-address.ts';
import type { HttpDeps } from '../deps.ts';
import { createGuard } from './guard.ts';
import { createLimits } from './limits.ts';
import { createMeters } from './meters.ts';
import { refusalOf } from './problems.ts';

const warnings: string[] = [];

function verdict(
  peer: string | undefined,
  more: { base?: string; trust?: string; allow?: boolean; path?: string; host?: string } = {},
) {
  const { base = 'https://files.example.com', trust = 'none', allow = false, path = '/account' } = more;
  const baseUrl = new URL(base);
  const { host = baseUrl.host } = more;
  const deps = {
    baseUrl,
    trustProxy: parseTrusted(trust),
    allowInsecureHttp: allow,
    limits: createLimits({ apiRatePerMinute: 0, meters: createMeters() }),
    ctx: { log: { warn: (_facts: object, sentence: string) => warnings.push(sentence) }, clock: { now: () => 0 } },
  } as unknown as HttpDeps;
  const raw = {
    socket: { remoteAddress: peer },
    headers: { host, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
    rawHeaders: ['Host', host],
  } as unknown as IncomingMessage;
  try {
    createGuard(deps)(raw, path);
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof Problem);
    return `${refusalOf(error).status} ${error.code}`;
  }
}

test('a peer that is neither loopback nor a trusted proxy gets 403 with any headers', () => {
  for (const peer of ['203.0.113.9', '10.0.0.7', '192.168.1.2', '::ffff:203.0.113.9', '2001:db8::1', '::', '0.0.0.0'])
    assert.equal(verdict(peer), '403 request.insecure', peer);
  assert.equal(verdict('203.0.113.9', { trust: '10.0.0.0/8' }), '403 request.insecure');
  // Addresses that only resemble loopback.
  for (const peer of ['128.0.0.1', '12.7.0.1', '::2', '::ffff:128.0.0.1'])
    assert.equal(verdict(peer), '403 request.insecure', peer);
});

test('the refusal and the log name the setting that is missing', () => {
  warnings.length = 0;
  assert.equal(verdict('10.0.0.5'), '403 request.insecure');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /WAYBILL_TRUST_PROXY/);
});

test('loopback and trusted proxies are accepted', () => {
  for (const peer of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.equal(verdict(peer), 'taken', peer);
  assert.equal(verdict('10.0.0.7', { trust: '10.0.0.0/8' }), 'taken');
  assert.equal(verdict('::ffff:10.0.0.7', { trust: '10.0.0.0/8' }), 'taken');
});

test('probes may use plain HTTP from anywhere, and so may everything if the operator allows it', () => {
  for (const path of ['/healthz', '/readyz']) assert.equal(verdict('203.0.113.9', { path }), 'taken');
  assert.equal(verdict('203.0.113.9', { base: 'http://files.example.com', allow: true }), 'taken');
  assert.equal(verdict('203.0.113.9', { base: 'http://files.example.com' }), '403 request.insecure');
});

test('an installation at a loopback address answers to all loopback names, any other only to its own', () => {
  const local = ['localhost', 'localhost:8080', '[::1]', '[::1]:8080', '127.0.0.1:8080', '127.9.9.9'];
  for (const base of ['http://localhost:8080', 'http://[::1]:8080', 'http://127.0.0.1:8080'])
    for (const host of local) assert.equal(verdict('127.0.0.1', { base, host }), 'taken', `${host} at ${base}`);
  const foreign = ['elsewhere.example', '127.0.0.1.example', '128.0.0.1', '[::2]', 'localhost.example'];
  for (const host of foreign)
    assert.equal(verdict('127.0.0.1', { base: 'http://localhost:8080', host }), '421 request.foreign_host', host);
  for (const host of [...foreign, ...local])
    assert.equal(verdict('127.0.0.1', { host }), '421 request.foreign_host', host);
});
