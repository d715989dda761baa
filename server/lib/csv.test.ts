import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv.ts';

const table: [value: string | number | null, written: string][] = [
  ['=1+1', "'=1+1"],
  ['+31 20', "'+31 20"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['＝1', "'＝1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['plain.txt', 'plain.txt'],
  ['', ''],
  [null, ''],
  [-12.5, '-12.5'],
];

for (const [value, written] of table) {
  test(`${JSON.stringify(value)} is written ${JSON.stringify(written)}`, () => {
    assert.equal(csvLine([value, 'next']), `${written},next\r\n`);
  });
}
