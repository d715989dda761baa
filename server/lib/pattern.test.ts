import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compilePattern, patternWarnings } from './pattern.ts';

test('patterns that cannot be used are refused with a sentence', () => {
  const table: [string, RegExp][] = [
    ['(?=a)b', /look-ahead/],
    ['(?!a)b', /look-ahead/],
    ['(?<=a)b', /look-ahead or look-behind/],
    ['(a)\\1', /back-reference/],
    ['(a', /not valid: .*closing/],
    ['[a', /not valid/],
    ['a**', /not valid/],
    ['a{1001}', /not valid/],
    ['a'.repeat(513), /512 characters/],
    ['\\pL{999}'.repeat(30), /too complex/],
    ['(\\pL*){999}'.repeat(30), /too complex/],
  ];
  assert.equal(compilePattern('a'.repeat(512)).text.length, 512);
  assert.equal(compilePattern('a{1000}b{490}').matches('b'), false);
  table.push(['a{1000}b{520}', /too complex/]);
  for (const [text, message] of table) assert.throws(() => compilePattern(text), { name: 'RangeError', message }, text);
});

test('a subject with a line end, or a very long one, never matches', () => {
  const anything = compilePattern('');
  assert.equal(anything.matches('a@b.com'), true);
  assert.equal(anything.matches('a'.repeat(320)), true);
  for (const subject of ['a@b.com\n', 'a@b.com\r\nx@y.org', '\u0000', 'a'.repeat(321)]) {
    assert.equal(anything.matches(subject), false, JSON.stringify(subject));
  }
  assert.equal(compilePattern('(?m)^ann@b\\.com$').matches('x\nann@b.com'), false);
});

test('a pattern searches, ignoring case', () => {
  const table: [string, string, boolean][] = [
    ['@example\\.com$', 'ann@example.com', true],
    ['@Example\\.COM$', 'ann@example.com', true],
    ['@example\\.com$', 'ann@example.com.evil.org', false],
    ['@example\\.com', 'ann@example.com.evil.org', true],
    ['^(ann|bob)@', 'bob@x.org', true],
    ['^(ann|bob)@', 'carl@x.org', false],
  ];
  for (const [text, subject, isMatch] of table) assert.equal(compilePattern(text).matches(subject), isMatch, text);
});

test('a pattern without an end is warned about', () => {
  for (const text of ['example\\.com', 'a\\$', 'a\\\\\\$', '']) assert.equal(patternWarnings(text).length, 1, text);
  for (const text of ['example\\.com$', '$', 'a\\\\$', '(a$|b$)', 'a\\z']) assert.deepEqual(patternWarnings(text), []);
});

test('any text either compiles or is a RangeError, and matching never throws', () => {
  const piece = fc.constantFrom(
    'a',
    '(',
    ')',
    '[',
    ']',
    '*',
    '+',
    '?',
    '{2}',
    '|',
    '^',
    '$',
    '\\',
    '.',
    '(?:',
    '\\pL',
    '-',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.string(), (pattern, subject) => {
      try {
        compilePattern(pattern).matches(subject);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});
