import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getTypeParser } from './postgres.ts';
import { checkParameters, exactNumber } from './values.ts';

describe('values of both databases', () => {
  test('a number is returned if it is exact, and an integer that is too large is an error', () => {
    for (const [text, value] of [
      ['0', 0],
      ['-7', -7],
      ['1.5', 1.5],
      ['9007199254740991', 9_007_199_254_740_991],
    ] as const)
      assert.equal(exactNumber(text), value);
    for (const text of ['9007199254740992', '-9007199254740992', '100000000000000000000'])
      assert.throws(() => exactNumber(text), RangeError);
  });

  test('counts and sums of PostgreSQL are such numbers; everything else is read as its driver does', () => {
    const read = (oid: number, text: string) => (getTypeParser(oid) as (text: string) => unknown)(text);
    assert.deepEqual([read(20, '42'), read(1700, '1.50'), read(25, '42'), read(23, '42')], [42, 1.5, '42', 42]);
    assert.throws(() => read(20, '9007199254740992'), RangeError);
    assert.notEqual(getTypeParser(20, 'binary'), exactNumber);
    assert.equal(getTypeParser(20, 'text'), exactNumber);
  });

  test('a parameter that the drivers would guess about is refused by its place, never with its value', () => {
    checkParameters(['text', 1, 1n, null, Buffer.from('x')]);
    for (const [value, sentence] of [
      [undefined, 'SQL parameter 2 is of type undefined'],
      [new Date(0), 'SQL parameter 2 is of type Date'],
      [true, 'SQL parameter 2 is of type boolean'],
      [Number.NaN, 'SQL parameter 2 is not finite'],
      [Number.POSITIVE_INFINITY, 'SQL parameter 2 is not finite'],
    ] as const)
      assert.throws(() => checkParameters(['first', value]), { name: 'TypeError', message: sentence });
  });
});
