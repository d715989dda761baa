import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Line, linkAddress, writtenIn } from './rich-text.ts';

function line(text: string, more: { list?: Line['list']; tags?: string; href?: string } = {}): Line {
  const { list = null, tags = '', href = null } = more;
  return { list, runs: text === '' ? [] : [{ text, tags, href }] };
}

describe('formatted text', () => {
  it('without formatting is plain text, line by line', () => {
    const lines = [line('Is 1 < 2?'), line(''), line('Yes, <b>.')];
    assert.deepEqual(writtenIn(lines), { text: 'Is 1 < 2?\n\nYes, <b>.', html: '' });
  });

  it('is empty when a list without text was started', () => {
    assert.deepEqual(writtenIn([line('', { list: 'ul' }), line(' ')]), { text: '', html: '' });
  });

  it('is HTML as soon as anything is formatted, with all text escaped', () => {
    const lines = [
      line('A & <b>'),
      line('loud', { tags: 'bi' }),
      line(''),
      line('x "y"', { href: 'https://a.example/?a&b' }),
    ];
    assert.deepEqual(writtenIn(lines), {
      text: 'A & <b>\nloud\n\nx "y"',
      html: '<p>A &amp; &lt;b&gt;<br><b><i>loud</i></b><br><br><a href="https://a.example/?a&amp;b">x &quot;y&quot;</a></p>',
    });
  });

  it('has lists between paragraphs, in plain text with bullets and numbers', () => {
    const lines = [
      ...[line('Both:'), line('one', { list: 'ul' }), line('two\nhalves', { list: 'ul' }), line('')],
      ...[line('Then'), line('first', { list: 'ol' }), line('second', { list: 'ol' }), line('')],
    ];
    assert.deepEqual(writtenIn(lines), {
      text: 'Both:\n- one\n- two\n  halves\n\nThen\n1. first\n2. second\n',
      html: '<p>Both:</p><ul><li>one</li><li>two<br>halves</li></ul><p><br>Then</p><ol><li>first</li><li>second</li></ol>',
    });
  });

  it('accepts web and e-mail addresses as links, and nothing else', () => {
    assert.equal(linkAddress(' https://quay.example/a?b#c '), 'https://quay.example/a?b#c');
    assert.equal(linkAddress('quay.example:8443/plans'), 'https://quay.example:8443/plans');
    assert.equal(linkAddress('ben@harbour.example'), 'mailto:ben@harbour.example');
    assert.equal(linkAddress('mailto:ben@harbour.example'), 'mailto:ben@harbour.example');
    for (const bad of [
      '',
      'plans',
      'two words.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.example',
      '//a.example',
    ])
      assert.equal(linkAddress(bad), null, bad);
  });
});
