import assert from 'node:assert/strict';
import { it } from 'node:test';
import { extensionLabel, splitFileName, visibleParts, visibleText } from './visible.ts';

it('shows bidirectional controls as marks', () => {
  assert.deepEqual(visibleParts('invoice-\u202Efdp.exe'), [
    { text: 'invoice-', isMark: false },
    { text: 'U+202E', isMark: true },
    { text: 'fdp.exe', isMark: false },
  ]);
});

it('leaves no invisible or control character in titles and attributes', () => {
  const hidden = '\u0000\u001b\u007f\u0085\u00ad\u061c\u200b\u200e\u200f\u2028\u202a\u202e\u2060\u2066\u2069\ufeff';
  assert.match(visibleText(`a${hidden}b`), /^a(\[U\+[0-9A-F]{4}\])+b$/);
  assert.equal(visibleText(`a${hidden}b`).match(/\[/g)?.length, hidden.length);
});

it('keeps letters, emoji and their joiners as they are', () => {
  assert.equal(visibleText('Ångström 👩‍🔧 日本.png'), 'Ångström 👩‍🔧 日本.png');
});

it('isolates right-to-left text where there is no markup to do it', () => {
  assert.equal(visibleText('تقرير.pdf'), '\u2068تقرير.pdf\u2069');
});

it('repairs half a surrogate pair', () => {
  assert.equal(visibleText('a\ud800b'), 'a\ufffdb');
});

it('splits a name at its last extension', () => {
  assert.deepEqual(splitFileName('a.tar.gz'), { stem: 'a.tar', extension: '.gz' });
  assert.deepEqual(splitFileName('README'), { stem: 'README', extension: '' });
  assert.deepEqual(splitFileName('.profile'), { stem: '.profile', extension: '' });
  assert.deepEqual(splitFileName('odd.\u202Etxt'), { stem: 'odd.\u202Etxt', extension: '' });
});

it('labels the tile with short extensions only', () => {
  assert.equal(extensionLabel('a.pdf'), 'PDF');
  assert.equal(extensionLabel('a.numbers'), null);
  assert.equal(extensionLabel('README'), null);
});
