import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedClock, manualClock, steadyClock, systemClock } from './clock.ts';

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

test('the system clock returns whole milliseconds', () => {
  const clock = systemClock();
  for (let look = 0; look < 100; look++) {
    assert.ok(Number.isInteger(clock.now()));
    assert.ok(Number.isInteger(clock.monotonic()));
  }
});

test('a checked clock follows another one, and the monotonic clock between two comparisons', () => {
  const base = manualClock(1_000_000);
  const clock = checkedClock(base, 100);
  assert.equal(clock.aheadMs(), 0);
  clock.compare(1_000_050);
  assert.deepEqual([clock.now(), clock.aheadMs()], [1_000_000, -50]);
  base.set(9_000_000);
  assert.equal(clock.now(), 1_000_150);
  base.advance(10);
  assert.deepEqual([clock.now(), clock.aheadMs()], [1_000_160, 7_999_950]);
  base.set(5);
  assert.equal(clock.now(), 999_960);
  clock.compare(5);
  assert.deepEqual([clock.now(), clock.aheadMs()], [5, 0]);
});
