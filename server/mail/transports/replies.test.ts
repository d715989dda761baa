import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine } from './replies.ts';

test('a reply is kept up to 200 characters, and a longer one is marked as cut', () => {
  assert.equal(oneLine('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(oneLine('x'.repeat(201)), `${'x'.repeat(199)}…`);
});

test('a reply becomes one line of visible characters', () => {
  assert.equal(oneLine(' 550 5.1.1\r\n\tno such\u0000 user\u202e\u200b \n'), '550 5.1.1 no such user');
  assert.equal(oneLine(`${'x'.repeat(198)}😀😀`), `${'x'.repeat(198)}…`);
});
