import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AnyPayload,
  frame,
  kindNames,
  outgoing,
  renderAny,
  sampleOf,
  withFiles,
} from '#test/kit/mail-payloads.ts';
import { type Block, cutQuotes, sentencesOf } from './blocks.ts';
import { checkTemplate } from './check-template.ts';
import { type MailKind, mailKinds } from './kinds/all.ts';
import type { Kind } from './kinds/kind.ts';
import { composeMail, renderEmbeddable } from './render.ts';
import { maxTemplateChars, templateParts } from './template.ts';
import { sampleMail } from './transport.suite.ts';
import { findFault } from './transports/compose.ts';

function composed(kind: MailKind, payload: AnyPayload) {
  const definition = mailKinds[kind] as unknown as Kind<never>;
  return composeMail(definition, payload as never, frame).composition;
}

const filesIn = (blocks: Block[]) => blocks.flatMap((block) => (block.type === 'files' ? [block.files.length] : []));

describe('a mail', () => {
  it('lists its files from the first on, and has no list without any', () => {
    let listing = 0;
    for (const kind of kindNames.filter((name) => 'files' in sampleOf(name))) {
      assert.deepEqual(filesIn(composed(kind, withFiles(kind, 0)).blocks), [], kind);
      if (filesIn(composed(kind, sampleOf(kind)).blocks).length === 0) continue;
      listing += 1;
      assert.deepEqual(filesIn(composed(kind, withFiles(kind, 1)).blocks), [1], kind);
    }
    assert.ok(listing > 3);
  });

  it('names up to ten files, and of more the first eight and the number of the others', () => {
    const named = (count: number) => {
      const { text } = renderAny('message', withFiles('message', count));
      return [text.match(/Drawing-\d+\.pdf/g)!.length, /(?<=- )\D*(\d+) more/.exec(text)?.[1]];
    };
    assert.deepEqual(
      [named(10), named(11), named(50)],
      [
        [10, undefined],
        [8, '3'],
        [8, '42'],
      ],
    );
  });

  it('has a subject of at most 998 bytes, cut between characters and marked as cut', () => {
    const subjectOf = (subject: string) => renderAny('message', { ...sampleOf('message'), subject }).subject;
    assert.equal(subjectOf('a'.repeat(998)), 'a'.repeat(998));
    assert.equal(subjectOf('a'.repeat(999)), `${'a'.repeat(994)}…`);
    assert.equal(subjectOf(`abc${'😀'.repeat(250)}`), `abc${'😀'.repeat(247)}…`);
  });

  it('says how often and how much can be downloaded if there are files', () => {
    const textOf = (kind: MailKind, count: number) => {
      const { blocks, preheader } = composed(kind, { ...withFiles(kind, count), downloadLimit: 7 });
      return JSON.stringify([blocks.filter(({ type }) => type === 'facts'), preheader]);
    };
    for (const kind of ['copy-to-sender', 'message'] as const) {
      assert.match(textOf(kind, 1), /\b7\b/, kind);
      assert.doesNotMatch(textOf(kind, 0), /\b7\b/, kind);
    }
    assert.match(textOf('message', 1), /1 file, 1.0 MB|1 file, 1 MB/);
    assert.doesNotMatch(textOf('message', 0), /MB/);
  });

  it('has a sender name of at most 120 characters', () => {
    const longNamed = { ...sampleOf('message'), sender: { name: '😀'.repeat(200), address: 'a@b.example' } };
    assert.equal([...renderAny('message', longNamed).fromName].length, 120);
  });

  it('has a message id of at most 250 characters and header lines of at most 998', () => {
    const mail = outgoing(renderAny('code', sampleOf('code')));
    const id = (chars: number) => `<${'a'.repeat(chars - 12)}@b.example>`;
    assert.equal(id(250).length, 250);
    assert.equal(findFault({ ...mail, messageId: id(250) }), null);
    assert.match(findFault({ ...mail, messageId: id(251) })!, /message id is malformed/);
    const header = (chars: number) => findFault({ ...sampleMail(), headers: { References: 'x'.repeat(chars) } });
    assert.deepEqual([header(998), header(1), header(999) !== null], [null, null, true]);
  });
});

