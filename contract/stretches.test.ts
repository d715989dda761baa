import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutStretches, type Stretch } from './stretches.ts';

/** Ten bytes, an empty file, five bytes. */
const stretches: Stretch[] = [
  { file: 0, sizeBytes: 10 },
  { file: 1, sizeBytes: 0 },
  { file: 2, sizeBytes: 5 },
];
const cut = (start: number, end: number) =>
  [...cutStretches(stretches, { start, end })].map(
    (one) => `${stretches.indexOf(one.stretch)}: ${one.start}-${one.end}`,
  );

test('a range is cut at the borders of stretches; empty ones inside it and at its borders come too', () => {
  assert.deepEqual(cut(0, 15), ['0: 0-10', '1: 0-0', '2: 0-5']);
  assert.deepEqual(cut(3, 12), ['0: 3-10', '1: 0-0', '2: 0-2']);
  assert.deepEqual(cut(0, 10), ['0: 0-10', '1: 0-0']);
  assert.deepEqual(cut(10, 15), ['1: 0-0', '2: 0-5']);
  assert.deepEqual(cut(2, 5), ['0: 2-5']);
  assert.deepEqual(cut(11, 15), ['2: 1-5']);
});
