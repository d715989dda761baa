import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markWords, rankOf } from './words.ts';

const marks: [text: string, q: string, marked: string][] = [
  ['Harbour plan', 'harb PLAN', '[Harb]our [plan]'],
  ['Résumé.pdf', 'resume', '[Résumé].pdf'],
  ['Straße 7', 'strasse', 'Straße 7'],
  ['ﬁle of ben@harbour.example', 'fi arb', '[ﬁ]le of ben@h[arb]our.example'],
  ['港の図面', '図面', '港の[図面]'],
  ['Plans', 'none', 'Plans'],
];

for (const [text, q, marked] of marks) {
  test(`"${q}" marks ${marked}`, () => {
    const parts = markWords(text, q).map((part) => (part.isMatch ? `[${part.text}]` : part.text));
    assert.equal(parts.join(''), marked);
  });
}

test('a match in the title comes before one elsewhere, and each word must match', () => {
  assert.deepEqual(
    [
      rankOf('back', 'Backups', []),
      rankOf('back disk', 'Backups', ['On disk']),
      rankOf('tape', 'Backups', ['On disk']),
    ],
    [0, 1, null],
  );
});
