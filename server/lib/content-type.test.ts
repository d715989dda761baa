import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { detectContentType, inertContentType, usefulContentType } from './content-type.ts';

test('declared types that say nothing about the file are not useful', () => {
  const useless = ['', 'application/json', 'Application/JSON; charset=utf-8', 'application/x-www-form-urlencoded'];
  const malformed = ['text', 'text/', '/plain', 'text/plain/x', 'text/pl ain', 'text/plain\r\nX: y', '*/*', 'text/é'];
  const others = ['multipart/form-data; boundary=x', 'application/octet-stream', `text/${'x'.repeat(123)}`];
  for (const header of [undefined, ...useless, ...malformed, ...others]) {
    assert.equal(usefulContentType(header), null, JSON.stringify(header));
  }
});

test('a useful declared type loses its parameters and its case', () => {
  assert.equal(usefulContentType('Text/HTML; charset=utf-8'), 'text/html');
  assert.equal(usefulContentType(' application/pdf '), 'application/pdf');
  assert.equal(usefulContentType('image/svg+xml'), 'image/svg+xml');
  assert.equal(usefulContentType(`text/${'x'.repeat(122)}`), `text/${'x'.repeat(122)}`);
});

test('types a browser could run are sent as plain bytes', () => {
  const active = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'application/javascript'];
  for (const type of [...active, 'text/css', 'application/x-shockwave-flash', 'TEXT/PLAIN', '', 'text/plain;x=y']) {
    assert.equal(inertContentType(type), 'application/octet-stream', type);
  }
});

test('types no browser runs are sent as they are', () => {
  for (const type of ['image/png', 'audio/mpeg', 'video/mp4', 'application/pdf', 'text/plain', 'application/zip']) {
    assert.equal(inertContentType(type), type);
  }
});

test('the bytes decide the type, not the name', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  const table: [Buffer, string, string][] = [
    [Buffer.from('%PDF-1.7\n%âãÏÓ\n'), 'a.txt', 'application/pdf'],
    [png, 'a.exe', 'image/png'],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), 'a.png', 'image/svg+xml'],
    [Buffer.from('<!DOCTYPE html><html><body>hi</body></html>'), 'a.txt', 'text/html'],
    [Buffer.from('just some words\n'), 'a.bin', 'text/plain'],
    [Buffer.from('just some words\n'), 'a.md', 'text/markdown'],
    [Buffer.from('just some words\n'), 'a.constructor', 'text/plain'],
    [Buffer.from(`${' '.repeat(60_000)}<!DOCTYPE html><html><body>hi</body></html>`), 'gap.txt', 'text/html'],
    [Buffer.alloc(65_536, '\n'), 'blank', 'text/plain'],
    [Buffer.concat([Buffer.alloc(65_536, 'a'), Buffer.of(0)]), 'only the first bytes count', 'text/plain'],
    [Buffer.concat([Buffer.alloc(65_535, 'a'), Buffer.of(0)]), 'the last of them', 'application/octet-stream'],
    [Buffer.from('\ufeff<?xml version="1.0"?><!-- x --><svg/>'), 'a.xml', 'image/svg+xml'],
    [Buffer.from('<?xml version="1.0"?>\n<invoice/>'), 'a', 'application/xml'],
    [Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'), 'a', 'application/xhtml+xml'],
    [Buffer.from('<!DOCTYPE html><p>An XML file begins with <?xml version="1.0"?>'), 'a', 'text/html'],
    [Buffer.from('<!-- never closed'), 'a.html', 'text/plain'],
    [Buffer.from('caf\xe9, in latin1', 'latin1'), 'a', 'text/plain'],
    [Buffer.from('\ufeffwords', 'utf16le'), 'a', 'text/plain'],
    [Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(500, 7)]), 'a', 'audio/mpeg'],
    [Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]), 'a.xls', 'application/vnd.ms-excel'],
    [Buffer.from([0xff, 0xfe]), 'a', 'text/plain'],
    [Buffer.from([0xfe]), 'a', 'text/plain'],
    [Buffer.from([0xfe, 0xff, 0x00, 0x41]), 'a', 'text/plain'],
    [Buffer.from('<?xml version="1.0"?>no element'), 'a', 'text/plain'],
    [Buffer.from('<?xml version="1.0"?><!DOCTYPE svg><svg/>'), 'a', 'image/svg+xml'],
    [Buffer.from('<invoice/>'), 'a', 'text/plain'],
    [Buffer.alloc(0), 'empty.pdf', 'application/octet-stream'],
    [Buffer.from([1, 2, 3, 0, 255, 254]), 'x', 'application/octet-stream'],
  ];
  for (const [head, name, type] of table) assert.equal(await detectContentType(head, name), type, name);
});

test('any bytes get some valid type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.string(), async (bytes, name) => {
      assert.match(await detectContentType(Buffer.from(bytes), name), /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/);
    }),
    { numRuns: 50 },
  );
});
