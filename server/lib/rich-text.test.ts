import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cleanRichText, looksFormatted, plainOfRichText } from './rich-text.ts';

const hostile: [string, string][] = [
  ['<script>alert(1)</script>a', 'a'],
  ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
  ['<p onclick="alert(1)" ONMOUSEOVER=alert(1)>a</p>', '<p>a</p>'],
  ['<a href="javascript:alert(1)">a</a>', '<span>a</span>'],
  ['<a href=" java\nscript:alert(1)">a</a>', '<span>a</span>'],
  ['<a href="&#106;avascript:alert(1)">a</a>', '<span>a</span>'],
  ['<a href="data:text/html,<script>alert(1)</script>">a</a>', '<span>a</span>'],
  ['<a href="vbscript:x">a</a>', '<span>a</span>'],
  ['<a href="//evil.example">a</a>', '<span>a</span>'],
  ['<a href="/admin">a</a>', '<span>a</span>'],
  [
    '<a href="https://x.example/" target="_top" style="color:red">a</a>',
    '<a href="https://x.example/" rel="noopener noreferrer nofollow">a</a>',
  ],
  ['<span style="position:fixed" class="button" id="csrf">a</span>', '<span>a</span>'],
  ['<style>body{display:none}</style>a', 'a'],
  ['<svg><script>alert(1)</script><p>b</p></svg>a', 'a'],
  ['<svg onload=alert(1)>a', ''],
  ['<math><mtext><a href="javascript:x">a</a></mtext></math>b', 'b'],
  ['<img src=x onerror=alert(1)>a', 'a'],
  ['<iframe srcdoc="<script>alert(1)</script>"></iframe>a', 'a'],
  ['<form action="https://evil.example"><input name="password"><button>Sign in</button></form>', 'Sign in'],
  ['<base href="https://evil.example/"><meta http-equiv="refresh" content="0"><link rel="stylesheet" href="x">a', 'a'],
  ['<!-- comment --><![CDATA[x]]>a', 'a'],
  ['<b>never <i>closed', '<b>never <i>closed</i></b>'],
  ['</p></div></body></html>a', '<p></p>a'],
  ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
  ['<table><tr><td>cell</td></tr></table>', 'cell'],
  ['<p>"quoted" \'single\'</p>', '<p>"quoted" \'single\'</p>'],
];

function depthOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, closing] of html.matchAll(/<(\/?)[a-z]/g)) {
    depth += closing === '/' ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

describe('formatted text', () => {
  for (const [input, wanted] of hostile) {
    test(`leaves nothing harmful of ${JSON.stringify(input.slice(0, 60))}`, () => {
      const cleaned = cleanRichText(input)!;
      assert.equal(cleaned, wanted);
      assert.equal(cleanRichText(cleaned), cleaned, 'cleaning twice changes nothing');
    });
  }

  test('stays shallow for any depth of markup, and is refused beyond the limit', () => {
    for (const tag of ['b', 'blockquote', 'li', 'div', 'a href="https://x.example"']) {
      const cleaned = cleanRichText(`${`<${tag}>`.repeat(5000)}words`)!;
      assert.ok(depthOf(cleaned) <= 24, `${tag} ${depthOf(cleaned)}`);
      assert.match(plainOfRichText(cleaned), /words/);
    }
    assert.equal(cleanRichText('<b>'.repeat(5001)), null);
    assert.equal(cleanRichText('<b>'.repeat(350_000)), null);
    assert.equal(cleanRichText('<'.repeat(5001)), null);
  });

  test('is distinguished from text with a lone bracket', () => {
    for (const text of ['a < b', 'x <y> z', '<https://example.com>', '1 <2> 3', 'ben <ben@harbour.example>'])
      assert.ok(!looksFormatted(text), text);
    for (const text of ['<p>Hello</p>', 'Hello<br>Ben', '<A HREF="https://x.example">x</A>', 'a <b>c</b>'])
      assert.ok(looksFormatted(text), text);
  });

  test('reads well in plain text', () => {
    const html = cleanRichText(
      [
        '<h2>Plans</h2><p>Hello&nbsp;<b>Ben</b>,<br>see the',
        ' <a href="https://x.example/?a=1&amp;b=2">list</a> or <a href="mailto:al@x.example">al@x.example</a>.</p>',
        '<ul><li>one</li><li><p>two</p><ol><li>first</li><li>second</li></ol></li></ul>',
        '<blockquote><p>1 &lt; 2 &amp;amp; so on</p><p>Cleo</p></blockquote><p>Bye</p>',
      ].join('\n'),
    )!;
    assert.equal(
      plainOfRichText(html),
      [
        'Plans',
        '',
        'Hello Ben,',
        'see the list (https://x.example/?a=1&b=2) or al@x.example.',
        '',
        '- one',
        '- two',
        '  1. first',
        '  2. second',
        '',
        '> 1 < 2 &amp; so on',
        '>',
        '> Cleo',
        '',
        'Bye',
      ].join('\n'),
    );
  });
});

test('a link without an address is plain text', () => {
  assert.equal(
    plainOfRichText('<p>see <a>the list</a> and <a href="https://x.example/">more</a></p>'),
    'see the list and more (https://x.example/)',
  );
});

test('spaces between formatted words are one, and none is before them', () => {
  assert.equal(plainOfRichText('<p> a <b> b </b> c<i> d</i></p>'), 'a b c d');
});
