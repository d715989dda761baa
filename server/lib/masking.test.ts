import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mask, unmask } from './masking.ts';

describe('masked text', () => {
  test('is different each time and unmasks to the same text', () => {
    for (const text of ['', 'a', '/message/abc?for=x', 'Ünïcode ✓', 'x'.repeat(500)]) {
      const [one, other] = [mask(text), mask(text)];
      assert.deepEqual([unmask(one), unmask(other)], [text, text]);
      // One letter has 256 masks, so two may be equal.
      if (text.length > 1) assert.notEqual(one, other);
      if (text !== '') assert.ok(new Set(Array.from({ length: 40 }, () => mask(text))).size > 20);
      assert.match(one, /^~[\w-]*$/);
      assert.equal(one.length, other.length);
    }
  });

  test('without a mask stays unchanged, and invalid text is no error', () => {
    assert.equal(unmask('/sign-in'), '/sign-in');
    assert.equal(unmask(''), '');
    for (const nonsense of ['~', '~a', '~%%%', '~abcde']) assert.equal(typeof unmask(nonsense), 'string');
  });
});
