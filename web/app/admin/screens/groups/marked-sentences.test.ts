import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markChanges } from './marked-sentences.ts';

const marks = (before: string[], after: string[]) => {
  const of = (sentences: string[]) => sentences.map((sentence) => ({ sentence, isOff: false }));
  return markChanges(of(before), of(after)).map(({ mark, sentence }) => `${mark} ${sentence}`);
};

test('equal sentences are not marked', () => {
  assert.deepEqual(marks(['a', 'b'], ['a', 'b']), ['same a', 'same b']);
});

test('a replaced sentence precedes the one that replaces it', () => {
  assert.deepEqual(marks(['a', 'b', 'c'], ['a', 'x', 'c']), ['same a', 'removed b', 'changed x', 'same c']);
});

test('sentences are added and removed at their place, also at the ends', () => {
  assert.deepEqual(marks(['a'], ['x', 'a', 'y']), ['changed x', 'same a', 'changed y']);
  assert.deepEqual(marks(['a', 'b', 'c'], ['b']), ['removed a', 'same b', 'removed c']);
  assert.deepEqual(marks([], ['a']), ['changed a']);
  assert.deepEqual(marks(['a'], []), ['removed a']);
});
