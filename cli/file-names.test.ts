import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { distinctNames, partOf, safeName } from './file-names.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('the name of a file that is got', () => {
  const names: [given: string, kept: string][] = [
    // Folders of any system are left out.
    ['', 'download'],
    ['.', 'download'],
    ['..', 'download'],
    ['/', 'download'],
    ['../..', 'download'],
    [' . ', 'download'],
    ['\u200b', 'download'],
    ['folder/', 'folder'],
    ['a/b\\c.txt', 'c.txt'],
    ['/etc/passwd', 'passwd'],
    ['../../.ssh/authorized_keys', 'authorized_keys'],
    ['C:\\Windows\\win.ini', 'win.ini'],
    ['C:win.ini', 'C_win.ini'],
    ['\\\\server\\share\\x', 'x'],
    // Files that systems and shells read automatically.
    ['.bashrc', '_bashrc'],
    ['.git/config', 'config'],
    ['x/.profile', '_profile'],
    ['..hidden', '_.hidden'],
    [' .bashrc', '_bashrc'],
    ['\u200c.bashrc', '_bashrc'],
    ['\ufeff\u00a0.bashrc', '_bashrc'],
    // Names that Windows changes or takes for devices.
    ['a:b?.txt. ', 'a_b_.txt'],
    ['report.pdf . .', 'report.pdf'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['Aux .tar.gz', '_Aux .tar.gz'],
    ['com1', '_com1'],
    ['LPT\u00b9.log', '_LPT\u00b9.log'],
    ['conin$', '_conin$'],
    ['CLOCK$', '_CLOCK$'],
    ['CON.', '_CON'],
    ['console.txt', 'console.txt'],
    ['com10', 'com10'],
    // Characters that steer terminals or hide an ending.
    ['pass\u001bwd\n\t\u0000.txt', 'pass\u{fffd}wd\u{fffd}\u{fffd}\u{fffd}.txt'],
    ['invoice\u202efdp.exe', 'invoice\u{fffd}fdp.exe'],
    ['\u009b8m.txt', '\u{fffd}8m.txt'],
    ['half \ud83d.txt', 'half \u{fffd}.txt'],
    // Names of this program's part files.
    ['plan.part', 'plan.part_'],
    ['plan.PART.json', 'plan.PART.json_'],
    // Everything else stays as it is.
    ['Bericht 2026 (2).pdf', 'Bericht 2026 (2).pdf'],
    ['a..b', 'a..b'],
    ['報告.tar.gz', '報告.tar.gz'],
    ['família 👩‍👩‍👧.jpg', 'família 👩‍👩‍👧.jpg'],
  ];
  for (const [given, kept] of names)
    test(`${JSON.stringify(given)} becomes ${JSON.stringify(kept)}`, () => assert.equal(safeName(given), kept));

  test('is still safe after it was cut', () => {
    for (const end of [' ', '.', '. .']) {
      const cut = safeName(`${'x'.repeat(254)}${end}${'y'.repeat(50)}`);
      assert.match(cut, /x$/);
    }
    assert.ok(bytesOf(safeName(`.${'x'.repeat(300)}`)) <= 255);
    assert.ok(bytesOf(safeName(`con.${'x'.repeat(300)}`)) <= 255);
    assert.ok(bytesOf(safeName(`${'x'.repeat(300)}.part`)) <= 255);
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
    const given = [
      'a.txt',
      'A.TXT',
      'a (2).txt',
      'a.txt',
      'none',
      'none',
      '\u00e9',
      'e\u0301',
      'stra\u00dfe',
      'STRASSE',
    ].map(nameOf);
    const expected = [
      'a.txt',
      'A (2).TXT',
      'a (2) (2).txt',
      'a (3).txt',
      'none',
      'none (2)',
      '\u00e9',
      'e\u0301 (2)',
      'stra\u00dfe',
      'STRASSE (2)',
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
