import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestIds } from './request-ids.ts';

test('requests have names of 16 URL-safe characters, and no two are the same', () => {
  const next = createRequestIds();
  const ids = Array.from({ length: 2000 }, next);
  assert.ok(ids.every((id) => /^[\w-]{16}$/.test(id)));
  assert.equal(new Set(ids).size, ids.length);
});
