import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RangeAnswer, resolveRange } from './ranges.ts';

const etag = '"abc"';
const settle = (range: string | undefined, sizeBytes = 1000, ifRange?: string): RangeAnswer =>
  resolveRange({ range, ifRange, etag, sizeBytes });
const whole = { kind: 'whole' };
const unsatisfiable = { kind: 'unsatisfiable' };
const part = (start: number, end: number) => ({ kind: 'part', range: { start, end } });

test('no range, several ranges, other units and malformed ones are the whole file', () => {
  for (const range of [
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-2,3-4',
    'bytes=0-0,',
    'items=0-1',
    'bytes 0-1',
    'bytes=5-4',
    'bytes=+1-2',
    'bytes=1.0-2',
    'bytes=0x1-2',
    'bytes=١-٢',
    `bytes=${'9'.repeat(30)}-`,
  ])
    assert.deepEqual(settle(range), whole, String(range));
});

test('a range that begins behind the end, or is empty, cannot be satisfied', () => {
  for (const range of ['bytes=1000-', 'bytes=1000-1000', 'bytes=9999999999999999-', 'bytes=-0'])
    assert.deepEqual(settle(range), unsatisfiable, range);
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-5']) assert.deepEqual(settle(range, 0), unsatisfiable, range);
});

test('a range is cut to the file', () => {
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=0-999', 0, 1000],
    ['bytes=0-5000', 0, 1000],
    ['bytes=999-', 999, 1000],
    ['bytes=-1', 999, 1000],
    ['bytes=-1000', 0, 1000],
    ['bytes=-99999', 0, 1000],
    ['bytes= 5-9 ', 5, 10],
  ] as const)
    assert.deepEqual(settle(range), part(start, end), range);
});

test('a client with a copy of another version gets the whole file', () => {
  assert.deepEqual(settle('bytes=5-9', 1000, etag), part(5, 10));
  for (const ifRange of ['"abd"', 'W/"abc"', 'abc', '', 'Mon, 16 Nov 2026 09:00:00 GMT'])
    assert.deepEqual(settle('bytes=5-9', 1000, ifRange), whole, ifRange);
});

test('for any header, a partial answer lies within the file and is not empty', () => {
  const number = fc.oneof(fc.nat(2000), fc.bigInt(0n, 10n ** 17n), fc.constant(''));
  fc.assert(
    fc.property(number, number, fc.nat(1500), (first, last, size) => {
      const answer = settle(`bytes=${first}-${last}`, size);
      if (answer.kind !== 'part') return;
      const { start, end } = answer.range;
      assert.ok(start >= 0 && start < end && end <= size);
    }),
  );
});
