import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generatePassword } from './generate-password.ts';

describe('a new password', () => {
  it('has four groups of unambiguous letters and digits', () => {
    for (let count = 0; count < 50; count++)
      assert.match(generatePassword(), /^([a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}$/);
  });

  it('is never the same and uses every character', () => {
    const passwords = Array.from({ length: 200 }, generatePassword);
    assert.equal(new Set(passwords).size, 200);
    assert.equal(new Set(passwords.join('').replaceAll('-', '')).size, 31);
  });
});
