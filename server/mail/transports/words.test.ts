import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine } from './words.ts';

test('what a mail server said is kept up to 200 characters; of more it shows that something is missing', () => {
  assert.equal(oneLine('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(oneLine('x'.repeat(201)), `${'x'.repeat(199)}…`);
});

test('it is one line of what can be seen', () => {
  assert.equal(oneLine(' 550 5.1.1\r\n\tno such\u0000 user\u202e\u200b \n'), '550 5.1.1 no such user');
  assert.equal(oneLine(`${'x'.repeat(198)}😀😀`), `${'x'.repeat(198)}…`);
});
