import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenInName, markHidden, splitAtHidden } from './hidden-characters.ts';

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, offset) => String.fromCodePoint(from + offset));
const hidden = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...'\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufeff',
  ...range(0x200b, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x2069),
  ...range(0xe0000, 0xe007f),
];

test('every hidden character is found in a name, and shown as a mark', () => {
  for (const character of hidden) {
    const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
    assert.equal(hiddenInName(`An${character}n`), code);
    assert.equal(markHidden(`An${character}n`), `An[${code}]n`);
  }
  assert.equal(hiddenInName('a\ud800b'), 'U+D800');
  assert.equal(markHidden('a\ud800b'), 'a\ufffdb');
});

test('names of all scripts are as they are, with the joiners that belong to their spelling', () => {
  for (const name of [
    'Zoë Ångström',
    'علی\u200cرضا',
    'ශ්\u200dරී',
    '日本 太郎',
    'Нина',
    'שלום',
    'O’Brien-Smith',
    '김민준',
  ]) {
    assert.equal(hiddenInName(name), null, name);
    assert.equal(markHidden(name), name);
  }
});

test('joiners that join nothing are hidden; those of pictures are not in names', () => {
  assert.equal(markHidden('Ann\u200d'), 'Ann[U+200D]');
  assert.equal(markHidden('\u200cعلی'), '[U+200C]علی');
  assert.equal(markHidden('👩\u200d🔧'), '👩\u200d🔧');
  assert.equal(hiddenInName('👩\u200d🔧'), 'U+200D');
});

test('a text is split at each hidden character', () => {
  assert.deepEqual(splitAtHidden('a\u202eb\u200b'), ['a', '\u202e', 'b', '\u200b', '']);
});
