import assert from 'node:assert/strict';
import { it } from 'node:test';
import { storedSegmentBytes, tagBytes } from './format.ts';
import { batchBytes, countTransfers, pieceBytes } from './transfers.ts';

it('batches shrink with more transfers, and 500 of them stay within bounds', () => {
  const mebibyte = 1024 * 1024;
  for (let active = 0; active <= 2000; active += 1) {
    assert.ok(batchBytes(active + 1) <= batchBytes(active));
    assert.ok(batchBytes(active) >= storedSegmentBytes + tagBytes);
    assert.ok(pieceBytes(active) <= batchBytes(active));
  }
  assert.equal(batchBytes(1), 2 * mebibyte);
  assert.ok(500 * 2 * batchBytes(500) <= 80 * mebibyte);
});

it('a transfer is counted once until it ends', () => {
  const transfers = countTransfers();
  const over = transfers.begin();
  transfers.begin();
  assert.equal(transfers.active, 2);
  over();
  over();
  assert.equal(transfers.active, 1);
});
