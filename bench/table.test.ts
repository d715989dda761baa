import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitRow, median, missingRow, printTable, ratioRow, timeRow, verdictOf } from './table.ts';

describe('the table of the benchmark', () => {
  const ratio = (ours: number[], values: number[]) =>
    ratioRow({ work: 'work', unit: 'GB/s' }, ours, { name: 'other', values }, { must: 0.9, aim: 1.3 });
  const limit = (value: number) => limitRow('work', 'MB', value, { must: 200e6, aim: 100e6 });

  test('the median of an even number of values lies between the two in the middle', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });

  test('rounds are compared one by one before the median is taken', () => {
    // A slow round strikes both sides; the medians of each side alone would say 2.
    assert.equal(ratio([1, 10, 2], [1, 10, 1]).value, 1);
  });

  test('a ratio has to reach its bounds, a limit has to stay below them', () => {
    assert.equal(verdictOf(ratio([0.8], [1])), 'below');
    assert.equal(verdictOf(ratio([0.9], [1])), 'must');
    assert.equal(verdictOf(ratio([1.3], [1])), 'aim');
    assert.equal(verdictOf(limit(200e6)), 'below');
    assert.equal(verdictOf(limit(150e6)), 'must');
    assert.equal(verdictOf(limit(99e6)), 'aim');
  });

  test('a ratio of times has to stay below its bounds', () => {
    const row = (ms: number) =>
      timeRow({ work: 'work', unit: 's' }, [ms], { name: 'node', values: [100] }, { must: 1.5, aim: 1.2 });
    assert.deepEqual(
      [110, 130, 150].map((ms) => verdictOf(row(ms))),
      ['aim', 'must', 'below'],
    );
    assert.equal(row(110).must?.text, '< 1.5 ×');
  });

  test('an increase has a sign, a decrease one too', () => {
    const increase = (value: number) =>
      limitRow('work', '%', value, { must: 3, aim: 1, over: 'none' }).ours.slice(0, 1);
    assert.deepEqual([increase(2), increase(-2)], ['+', '-']);
  });

  test('without a must, only the aim is judged', () => {
    const row = (value: number) =>
      ratioRow({ work: 'work', unit: '/s' }, [value], { name: 'other', values: [1] }, { must: null, aim: 0.5 });
    assert.equal(verdictOf(row(0.5)), 'aim');
    assert.equal(verdictOf(row(0.4)), 'below');
  });

  test('without any bound, nothing is judged', () => {
    const row = ratioRow({ work: 'work', unit: '/s' }, [1], { name: 'other', values: [2] }, { must: null, aim: null });
    assert.equal(verdictOf(row), '–');
  });

  test('what could not be measured says why, and is not taken for good', () => {
    const row = missingRow('upload', 'there is no nginx');
    assert.equal(verdictOf(row), 'not measured');
    assert.match(printTable([row]), /not measured: upload: there is no nginx/);
  });

  test('every line of the table has the same columns', () => {
    const [titles, rule, ...lines] = printTable([ratio([2e9], [1e9]), limit(150e6)]).split('\n');
    assert.match(titles!, /^work +ours +reference +ratio +must +aim +verdict$/);
    assert.match(rule!, /^[- ]+$/);
    assert.match(lines[0]!, /^work +2\.00 GB\/s +1\.00 GB\/s other +2\.00 × +0\.9 × +1\.3 × +aim$/);
    assert.match(lines[1]!, /^work +150 MB +– +– +< 200 MB +< 100 MB +must$/);
  });
});
