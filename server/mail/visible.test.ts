import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkedUrl, cleanPayload } from './payload.ts';
import { visibleLine, visibleText, withoutIsolates } from './visible.ts';

describe('text from people', () => {
  it('in one line has no breaks, and hidden characters become visible', () => {
    assert.equal(visibleLine('a\r\nBcc: b\tc'), 'a Bcc: b c');
    assert.equal(visibleLine('invoice\u202Efdp.exe'), 'invoice[U+202E]fdp.exe');
    assert.equal(visibleLine('a\u0000b\u200bc\u{e0041}'), 'a[U+0000]b[U+200B]c[U+E0041]');
    assert.equal(visibleLine('half \ud800 pair'), 'half \ufffd pair');
  });

  it('in several lines keeps its breaks and its joiners', () => {
    assert.equal(visibleText(' a\r\nb\rc\u2028d\u0085e \u0001 '), 'a\nb\nc\nd\ne [U+0001]');
    assert.equal(visibleText('\u{1F469}\u200d\u{1F680} \u202e'), '\u{1F469}\u200d\u{1F680} [U+202E]');
  });

  it('from right to left is isolated from the surrounding text, except in headers', () => {
    assert.equal(visibleLine('שלום'), '\u2068שלום\u2069');
    assert.equal(withoutIsolates(visibleLine('שלום')), 'שלום');
  });
});

describe('a payload', () => {
  it('is cleaned by the names of its fields, at any depth', () => {
    const payload = {
      subject: 'a\nb',
      body: 'a\nb',
      isPrivate: true,
      at: 5,
      place: null,
      url: 'https://files.example/x?y=z#a',
      files: [{ name: 'c\u202ed', sizeBytes: 1 }],
    };
    assert.deepEqual(cleanPayload(payload), {
      ...payload,
      subject: 'a b',
      files: [{ name: 'c[U+202E]d', sizeBytes: 1 }],
    });
  });

  it('has no link that could end an attribute or a header, or that is not http', () => {
    for (const url of [
      '',
      'ftp://files.example/',
      'https://',
      'https://a.example/ b',
      'https://a.example/"',
      "https://a.example/'",
      'https://a.example/<',
      'https://a.example/\r\nX: y',
      'https://a.example/é',
      'data:text/html,x',
    ]) {
      assert.throws(() => checkedUrl(url), TypeError, url);
      assert.throws(() => cleanPayload({ remindUrl: url }), TypeError, url);
    }
  });
});
