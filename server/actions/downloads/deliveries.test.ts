import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stretch } from '#contract/stretches.ts';
import { type Delivery, filesIn } from './deliveries.ts';

const header = (length: number): Stretch => ({ bytes: Buffer.alloc(length) });
/** Ten bytes of header before each file: `a` is 10 to 30, `empty` is at 40, `b` is 50 to 55; then the directory. */
const stretches: Stretch[] = [
  header(10),
  { file: 0, sizeBytes: 20 },
  header(10),
  { file: 1, sizeBytes: 0 },
  header(10),
  { file: 2, sizeBytes: 5 },
  header(30),
];
const touched = (start: number, end: number) =>
  filesIn({ stretches } as Delivery, { start, end }).map(({ index, bytes }) => [index, bytes]);

test('the whole body touches every file, the empty one too', () => {
  assert.deepEqual(touched(0, 85), [
    [0, 20],
    [1, 0],
    [2, 5],
  ]);
});

test('a range touches a file from its first byte to its last, and not at its borders', () => {
  assert.deepEqual(touched(0, 10), []);
  assert.deepEqual(touched(0, 11), [[0, 1]]);
  assert.deepEqual(touched(12, 20), [[0, 8]]);
  assert.deepEqual(touched(29, 35), [[0, 1]]);
  assert.deepEqual(touched(30, 35), []);
  assert.deepEqual(touched(55, 85), []);
});

test('an empty file is touched only by a range that reaches its place', () => {
  assert.deepEqual(touched(30, 39), []);
  assert.deepEqual(touched(30, 40), [[1, 0]]);
  assert.deepEqual(touched(40, 45), [[1, 0]]);
  assert.deepEqual(touched(41, 50), []);
});

test('a touched file has its place in the body', () => {
  const [first, second] = filesIn({ stretches } as Delivery, { start: 15, end: 45 });
  assert.deepEqual(
    [first!.place, second!.place],
    [
      { start: 10, end: 30 },
      { start: 40, end: 40 },
    ],
  );
});
