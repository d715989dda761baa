import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsIn, replaceIds } from './ids-in-text.ts';

const id = 'Zk3pQ8a1bC2dE3fG4hI5jK';
const other = 'aaaaaaaaaaaaaaaaaaaaaa';
const references = new Map([[id, 'K7QM-2XPD-94']]);

test('texts without an id stay as they are', () => {
  for (const text of ['', id.slice(1), other, `${id.slice(0, 21)}-`, 'a'.repeat(64), '0123456789abcdef'.repeat(4)])
    assert.equal(replaceIds(text, references), text);
});

test('an id is found and replaced next to any character', () => {
  for (const [before, after] of [
    ['', ''],
    ['https://files.example/link/', '?lang=de'],
    ['%2Flink%2F', '%20'],
    ['"{\\n', '\\n}"'],
    ['x', 'y'],
    ['', 'sIgNaTuRe0123456789'],
    [other, other],
    ['0123456789abcdef', ''],
  ]) {
    const text = `${before}${id}${after}`;
    assert.ok(idsIn(text).has(id), text);
    assert.equal(replaceIds(text, references), `${before}K7QM-2XPD-94${after}`);
  }
});

test('every id of a text is replaced, also directly behind each other', () => {
  assert.equal(replaceIds(`${id}${id} ${id}`, references), 'K7QM-2XPD-94K7QM-2XPD-94 K7QM-2XPD-94');
});

test('a checksum is not taken for ids', () => {
  assert.equal(idsIn('0123456789abcdef'.repeat(4)).size, 0);
  assert.equal(idsIn(other).size, 1);
});

test('long texts are searched as a regular expression would', () => {
  const letters = 'aZ0-é"\n ';
  let seed = 7;
  const next = (most: number) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % most;
  };
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 200 }, () => letters[next(next(4) === 0 ? letters.length : 3)]).join('');
    const expected = [...text.matchAll(/[A-Za-z0-9]{22,}/g)].flatMap(([run]) =>
      Array.from({ length: run.length - 21 }, (_, at) => run.slice(at, at + 22)),
    );
    assert.deepEqual(idsIn(text), new Set(expected));
    const [first] = expected;
    if (first !== undefined) assert.equal(replaceIds(text, new Map([[first, '#']])), text.replaceAll(first, '#'), text);
  }
});
