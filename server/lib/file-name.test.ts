import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { asciiFallback, cleanFileName, contentDisposition, decodeFileName, extensionOf } from './file-name.ts';

const hostileName = fc
  .array(
    fc.oneof(
      anyText(),
      fc.constantFrom(
        '/',
        '\\',
        ':',
        '.',
        ' ',
        '\u0000',
        '\u202e',
        '\u200b',
        '\ud800',
        '\udc00',
        'e\u200b\u0301',
        '😀',
      ),
      fc.constantFrom('con', 'NUL', 'lpt1', '..', '.exe', ':$DATA', 'é'.repeat(140), '日'.repeat(90), '😀'.repeat(70)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

test('broken escapes and bytes that are not UTF-8 are refused', () => {
  for (const raw of ['%', '%4', '%zz', 'a%C3', '%ff', '%c0%af', '%ed%a0%80', 'a\u00e9', '日']) {
    assert.equal(decodeFileName(raw), null, JSON.stringify(raw));
  }
});

test('a query value is decoded exactly once', () => {
  const table: [string, string][] = [
    ['', ''],
    ['plain.txt', 'plain.txt'],
    ['a%20b+c.txt', 'a b c.txt'],
    ['100%25.txt', '100%.txt'],
    ['%2541.txt', '%41.txt'],
    ['caf%C3%A9.txt', 'café.txt'],
    ['caf\u00c3\u00a9.txt', 'café.txt'],
    ['%EF%BB%BFa', '\ufeffa'],
  ];
  for (const [raw, decoded] of table) assert.equal(decodeFileName(raw), decoded);
});

test('decoding undoes encodeURIComponent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(decodeFileName(encodeURIComponent(name)), name);
    }),
  );
});

test('names are cleaned of paths, tricks and devices', () => {
  const table: [string, string][] = [
    ['', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\report.pdf', 'report.pdf'],
    ['a/b\\c.txt', 'c.txt'],
    ['folder/', 'file'],
    ['a\u0000b\r\n.txt', 'ab.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['e\u200b\u0301.txt', 'é.txt'],
    ['e\u0301.txt', 'é.txt'],
    ['a\u2028b.txt', 'ab.txt'],
    ['virus.exe. . .', 'virus.exe'],
    ['report.txt:evil.exe', 'report.txt'],
    ['report.txt::$DATA', 'report.txt'],
    ['report::$DATA', 'report'],
    ['report:$DATA', 'report'],
    [':secret', '_secret'],
    ['Call 10:30.pdf', 'Call 10_30.pdf'],
    ['v1.2: notes.pdf', 'v1.2_ notes.pdf'],
    ['archive.7z:x', 'archive.7z'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['com1 .txt', '_com1 .txt'],
    ['Lpt9.tar.gz', '_Lpt9.tar.gz'],
    ['COM¹', '_COM¹'],
    ['console.txt', 'console.txt'],
    ['com10', 'com10'],
    ['.htaccess', '.htaccess'],
    ['a\ud800b.txt', 'a\ufffdb.txt'],
    ['  leading stays.txt', '  leading stays.txt'],
    ['日本語 – ütf.pdf', '日本語 – ütf.pdf'],
  ];
  for (const [raw, clean] of table) assert.equal(cleanFileName(raw), clean, JSON.stringify(raw));
});

test('a long name is cut between code points and keeps its extension', () => {
  assert.equal(cleanFileName(`${'a'.repeat(300)}.pdf`), `${'a'.repeat(251)}.pdf`);
  assert.equal(cleanFileName(`${'😀'.repeat(100)}.pdf`), `${'😀'.repeat(62)}.pdf`);
  assert.equal(cleanFileName('日'.repeat(100)), '日'.repeat(85));
  assert.equal(cleanFileName(`a.${'b'.repeat(400)}`), `a.${'b'.repeat(253)}`);
  assert.equal(cleanFileName(`.${'b'.repeat(400)}`), `.${'b'.repeat(254)}`);
  assert.equal(cleanFileName('a'.repeat(255)), 'a'.repeat(255));
  assert.equal(cleanFileName(`${'a'.repeat(300)}.${'b'.repeat(63)}`), `${'a'.repeat(191)}.${'b'.repeat(63)}`);
  assert.equal(cleanFileName(`${'a'.repeat(300)}.${'b'.repeat(64)}`), 'a'.repeat(255));
});

test('any cleaned name is safe, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(hostileName, (raw) => {
      const name = cleanFileName(raw);
      assert.ok(name.isWellFormed());
      assert.ok(Buffer.byteLength(name) >= 1 && Buffer.byteLength(name) <= 255);
      assert.equal(name, name.normalize('NFC'));
      assert.doesNotMatch(name, /[/\\:\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]|[\s.]$/u);
      assert.equal(cleanFileName(name), name);
    }),
  );
});

test('the extension is the last one, case-folded', () => {
  const table: [string, string][] = [
    ['a', ''],
    ['a.TXT', 'txt'],
    ['a.tar.GZ', 'gz'],
    ['.exe', 'exe'],
    ['a.', ''],
    ['a.v\u212a', 'vk'],
    ['a.vb\u017f', 'vbs'],
  ];
  for (const [name, extension] of table) assert.equal(extensionOf(name), extension);
});

test('the ASCII fallback keeps what it can', () => {
  const table: [string, string][] = [
    ['report.pdf', 'report.pdf'],
    ['Résumé 2026.pdf', 'Resume_2026.pdf'],
    ['日本語.pdf', 'file.pdf'],
    ['日本語', 'file'],
    ['a"b;c.txt', 'a_b_c.txt'],
    ['.htaccess', 'file.htaccess'],
    ['-rf.txt', 'rf.txt'],
    ['a.tar.gz', 'a.tar.gz'],
    ['çon.txt', '_con.txt'],
    ['a.日本', 'a'],
  ];
  for (const [name, fallback] of table) assert.equal(asciiFallback(name), fallback);
});

test('a Content-Disposition header holds both names and nothing that breaks a header', () => {
  assert.equal(
    contentDisposition("Ünï 'x'.pdf"),
    `attachment; filename="Uni_x.pdf"; filename*=UTF-8''%C3%9Cn%C3%AF%20%27x%27.pdf`,
  );
  assert.equal(asciiFallback('con.exe../'), 'con_exe');
  const [stem, extension] = ['a'.repeat(129), 'b'.repeat(20)];
  assert.equal(asciiFallback(`${stem}aaa.${extension}bbb`), `${stem}.${extension}`, '150 characters at most');
  fc.assert(
    fc.property(hostileName, (raw) => {
      const header = contentDisposition(raw);
      const parts = /^attachment; filename="([A-Za-z0-9._-]+)"; filename\*=UTF-8''([A-Za-z0-9._~!%-]*)$/.exec(header);
      assert.ok(parts, header);
      assert.ok(parts[1]!.length <= 151);
      assert.equal(decodeURIComponent(parts[2]!), raw.toWellFormed());
      assert.equal(asciiFallback(parts[1]!), parts[1], 'a fallback is its own fallback');
    }),
  );
});
