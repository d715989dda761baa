import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { parseTrusted } from '../../lib/client-address.ts';
import { createRequestIds, forwardedId } from './request-ids.ts';

test('request ids have 16 URL-safe characters and are unique', () => {
  const next = createRequestIds();
  const ids = Array.from({ length: 2000 }, next);
  assert.ok(ids.every((id) => /^[\w-]{16}$/.test(id)));
  assert.equal(new Set(ids).size, ids.length);
});

test('the id from a proxy is used if the proxy is trusted and the id is well-formed', () => {
  const named = (id: string | undefined, from = '127.0.0.1') =>
    forwardedId(parseTrusted('loopback'), {
      headers: { 'x-request-id': id },
      socket: { remoteAddress: from },
    } as unknown as IncomingMessage);
  assert.equal(named('6f1c9a0e4b2d4c0f8a57d3b1e2f90c11'), '6f1c9a0e4b2d4c0f8a57d3b1e2f90c11');
  assert.equal(named('6f1c9a0e-4b2d-4c0f-8a57-d3b1e2f90c11'), '6f1c9a0e-4b2d-4c0f-8a57-d3b1e2f90c11');
  assert.equal(named('6f1c9a0e4b2d4c0f', '192.0.2.7'), null, 'strangers name nothing');
  for (const bad of [undefined, '', 'short', 'a line\nbreak in it', '<script>alert(1)</script>', 'x'.repeat(129)])
    assert.equal(named(bad), null, String(bad));
});
