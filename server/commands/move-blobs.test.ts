import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './move-blobs.ts';

test('bytes are held back until the rate permits them, also those of many small pieces; without a rate nothing waits', async () => {
  const pace = createPace(100_000);
  for (const pieces of [1, 10]) {
    const begunAt = performance.now();
    for (let count = 0; count < pieces; count++) await pace(5000 / pieces);
    const tookMs = performance.now() - begunAt;
    // A timer may fire a millisecond early, once for each piece at most.
    assert.ok(tookMs > 50 - 1 - pieces, `5000 bytes took ${tookMs} ms`);
  }
  assert.equal(createPace(Number.POSITIVE_INFINITY)(1_000_000_000), undefined);
});

test('time in which nothing went by is not made up for', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const waits: number[] = [];
  const pace = createPace(100_000, async (ms) => void waits.push(ms));
  await pace(1000);
  now = 4;
  await pace(1000);
  now = 60_000;
  await pace(3000);
  assert.deepEqual(waits, [10, 16, 30]);
});
