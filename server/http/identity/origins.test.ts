import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { parseTrusted } from '../../lib/client-address.ts';
import { manualClock } from '../../lib/clock.ts';
import type { HttpDeps } from '../deps.ts';
import { createLimits } from '../transport/limits.ts';
import { createMeters } from '../transport/meters.ts';
import { addressOf } from './origins.ts';

function proxied(trust: string) {
  const warnings: { peer: string }[] = [];
  const clock = manualClock(0);
  const log = { warn: (facts: { peer: string }) => void warnings.push(facts) };
  const limits = createLimits({ apiRatePerMinute: 0, meters: createMeters() });
  const deps = { ctx: { clock, log }, limits, trustProxy: parseTrusted(trust) } as unknown as HttpDeps;
  const call = (peer: string, forwardedFor?: string) =>
    addressOf(deps, {
      socket: { remoteAddress: peer },
      headers: { 'x-forwarded-for': forwardedFor },
    } as never as IncomingMessage);
  return { warnings, clock, call };
}

test('X-Forwarded-For of a peer that is not trusted is ignored, and the operator is warned once an hour', () => {
  const { warnings, clock, call } = proxied('none');
  for (let count = 0; count < 5; count++) assert.equal(call('10.0.0.7', '198.51.100.1'), '10.0.0.7');
  assert.deepEqual(warnings, [{ peer: '10.0.0.7' }]);
  clock.advance(3_600_000);
  call('10.0.0.8', '198.51.100.1');
  assert.deepEqual(warnings, [{ peer: '10.0.0.7' }, { peer: '10.0.0.8' }]);
});

test('a trusted proxy, and a visitor without the header, cause no warning', () => {
  const { warnings, call } = proxied('10.0.0.0/8');
  assert.equal(call('10.0.0.7', '198.51.100.1'), '198.51.100.1');
  assert.equal(call('203.0.113.9'), '203.0.113.9');
  assert.deepEqual(warnings, []);
});
