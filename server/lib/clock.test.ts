import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock, steadyClock, systemClock } from './clock.ts';

test('a steady clock starts no earlier than its high-water mark', () => {
  const base = manualClock(1_000);
  const clock = steadyClock(base, 5_000);
  assert.equal(clock.now(), 5_000);
  base.set(5_001);
  assert.equal(clock.now(), 5_001);
});

test('a steady clock does not follow its base back', () => {
  const base = manualClock(10_000);
  const clock = steadyClock(base, 0);
  assert.equal(clock.now(), 10_000);
  base.set(2_000);
  assert.equal(clock.now(), 10_000);
  base.advance(9_000);
  assert.equal(clock.now(), 11_000);
});

test('a steady clock can be raised, never lowered', () => {
  const clock = steadyClock(manualClock(1), 10);
  clock.raise(20);
  clock.raise(5);
  assert.equal(clock.now(), 20);
});

test('the system clock is the time of the machine', () => {
  const before = Date.now();
  const now = systemClock().now();
  assert.ok(before <= now && now <= Date.now());
});

test('the hands of the system clock show whole milliseconds', () => {
  const clock = systemClock();
  for (let look = 0; look < 100; look++) {
    assert.ok(Number.isInteger(clock.now()));
    assert.ok(Number.isInteger(clock.monotonic()));
  }
});
