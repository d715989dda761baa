import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '../actions/context.ts';
import { applySafetyLimit, HeldBack, startWatchingClock, watchClock } from './safety-limit.ts';

const isHeld = (work: () => void): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    assert.ok(error instanceof HeldBack);
    return true;
  }
};

test('a run erases up to fifty, up to a tenth and up to a thousand, and is held back above that', () => {
  const held = (due: number, all: number, isConfirmed = false) =>
    isHeld(() => applySafetyLimit({ isConfirmed }, 'files', due, all));
  assert.deepEqual([held(50, 50), held(51, 51)], [false, true]);
  assert.deepEqual([held(51, 510), held(51, 509)], [false, true]);
  assert.deepEqual([held(1000, 1_000_000), held(1001, 1_000_000)], [false, true]);
  assert.equal(held(1_000_000, 1_000_000, true), false, 'an operator has confirmed');
  assert.throws(
    () => applySafetyLimit({ isConfirmed: false }, 'files', 60, 70),
    /60 of 70 files would be erased in one run/,
  );
});

test('a clock change of more than an hour since the last run of a job holds it back once', () => {
  let [wall, uptime] = [0, 0];
  const ctx = { clock: { now: () => wall, uptime: () => uptime } } as unknown as Ctx;
  startWatchingClock(ctx);
  const held = (job: string, isConfirmed = false) => isHeld(() => watchClock(ctx, job, { isConfirmed }));
  const pass = (wallMs: number, uptimeMs: number) => {
    wall += wallMs;
    uptime += uptimeMs;
  };
  pass(86_400_000, 86_400_000);
  assert.equal(held('a'), false, 'time has passed');
  pass(3_600_000, 0);
  assert.equal(held('a'), false, 'by an hour');
  pass(3_600_001, 0);
  assert.throws(() => watchClock(ctx, 'a', { isConfirmed: false }), /the clock was set by 60 minutes/);
  assert.equal(held('a'), false, 'it has run since');
  pass(-3_600_001, 0);
  assert.equal(held('a'), true, 'back');
  pass(7_200_000, 0);
  assert.equal(held('a', true), false, 'an operator has confirmed');
  assert.equal(held('b'), true, 'each job separately');
});
