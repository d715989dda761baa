import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BlobMissing, StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { asStoreError, wordsOf } from './s3-client.ts';
import { partBytes } from './s3-writer.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more });

describe('an error of an object store', () => {
  test('is a missing blob, a full store or an unreachable one', () => {
    for (const name of ['NoSuchKey', 'NotFound']) assert.ok(asStoreError(named(name), 'k') instanceof BlobMissing);
    for (const name of ['QuotaExceeded', 'InsufficientStorage', 'EntityTooLarge', 'XMinioStorageFull'])
      assert.ok(asStoreError(named(name), 'k') instanceof StoreFull);
    const withStatus = (httpStatusCode: number) => asStoreError(named('Odd', { $metadata: { httpStatusCode } }), 'k');
    assert.ok(withStatus(507) instanceof StoreFull);
    assert.ok(withStatus(503) instanceof StoreUnavailable);
    assert.ok(asStoreError(named('Error', { code: 'ECONNRESET' }), 'k') instanceof StoreUnavailable);
  });

  test('of our own kinds stays unchanged', () => {
    for (const error of [new BlobMissing('k'), new StoreFull('full'), new StoreUnavailable('unreachable')])
      assert.equal(asStoreError(error, 'other'), error);
  });

  test('is reported by name and message, once if they are equal', () => {
    assert.equal(wordsOf(named('Odd', { message: 'as it is' })), 'Odd: as it is');
    assert.equal(wordsOf(named('Odd', { message: 'Odd' })), 'Odd');
    assert.equal(wordsOf(named('Odd', { message: '' })), 'Odd');
    assert.equal(wordsOf({ name: 'Odd' }), 'Odd');
    assert.equal(wordsOf(named('Error', { code: 'ECONNRESET' })), 'ECONNRESET: x');
    assert.equal(wordsOf({}), 'an unknown error');
  });
});

test('parts of an object grow by 8 MiB with every thousand of them', () => {
  const mebibytes = (part: number) => partBytes(part) / 1024 / 1024;
  assert.deepEqual([1, 1000, 1001, 2000, 2001, 10_000].map(mebibytes), [8, 8, 16, 16, 24, 80]);
});
