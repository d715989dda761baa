// Names that files get on this machine.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { distinctNames, partOf, safeName } from './file-names.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('the name of a file that is got', () => {
  test('leads out of no folder and steers no terminal', () => {
    for (const name of ['', '.', '..', '/', '../..', ' . ']) assert.equal(safeName(name), 'download', name);
    assert.equal(safeName('../../etc/pass\u001bwd'), join('etc', 'pass\u{fffd}wd'));
    assert.equal(safeName('a:b?.txt. '), 'a_b_.txt');
  });

  test('keeps its extension when it is cut, and is cut between characters', () => {
    for (const letter of ['x', 'ж', '報', '🙂']) {
      const cut = safeName(`${letter.repeat(300)}.pdf`);
      assert.ok(cut.endsWith('.pdf') && bytesOf(cut) <= 255 && bytesOf(cut) > 250, cut);
      assert.equal(cut.replaceAll(letter, ''), '.pdf');
      const whole = letter.repeat(Math.floor(251 / bytesOf(letter)));
      assert.equal(safeName(`${whole}.pdf`), `${whole}.pdf`, 'one that fits stays');
    }
    const odd = `a.${'b'.repeat(300)}`;
    assert.equal(safeName(odd), odd.slice(0, 255));
  });

  test('is that of no other file of the command, whatever its capitals', () => {
    const nameOf = distinctNames();
    const given = ['a.txt', 'A.TXT', 'a (2).txt', 'a.txt', join('b', 'a.txt'), 'none', 'none', '\u00e9', 'e\u0301'].map(
      nameOf,
    );
    const expected = [
      'a.txt',
      'A (2).TXT',
      'a (2) (2).txt',
      'a (3).txt',
      join('b', 'a.txt'),
      'none',
      'none (2)',
      '\u00e9',
      'e\u0301 (2)',
    ];
    assert.deepEqual(given, expected);
    const long = `${'報'.repeat(83)}.txt`;
    const [first, second] = [nameOf(long), nameOf(long)];
    assert.deepEqual([first, second.endsWith(' (2).txt'), bytesOf(second) <= 255], [long, true, true]);
  });

  test('has room for what is added until it is whole', () => {
    assert.equal(partOf(join('folder', 'a.txt')), join('folder', 'a.txt.part'));
    const most = 'x'.repeat(232);
    assert.equal(partOf(most), `${most}.part`);
    const [one, other] = ['x', 'y'].map((letter) => partOf(join('folder', letter.repeat(233))));
    assert.notEqual(one, other);
    assert.match(one!, /^folder.[0-9a-f]{32}\.part$/);
  });
});
