import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './move-blobs.ts';

test('bytes wait until the rate permits them, also in many small chunks; without a rate nothing waits', async () => {
  const pace = createPace(100_000);
  for (const chunks of [1, 10]) {
    const begunAt = performance.now();
    for (let count = 0; count < chunks; count++) await pace(5000 / chunks);
    const tookMs = performance.now() - begunAt;
    // A timer may fire a millisecond early, at most once per chunk.
    assert.ok(tookMs > 50 - 1 - chunks, `5000 bytes took ${tookMs} ms`);
  }
  assert.equal(createPace(Number.POSITIVE_INFINITY)(1_000_000_000), undefined);
});

test('idle time does not raise the rate afterwards', async (t) => {
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
