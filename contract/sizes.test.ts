import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { humanSize } from './sizes.ts';

const KB = 1024;
const MB = KB * KB;
const GB = MB * KB;

test('what is not a size is refused', () => {
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => humanSize(wrong), RangeError);
});

test('sizes are shown in the unit people expect', () => {
  const table: [number, string][] = [
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1023.7, '1 KB'],
    [KB, '1 KB'],
    [310 * KB, '310 KB'],
    [1023.4 * KB, '1023 KB'],
    [MB - 1, '1.0 MB'],
    [MB, '1.0 MB'],
    [50_543_821, '48.2 MB'],
    [GB - 1, '1.0 GB'],
    [1_288_490_189, '1.2 GB'],
    [5 * GB * KB, '5.0 TB'],
    [3 * GB * MB, '3.0 PB'],
    [Number.MAX_SAFE_INTEGER, '8.0 PB'],
    [2048 * GB * MB, '2048.0 PB'],
  ];
  for (const [bytes, shown] of table) assert.equal(humanSize(bytes), shown);
});

test('rounding never shows 1024 of a unit, and the text stays near the number', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      const [digits = '', unit = ''] = humanSize(bytes).split(' ');
      assert.ok(Number(digits) < 1024);
      const exponent = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'].indexOf(unit);
      const step = 1024 ** exponent * (exponent < 2 ? 1 : 0.1);
      assert.ok(Math.abs(Number(digits) * 1024 ** exponent - bytes) <= step * 0.51);
    }),
  );
});
