import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseUnavailable } from './errors.ts';
import { createSharedFlush } from './flush.ts';

/** A sync whose calls end when the test says so. */
function handDrivenSync() {
  const calls: PromiseWithResolvers<void>[] = [];
  return {
    calls,
    sync() {
      const call = Promise.withResolvers<void>();
      calls.push(call);
      return call.promise;
    },
  };
}

/** Runs everything that needs no further event. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function watch(promise: Promise<void>) {
  const state = { isDone: false };
  promise.then(() => {
    state.isDone = true;
  });
  return state;
}

describe('shared flush', () => {
  test('after a failure every call rejects, and sync is not called again', async () => {
    const { calls, sync } = handDrivenSync();
    const flush = createSharedFlush(sync);
    const waiting = [flush.wait(), flush.wait(), flush.wait()];
    calls[0]!.reject(new Error('EIO'));
    for (const wait of waiting) await assert.rejects(wait, DatabaseUnavailable);
    await assert.rejects(flush.wait(), DatabaseUnavailable);
    assert.equal(calls.length, 1);
    assert.ok(flush.failure);
  });

  test('a failure found elsewhere counts also for the flush that is running', async () => {
    const { calls, sync } = handDrivenSync();
    const flush = createSharedFlush(sync);
    const waiting = flush.wait();
    flush.fail(new Error('the checkpoint could not sync'));
    calls[0]!.resolve();
    await assert.rejects(waiting, DatabaseUnavailable);
  });

  test('who comes while a flush runs waits for the one after it', async () => {
    const { calls, sync } = handDrivenSync();
    const flush = createSharedFlush(sync);
    const early = watch(flush.wait());
    const late = watch(flush.wait());
    assert.equal(calls.length, 1);

    calls[0]!.resolve();
    await settle();
    assert.deepEqual([early.isDone, late.isDone], [true, false]);
    assert.equal(calls.length, 2);

    const later = watch(flush.wait());
    calls[1]!.resolve();
    await settle();
    assert.deepEqual([late.isDone, later.isDone], [true, false]);

    calls[2]!.resolve();
    await settle();
    assert.equal(later.isDone, true);
  });

  test('any number of those who wait share one flush', async () => {
    const { calls, sync } = handDrivenSync();
    const flush = createSharedFlush(sync);
    const all = Array.from({ length: 100 }, () => flush.wait());
    calls[0]!.resolve();
    await settle();
    calls[1]!.resolve();
    await Promise.all(all);
    assert.equal(calls.length, 2);
  });

  test('with nothing to wait for, nothing is flushed', async () => {
    const { calls, sync } = handDrivenSync();
    const flush = createSharedFlush(sync);
    const first = flush.wait();
    calls[0]!.resolve();
    await first;
    await settle();
    assert.equal(calls.length, 1);
  });
});
