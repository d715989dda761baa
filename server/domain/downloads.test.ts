import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostServedBytes, ticketLifetimeMs } from './downloads.ts';

test('one ticket serves at most twice the file, within a day', () => {
  for (const size of [0, 1, 1000, 5 * 1024 ** 4]) assert.equal(mostServedBytes(size), 2 * size);
  assert.equal(ticketLifetimeMs, 86_400_000);
});
