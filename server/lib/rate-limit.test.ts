import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBucket, createCounter, createInFlight, networkOf } from './rate-limit.ts';

test('a bucket refuses when it is empty and says when to retry', () => {
  const bucket = createBucket({ perMinute: 60, burst: 2 });
  assert.deepEqual(bucket.take('a', 0), { ok: true });
  assert.deepEqual(bucket.take('a', 0), { ok: true });
  assert.deepEqual(bucket.take('a', 0), { ok: false, retryAfterSeconds: 1 });
  assert.deepEqual(bucket.take('b', 0), { ok: true }, 'other keys are not touched');
  assert.deepEqual(bucket.take('a', 999), { ok: false, retryAfterSeconds: 1 });
  assert.deepEqual(bucket.take('a', 1000), { ok: true });
});

test('a slow bucket names the whole wait, and coming back then works', () => {
  const bucket = createBucket({ perMinute: 3, burst: 1 });
  bucket.take('a', 0);
  assert.deepEqual(bucket.take('a', 0), { ok: false, retryAfterSeconds: 20 });
  assert.deepEqual(bucket.take('a', 20_000), { ok: true });
});

test('a clock that goes back gives nothing away, and stops no refill', () => {
  const bucket = createBucket({ perMinute: 60, burst: 1 });
  bucket.take('a', 10_000);
  assert.equal(bucket.take('a', 0).ok, false);
  assert.equal(bucket.take('a', 500).ok, false);
  assert.equal(bucket.take('a', 1000).ok, true);
});

test('a bucket never gives more than burst plus refill', () => {
  const steps = fc.array(fc.nat(5_000), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 20 }), (waits, perMinute, burst) => {
      const bucket = createBucket({ perMinute, burst });
      let now = 0;
      let taken = 0;
      for (const wait of waits) {
        now += wait;
        if (bucket.take('a', now).ok) taken += 1;
      }
      assert.ok(taken <= burst + (now / 60_000) * perMinute + 1e-6);
    }),
  );
});

test('a flood of keys does not grow the map, and the busiest key stays limited', () => {
  const bucket = createBucket({ perMinute: 1, burst: 1, maxKeys: 10 });
  bucket.take('busy', 0);
  for (let stranger = 0; stranger < 1000; stranger += 1) {
    bucket.take(`stranger-${stranger}`, 0);
    assert.equal(bucket.take('busy', 0).ok, false);
  }
  // An early client was evicted.
  assert.equal(bucket.take('stranger-0', 0).ok, true);
});

test('a repeated key evicts no other key', () => {
  const bucket = createBucket({ perMinute: 1, burst: 1, maxKeys: 2 });
  bucket.take('a', 0);
  bucket.take('b', 0);
  for (let round = 0; round < 10; round += 1) bucket.take('a', 0);
  assert.equal(bucket.take('b', 0).ok, false);
});

test('the configured number of keys is stored, and the next one evicts the oldest', () => {
  const taken = (keys: string) => {
    const bucket = createBucket({ perMinute: 1, burst: 1, maxKeys: 2 });
    return [...keys].map((key) => bucket.take(key, 0).ok);
  };
  assert.deepEqual(taken('aba'), [true, true, false]);
  assert.deepEqual(taken('abca'), [true, true, true, true]);
});

test('very long keys are distinguished', () => {
  const bucket = createBucket({ perMinute: 1, burst: 1 });
  assert.equal(bucket.take(`${'x'.repeat(10_000)}a`, 0).ok, true);
  assert.equal(bucket.take(`${'x'.repeat(10_000)}b`, 0).ok, true);
  assert.equal(bucket.take(`${'x'.repeat(10_000)}a`, 0).ok, false);
});

test('a counter refuses beyond its limit until the window has moved on', () => {
  const counter = createCounter({ limit: 2, windowMs: 10_000 });
  assert.deepEqual([counter.hit('b', 0).ok, counter.hit('b', 0).ok, counter.hit('b', 0).ok], [true, true, false]);
  assert.equal(counter.hit('a', 0).ok, true);
  assert.equal(counter.hit('a', 4_000).ok, true);
  assert.deepEqual(counter.hit('a', 5_000), { ok: false, retryAfterSeconds: 5 });
  assert.equal(counter.hit('a', 10_000).ok, true);
  assert.equal(counter.hit('a', 10_000).ok, false);
});

test('checking counts nothing, forgetting frees the key', () => {
  const counter = createCounter({ limit: 1, windowMs: 1_000 });
  assert.equal(counter.check('a', 0).ok, true);
  assert.equal(counter.check('a', 0).ok, true);
  assert.equal(counter.hit('a', 0).ok, true);
  assert.equal(counter.check('a', 0).ok, false);
  counter.forget('a');
  assert.equal(counter.hit('a', 0).ok, true);
});

test('a counter with a block keeps the key closed for all of it', () => {
  const counter = createCounter({ limit: 1, windowMs: 60_000, blockMs: 300_000 });
  counter.hit('a', 0);
  assert.deepEqual(counter.hit('a', 1_000), { ok: false, retryAfterSeconds: 300 });
  assert.deepEqual(counter.check('a', 299_000), { ok: false, retryAfterSeconds: 2 });
  assert.equal(counter.hit('a', 301_000).ok, true);
});

test('a clock that goes back ends the blocks of the time that was not', () => {
  const counter = createCounter({ limit: 1, windowMs: 1000, blockMs: 5000 });
  counter.hit('a', 100_000);
  assert.equal(counter.hit('a', 100_000).ok, false);
  assert.equal(counter.hit('a', 0).ok, true);
  assert.equal(counter.hit('a', 0).ok, false);
});

test('no window of a counter ever holds more than its limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 100 }), fc.integer({ min: 1, max: 5 }), (waits, limit) => {
      const counter = createCounter({ limit, windowMs: 1_000 });
      const accepted: number[] = [];
      let now = 0;
      for (const wait of waits) {
        now += wait;
        if (counter.hit('a', now).ok) accepted.push(now);
      }
      for (const start of accepted) {
        assert.ok(accepted.filter((at) => at >= start && at < start + 1_000).length <= limit);
      }
    }),
  );
});

test('the number in flight is limited, and leaving twice frees one place', () => {
  const inFlight = createInFlight(2);
  const leave = inFlight.enter('a');
  assert.ok(leave);
  assert.ok(inFlight.enter('a'));
  assert.equal(inFlight.enter('a'), null);
  assert.ok(inFlight.enter('b'));
  leave();
  leave();
  assert.equal(inFlight.count('a'), 1);
  assert.ok(inFlight.enter('a'));
  assert.equal(inFlight.enter('a'), null);
});

test('clients are counted by network, and what is no address shares one key', () => {
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('2001:db8:1:2:3::4'), networkOf('2001:db8:1:2:ffff::'));
  assert.equal(networkOf('nonsense'), networkOf(''));
});