it('a receipt without a download is refused', () => {
  assert.throws(() => renderAny('receipt', { ...sampleOf('receipt'), downloads: [] }), /a receipt needs a download/);
});

describe('a quote', () => {
  const quote = (text: string, html: string | null = null): Block[] => [
    { type: 'quote', by: 'Alice', address: 'alice@northlight.example', text, html },
  ];
  const cut = (text: string, maxBytes: number, html: string | null = null) => {
    const [block] = cutQuotes(quote(text, html), maxBytes);
    assert.equal(block!.type, 'quote');
    const { text: kept, html: rich, isCut } = block as Extract<Block, { type: 'quote' }>;
    return { kept, rich, isCut: isCut === true };
  };

  it('is cut to the limit, measured as HTML', () => {
    assert.deepEqual(cut('abcdef', 6), { kept: 'abcdef', rich: null, isCut: false });
    assert.deepEqual(cut('abcdef', 5), { kept: 'abcde …', rich: null, isCut: true });
    assert.deepEqual(cut('a<b', 7), { kept: 'a<b', rich: null, isCut: false });
    assert.deepEqual(cut('a<b', 6), { kept: 'a< …', rich: null, isCut: true });
    assert.deepEqual(cut('é😀', 6), { kept: 'é😀', rich: null, isCut: false });
    assert.deepEqual(cut('é😀', 5), { kept: 'é …', rich: null, isCut: true });
  });

  it('is plain if only its formatted form is too long', () => {
    assert.deepEqual(cut('abc', 10, '<b>abc</b>'), { kept: 'abc', rich: '<b>abc</b>', isCut: false });
    assert.deepEqual(cut('abc', 9, '<b>abc</b>'), { kept: 'abc', rich: null, isCut: false });
  });

  it('has an address after a name, and not twice', () => {
    const html = (name: string) => {
      const payload = { ...sampleOf('message'), sender: { name, address: 'alice@northlight.example' } };
      return renderEmbeddable(payload as never, frame).html;
    };
    assert.match(html('Alice'), /<b>Alice<\/b> · alice@northlight\.example<br>/);
    assert.match(html(''), /<b>alice@northlight\.example<\/b><br>/);
  });
});

describe('sentences', () => {
  it('have their strong part in any position', () => {
    const of = (sentence: string, strong?: string) =>
      sentencesOf([strong === undefined ? { sentence } : { sentence, strong }]);
    assert.deepEqual(of('today until noon', 'today'), [{ before: '', strong: 'today', after: ' until noon' }]);
    assert.deepEqual(of('until noon', 'noon'), [{ before: 'until ', strong: 'noon', after: '' }]);
    for (const strong of ['', 'midnight', undefined])
      assert.deepEqual(of('until noon', strong), [{ before: 'until noon', strong: '', after: '' }]);
  });

  it('have one space between them in the embeddable fragment', () => {
    const { html } = renderEmbeddable(sampleOf('message') as never, frame);
    const sentences = /<p style='margin:0 0 12px'>([^<]*)<b>[^<]+<\/b>([^<]*)<b><\/b>/.exec(html);
    assert.match(sentences![1]!, /^\S/);
    assert.match(sentences![2]!, /\. \S/);
  });
});

describe('content templates', () => {
  it('may be as long as this, and have no hidden character anywhere', () => {
    assert.deepEqual(maxTemplateChars, { subject: 500, intro: 10_000, closing: 10_000 });
    for (const part of templateParts) {
      const check = (source: string) => checkTemplate('message', { [part]: source }).join();
      const limit = maxTemplateChars[part];
      assert.equal(check('x'.repeat(limit)), '', part);
      assert.match(check('x'.repeat(limit + 1)), /longer|most|long/, part);
      assert.match(check('\u0001words'), /line 1: /, part);
      assert.match(check('words\u202e'), /line 1: /, part);
    }
  });
});
