// The sum by which a client knows that what it sent has arrived.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from './crc32.ts';

const bytes = Buffer.from('123456789');

test('is CRC-32 as everybody computes it', () => {
  assert.equal(crc32(bytes), 0xcbf43926);
  assert.equal(crc32(new Uint8Array(0)), 0);
});

test('goes on where it stopped', () => {
  assert.equal(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4))), crc32(bytes));
});
