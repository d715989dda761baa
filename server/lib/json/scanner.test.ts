// What the scanner refuses on its own, at the first wrong byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonScanner } from './scanner.ts';

const read = (text: string, maxDepth = 32) => createJsonScanner(() => false, maxDepth).read(Buffer.from(text));

test('a text that goes too deep is refused before it ends', () => {
  assert.equal(read('[{"a":', 2), 6);
  for (const text of ['[[[', '[{"a":[', '{"a":{"b":{'])
    assert.throws(() => read(text, 2), { name: 'RangeError', message: 'The JSON is nested more than 2 levels deep.' });
});

test('an end without a beginning, a letter outside of strings and a broken key are refused immediately', () => {
  const notJson = { name: 'RangeError', message: 'The body is not valid JSON.' };
  for (const text of [']', '}', '[]]', '{}}', '    @', '[1, ü', '{"\\x":1', '{"a\u0007b":1'])
    assert.throws(() => read(text), notJson, text);
});

test('a byte order mark at the beginning is no such letter', () => {
  assert.equal(read('\ufeff[1]'), 6);
  assert.throws(() => read(' \ufeff[1]'), RangeError);
});
