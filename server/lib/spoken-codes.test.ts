import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOfBytes, spokenCode, typedCode } from './spoken-codes.ts';

test('a code has eight characters, none of which looks like another, and is read in two groups of four', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const seen = new Set<string>();
  for (let at = 0; at < 256; at += 8) {
    const code = codeOfBytes(bytes.subarray(at));
    assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/);
    assert.equal(spokenCode(code), `${code.slice(0, 4)}-${code.slice(4)}`);
    for (const character of code) seen.add(character);
  }
  assert.equal(seen.size, 32);
});

test('it may be typed in small letters, with spaces and dashes', () => {
  const code = codeOfBytes(Buffer.from('anything'));
  for (const typed of [code, spokenCode(code), ` ${spokenCode(code).toLowerCase()} `, [...code].join(' ')])
    assert.equal(typedCode(typed), code, typed);
});
