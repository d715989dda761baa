import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { crc32Combine, crc32Hex } from './crc32.ts';

test('a length that is no number of bytes is refused', () => {
  for (const length of [-1, 1.5, Number.NaN, 2 ** 53]) assert.throws(() => crc32Combine(1, 2, length), RangeError);
});

test('the parts give the same value as the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      assert.equal(crc32Combine(crc32(a), crc32(b), b.length), crc32(b, crc32(a)));
    }),
  );
});

test('grouping parts differently gives the same value, also beyond 4 GiB', () => {
  const crc = fc.nat(0xffffffff);
  const length = fc.nat(2 ** 44);
  fc.assert(
    fc.property(fc.tuple(crc, crc, crc), length, length, ([a, b, c], lengthB, lengthC) => {
      const left = crc32Combine(crc32Combine(a, b, lengthB), c, lengthC);
      const right = crc32Combine(a, crc32Combine(b, c, lengthC), lengthB + lengthC);
      assert.equal(left, right);
    }),
  );
});

test('five gibibytes of zeros, built by doubling, match the known steps', () => {
  const mebibyte = crc32(Buffer.alloc(1024 * 1024));
  let doubled = mebibyte;
  let length = 1024 * 1024;
  while (length < 4 * 1024 ** 3) {
    doubled = crc32Combine(doubled, doubled, length);
    length *= 2;
  }
  let stepped = mebibyte;
  for (let count = 1; count < 4096; count += 1) stepped = crc32Combine(stepped, mebibyte, 1024 * 1024);
  assert.equal(doubled, stepped);
});

test('the hexadecimal form always has eight lower-case digits', () => {
  assert.equal(crc32Hex(0), '00000000');
  assert.equal(crc32Hex(0xabc), '00000abc');
  assert.equal(crc32Hex(0xdeadbeef), 'deadbeef');
  assert.equal(crc32Hex(-1), 'ffffffff');
});
