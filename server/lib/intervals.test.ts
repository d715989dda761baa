import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveredBy, formatIntervals, type Interval, joinInterval, maxIntervals, parseIntervals } from './intervals.ts';

const joined = (...intervals: [number, number][]) =>
  formatIntervals(intervals.reduce<Interval[]>((set, [start, end]) => joinInterval(set, { start, end }), []));

test('intervals that overlap or touch become one, in any order', () => {
  assert.equal(joined([0, 10], [10, 20]), '0-20');
  assert.equal(joined([10, 20], [0, 10]), '0-20');
  assert.equal(joined([0, 10], [0, 10]), '0-10');
  assert.equal(joined([0, 10], [20, 30], [5, 25]), '0-30');
  assert.equal(joined([20, 30], [0, 10]), '0-10,20-30');
  assert.equal(joined([0, 100], [20, 30]), '0-100');
  assert.equal(joined([5, 5]), '');
});

test('a set counts the numbers of an interval', () => {
  const set = parseIntervals('0-10,20-30');
  assert.equal(coveredBy(set, { start: 0, end: 30 }), 20);
  assert.equal(coveredBy(set, { start: 5, end: 25 }), 10);
  assert.equal(coveredBy(set, { start: 10, end: 20 }), 0);
  assert.equal(coveredBy([], { start: 0, end: 5 }), 0);
});

test('a set is written and read back as it is', () => {
  for (const text of ['', '0-1', '0-10,20-30,40-9007199254740991'])
    assert.equal(formatIntervals(parseIntervals(text)), text);
});

test('a set never has more intervals than the limit, and never more numbers than were put into it', () => {
  let set: Interval[] = [];
  for (let count = 0; count < maxIntervals + 50; count++)
    set = joinInterval(set, { start: count * 10, end: count * 10 + 2 });
  assert.equal(maxIntervals, 1000);
  assert.equal(set.length, maxIntervals);
  assert.equal(coveredBy(set, { start: 0, end: Number.MAX_SAFE_INTEGER }), maxIntervals * 2);
});

test('a random set agrees with a list of numbers', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 200; round++) {
    const numbers = new Set<number>();
    let set: Interval[] = [];
    for (let step = 0; step < 12; step++) {
      const start = random(60);
      const end = start + random(12);
      set = joinInterval(set, { start, end });
      for (let number = start; number < end; number++) numbers.add(number);
    }
    const within = { start: random(40), end: 40 + random(40) };
    const expected = [...numbers].filter((number) => number >= within.start && number < within.end).length;
    assert.equal(coveredBy(set, within), expected);
    for (const [index, interval] of set.entries())
      if (index > 0) assert.ok(set[index - 1]!.end < interval.start, 'sorted, with gaps between');
  }
});
