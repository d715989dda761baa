import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markup, markupLines, nothing, trusted } from './markup.ts';

test('every value is escaped, in text and in attributes', () => {
  const hostile = `"><script>alert('x')</script>&`;
  const { html } = markup`<a href="${hostile}">${hostile}</a>`;
  assert.equal(html.match(/[<>"']/g)?.join(''), '<""><>');
  assert.ok(html.endsWith('&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</a>'));
});

test('markup is inserted unchanged, also a list of it; `nothing` adds nothing', () => {
  const items = ['a', '<b>'].map((name) => markup`<li>${name}</li>`);
  assert.equal(markup`<ul>${items}${nothing}${trusted('<hr>')}</ul>`.html, '<ul><li>a</li><li>&lt;b&gt;</li><hr></ul>');
});

test('lines are escaped one by one', () => {
  assert.equal(markupLines('<a>\nb').html, '&lt;a&gt;<br>b');
});
