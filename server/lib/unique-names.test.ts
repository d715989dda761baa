import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { uniqueNames } from './unique-names.ts';

describe('unique names', () => {
  test('have no folders and are unique, ignoring case', () => {
    fc.assert(
      fc.property(fc.array(anyText({ maxLength: 20 })), (names) => {
        const unique = uniqueNames(names);
        assert.equal(unique.length, names.length);
        assert.equal(new Set(unique.map((name) => name.toUpperCase().toLowerCase())).size, names.length);
        for (const name of unique) {
          assert.ok(name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name), JSON.stringify(name));
          assert.ok(Buffer.byteLength(name) <= 255 && name.isWellFormed());
        }
      }),
    );
  });

  test('get a number before the extension, and a name that is free keeps its own', () => {
    assert.deepEqual(
      uniqueNames(['a.txt', 'a.txt', 'A.TXT', 'a (2).txt', 'b', 'b', '.env', '.env', 'x.tar.gz', 'x.tar.gz']),
      ['a.txt', 'a (3).txt', 'A (4).TXT', 'a (2).txt', 'b', 'b (2)', '.env', '.env (2)', 'x.tar.gz', 'x.tar (2).gz'],
    );
    assert.deepEqual(uniqueNames(['/etc/passwd', '..\\passwd', '..', 'C:\\x\\y.txt']), [
      'passwd',
      'passwd (2)',
      'file',
      'y.txt',
    ]);
  });

  test('get their number before an extension of 64 bytes, and behind a longer one', () => {
    const named = (chars: number) => `a.${'x'.repeat(chars)}`;
    assert.deepEqual(uniqueNames([named(63), named(63)])[1], `a (2).${'x'.repeat(63)}`);
    assert.deepEqual(uniqueNames([named(64), named(64)])[1], `${named(64)} (2)`);
  });

  test('that are long keep their number, their extension and 255 bytes', () => {
    const long = `${'ü'.repeat(125)}.docx`;
    const [first, second] = uniqueNames([long, long]);
    assert.equal(first, long);
    assert.match(second!, /^ü{100,} \(2\)\.docx$/);
    assert.ok(Buffer.byteLength(second!) <= 255);
  });

  test('of thousands of files that are called the same are numbered through', () => {
    const unique = uniqueNames(Array.from({ length: 20_000 }, () => 'photo.jpg'));
    assert.equal(unique.at(-1), 'photo (20000).jpg');
  });
});
