import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planOf } from './plan.ts';

const mebibyte = 1024 * 1024;
const usual = {
  parallelFiles: 1,
  recommendedBytes: 8 * mebibyte,
  requestedBytes: null,
  requestedConcurrency: null,
  roundTripMs: 5,
};

describe('chunk sizes', () => {
  it('as the server recommends over a short line, and over one that is not known', () => {
    for (const roundTripMs of [0, 39, null])
      assert.deepEqual(planOf({ ...usual, roundTripMs, sizesBytes: [16 * mebibyte] }), {
        chunkBytes: 8 * mebibyte,
        maxConcurrency: 2,
        startAtMax: false,
        allowSingleRequest: roundTripMs !== null,
      });
  });

  it('smaller over a long line: enough for eight connections, never crumbs, never more than recommended', () => {
    const long = { ...usual, roundTripMs: 100 };
    const bytesOf = (sizeBytes: number) => planOf({ ...long, sizesBytes: [1, sizeBytes] }).chunkBytes;
    assert.equal(bytesOf(16 * mebibyte), mebibyte / 4);
    assert.equal(bytesOf(128 * mebibyte), 2 * mebibyte);
    assert.equal(bytesOf(10_240 * mebibyte), 2 * mebibyte);
    assert.deepEqual(planOf({ ...long, sizesBytes: [2048 * mebibyte] }), {
      chunkBytes: 2 * mebibyte,
      maxConcurrency: 8,
      startAtMax: true,
      allowSingleRequest: false,
    });
    assert.equal(planOf({ ...long, recommendedBytes: 1000, sizesBytes: [16 * mebibyte] }).chunkBytes, 1000);
  });

  it('as requested, with any round trip', () => {
    assert.equal(planOf({ ...usual, requestedBytes: 77, roundTripMs: 100, sizesBytes: [9999] }).chunkBytes, 77);
  });

  it('not more in parallel than memory permits, also for a file that needs large chunks', () => {
    const most = (sizeBytes: number, parallelFiles = 1) =>
      planOf({ ...usual, parallelFiles, sizesBytes: [sizeBytes] }).maxConcurrency;
    assert.equal(most(1024 * mebibyte), 2);
    assert.equal(most(1024 * mebibyte, 2), 1);
    assert.equal(most(100_000 * mebibyte), 1);
    assert.equal(most(10_000_000 * mebibyte), 1);
  });

  it('in smaller chunks when many parallel ones are requested, and in fewer when their size is requested as well', () => {
    const sizesBytes = [1024 * mebibyte];
    const many = planOf({ ...usual, sizesBytes, requestedConcurrency: 8 });
    assert.deepEqual([many.chunkBytes, many.maxConcurrency, many.allowSingleRequest], [2 * mebibyte, 8, false]);
    const one = planOf({ ...usual, sizesBytes, requestedConcurrency: 1 });
    assert.deepEqual([one.chunkBytes, one.maxConcurrency], [8 * mebibyte, 1]);
    const large = planOf({ ...usual, sizesBytes, requestedConcurrency: 8, requestedBytes: 8 * mebibyte });
    assert.deepEqual([large.chunkBytes, large.maxConcurrency], [8 * mebibyte, 2]);
  });
});
