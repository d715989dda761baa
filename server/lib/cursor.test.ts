import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCursor, writeCursor } from './cursor.ts';

test('a cursor is read as it was written', () => {
  const values = [1_800_000_000_000, 'ann@example.com', 'ångström “x”'];
  const text = writeCursor(values);
  assert.match(text, /^[\w-]+$/);
  assert.deepEqual(readCursor(text, ['number', 'string', 'string']), values);
});

test('a cursor with other kinds of values, more or fewer of them, or none at all is refused', () => {
  const table: [text: string, kinds: ('string' | 'number')[]][] = [
    [writeCursor(['1']), ['number']],
    [writeCursor([1]), ['string']],
    [writeCursor([1.5]), ['number']],
    [writeCursor([2 ** 53]), ['number']],
    [writeCursor([1, 'a']), ['number']],
    [writeCursor([1]), ['number', 'string']],
    [Buffer.from('{"0":1}').toString('base64url'), ['number']],
    [Buffer.from('null').toString('base64url'), []],
    [Buffer.from('[1').toString('base64url'), ['number']],
    ['', ['number']],
    ['%%%', ['number']],
  ];
  for (const [text, kinds] of table) assert.equal(readCursor(text, kinds), null, `${text} as ${kinds.join(', ')}`);
});
