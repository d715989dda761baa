import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Erasure, namesAny, withoutPerson, withoutWords } from './erasures.ts';

const ann: Erasure = {
  id: 'erased-1',
  userId: 'ann-example-com',
  name: 'Ann',
  addresses: ['ann@example.com'],
  substitutes: ['erased-2@erased.invalid'],
  sweptSeq: 0,
  createdAt: 0,
};

test('an address is found in any letters, and only as a whole', () => {
  const words = ['ann@example.com', 'ann-example-com'];
  for (const text of [
    'Ann@Example.com',
    '<ann@example.com>',
    'to ann@example.com.',
    'login:ann-example-com:192.0.2.1',
    '"ann@example.com"',
  ])
    assert.ok(namesAny(text, words), text);
  for (const text of [
    'joann@example.com',
    'jo.ann@example.com',
    'ann@example.com.au',
    'ann@example.community',
    'ann-example-com-2',
    '',
  ])
    assert.ok(!namesAny(text, words), text);
});

test('a text gets the replacement everywhere, and for no one else', () => {
  assert.equal(
    withoutWords('Ann@example.com, joann@example.com, ann@example.com', ann),
    'erased-2@erased.invalid, joann@example.com, erased-2@erased.invalid',
  );
  assert.equal(withoutWords('İ ann@example.com', ann), 'erased-2@erased.invalid');
});

test('a name alone may be another person’s, unless it is the whole text or the text is about them', () => {
  assert.equal(withoutWords('Ann and Ben', ann), 'Ann and Ben');
  assert.equal(withoutWords('Ann', ann), '');
  assert.equal(withoutWords('Case of Ann, not of Anna', ann, true), 'Case of …, not of Anna');
});

test('a document keeps its form', () => {
  assert.deepEqual(withoutPerson({ ids: ['ann-example-com', 'ben'], name: 'Ann', count: 1, none: null }, ann), {
    ids: ['erased-1', 'ben'],
    name: '',
    count: 1,
    none: null,
  });
});

test('an empty word is named by nothing', () => {
  for (const text of ['', 'a', 'a word']) assert.equal(namesAny(text, ['']), false);
});
