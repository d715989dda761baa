import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanSvg, SvgProblem } from './svg.ts';

const wrap = (inside: string, more = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" ${more}>${inside}</svg>`;

const refused: Record<string, string> = {
  'a script': wrap('<script>alert(1)</script>'),
  'a script with a prefix': wrap('<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>'),
  'a script in other letters': wrap('<sCrIpT>alert(1)</sCrIpT>'),
  'a script inside what is dropped': wrap('<metadata><script>alert(1)</script></metadata>'),
  'a handler': wrap('<path d="M0 0" onload="alert(1)"/>'),
  'a handler on the root': wrap('', 'onload="alert(1)"'),
  'HTML inside': wrap('<foreignObject><body/></foreignObject>'),
  'a picture from elsewhere': wrap('<image href="https://evil.example/x.png"/>'),
  'a picture inside': wrap('<image href="data:image/png;base64,AAAA"/>'),
  'a use from elsewhere': wrap('<use href="https://evil.example/x.svg#a"/>'),
  'a use of data': wrap('<use xlink:href="data:image/svg+xml,x#a"/>'),
  'a fill from elsewhere': wrap('<path fill="url(https://evil.example/x)" d="M0 0"/>'),
  'a fill written with an escape': wrap('<path style="fill:u\\72l(https://evil.example)" d="M0 0"/>'),
  'a fill behind entities': wrap('<path style="fill:&#117;rl(//evil.example)" d="M0 0"/>'),
  'an import of styles': wrap('<style>@import "https://evil.example/x.css";</style>'),
  'an import inside CDATA': wrap('<style><![CDATA[@import url(//evil.example);]]></style>'),
  'an import cut by a comment': wrap('<style>@im<!-- -->port "//evil.example";</style>'),
  'an import cut by an element': wrap('<style>@im<g/>port "//evil.example";</style>'),
  'a font from elsewhere': wrap('<style>@font-face{font-family:x;src:url(//evil.example)}</style>'),
  entities: `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${wrap('<text>&x;</text>')}`,
  'an undeclared entity': wrap('<text>&x;</text>'),
  'no size': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>',
  'something else': '<html><body>hello</body></html>',
  'two roots': `${wrap('')}${wrap('')}`,
  'an open end': '<svg viewBox="0 0 1 1"><g>',
  'an element that is left open': '<svg viewBox="0 0 1 1"><g></svg>',
  'crossed elements': wrap('<g><defs></g></defs>'),
  'an end without a beginning': wrap('<g/></g>'),
  'an end after the end': `${wrap('')}</svg>`,
  'a value without quotes': wrap('<path d=M0 />'),
  'an attribute without a value': wrap('<path d/>'),
  'an attribute with a strange name': wrap('<path d"x="y"/>'),
  'a tag inside a value': wrap('<path d="<g/>"/>'),
  'a tag that never ends': `${wrap('')}<g`,
  'a comment that never ends': `${wrap('')}<!-- `,
  'no markup': 'hello',
  nothing: '',
  'too deep': wrap('<g>'.repeat(60) + '</g>'.repeat(60)),
  'too much': wrap('<path d="M0 0"/>'.repeat(6000)),
};

const sentences: Record<string, [string, RegExp]> = {
  'declared entities': [refused.entities!, /declares entities/],
  'entities that nothing uses': [`<!DOCTYPE svg [<!ENTITY x "y">]>${wrap('')}`, /declares entities/],
  'a declaration that is no document type': [`<!ELEMENT svg ANY>${wrap('')}`, /declares entities/],
  'a character that is half of one': [wrap('<text>&#xD800;</text>'), /not well-formed/],
  'a character that controls': [wrap('<text>&#31;</text>'), /not well-formed/],
  'one element too many': [wrap('<g/>'.repeat(5000)), /too complicated/],
  'one level too deep': [wrap('<g>'.repeat(50) + '</g>'.repeat(50)), /too complicated/],
  'a picture inside': [refused['a picture inside']!, /another picture inside/],
  'another element at the root': ['<g viewBox="0 0 1 1"/>', /not an SVG picture/],
  'a box of three numbers': ['<svg viewBox="0 0 1"/>', /does not say its size/],
  'no width': ['<svg width="0" height="1"/>', /does not say its size/],
  'no height': ['<svg width="1" height="0"/>', /does not say its size/],
  'too wide': ['<svg width="100000" height="1"/>', /does not say its size/],
  'too high': ['<svg width="1" height="100000"/>', /does not say its size/],
};

describe('an SVG picture', () => {
  for (const [what, [text, sentence]] of Object.entries(sentences)) {
    it(`is refused with the reason: ${what}`, () => assert.throws(() => cleanSvg(text), sentence));
  }

  it('may be as deep, as rich and as large as this, with any character', () => {
    assert.ok(cleanSvg(wrap('<g/>'.repeat(4999))).text.length > 4999);
    assert.ok(cleanSvg(wrap('<g>'.repeat(49) + '</g>'.repeat(49))).text.length > 49);
    assert.deepEqual(cleanSvg('<svg width="99999" height="0.5"/>'), {
      text: '<svg width="99999" height="0.5" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99999 0.5"/>',
      width: 99999,
      height: 0.5,
    });
    assert.equal(cleanSvg(`\n${wrap('')}\n`).text, cleanSvg(wrap('')).text);
    assert.equal(cleanSvg('<svg width="0.5" height="1"/>').width, 0.5);
    assert.match(cleanSvg(wrap('words<g xmlns="http://ink.example" data-name="n"/>')).text, />words<g\/><\/svg>$/);
    assert.match(cleanSvg(wrap('<text>&#32;&#xD7FF;&apos;</text>')).text, /<text> \uD7FF'<\/text>/);
    assert.match(cleanSvg(wrap('<text><![CDATA[&lt;]]></text>')).text, /<text>&#38;lt;<\/text>/);
  });

  for (const [what, text] of Object.entries(refused)) {
    it(`is refused with a sentence: ${what}`, () => assert.throws(() => cleanSvg(text), SvgProblem));
  }

  describe('is measured with everything that is drawn repeatedly:', () => {
    const doubled = (levels: number, again: (id: string) => string) =>
      '<path id="l0" d="M0 0"/>' +
      Array.from({ length: levels }, (_, n) => `<g id="l${n + 1}">${again(`l${n}`).repeat(2)}</g>`).join('');
    const nested = (levels: number, kind: string, use: (id: string) => string) =>
      `<${kind} id="l0"><path d="M0 0"/></${kind}>` +
      Array.from({ length: levels }, (_, n) => `<${kind} id="l${n + 1}">${use(`l${n}`).repeat(4)}</${kind}>`).join('');
    const tooMuch: Record<string, string> = {
      'uses of uses, doubled each time': doubled(30, (id) => `<use href="#${id}"/>`),
      'uses by the old name': doubled(30, (id) => `<use xlink:href="#${id}"/>`),
      'uses so often that no number holds the sum': doubled(1_600, (id) => `<use href="#${id}"/>`),
      'uses of a large part': `<g id="a">${'<path d="M0 0"/>'.repeat(200)}</g>${'<use href="#a"/>'.repeat(60)}`,
      'patterns inside patterns': nested(12, 'pattern', (id) => `<rect fill="url(#${id})"/>`),
      'masks inside masks': nested(12, 'mask', (id) => `<rect style="mask:url('#${id}')"/>`),
      'patterns that a style sheet applies':
        nested(12, 'pattern', (id) => `<rect class="c-${id}"/>`) +
        `<style>${Array.from({ length: 12 }, (_, n) => `g/* } */.x,.c-l${n}{fill:url(#l${n})}`).join('')}</style>`,
      'a pattern that a group hands down': `<pattern id="p">${'<path/>'.repeat(200)}</pattern><g fill="url(#p)">${'<path/>'.repeat(200)}</g>`,
      'uses one inside the other, too deep': Array.from(
        { length: 2_000 },
        (_, n) => `<g id="l${n}"><use href="#l${n + 1}"/></g>`,
      ).join(''),
    };
    for (const [what, inside] of Object.entries(tooMuch))
      it(`refused as too complicated: ${what}`, () => {
        assert.throws(() => cleanSvg(wrap(inside)), /too complicated/);
      });

    const circles: Record<string, string> = {
      'a use of what it is in': '<g id="a"><use href="#a"/></g>',
      'a use of itself': '<use id="a" href="#a"/>',
      'a use of the picture': '<svg id="a"><g><use href="#a"/></g></svg>',
      'two that use each other': '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>',
      'a pattern that is filled with itself': '<pattern id="a"><path fill="url(#a)"/></pattern>',
      'a mask that a style sheet puts on its own part':
        '<style>.m{mask:url(#a)}</style><mask id="a"><path class="m"/></mask>',
    };
    for (const [what, inside] of Object.entries(circles))
      it(`refused as circular: ${what}`, () => {
        assert.throws(() => cleanSvg(wrap(inside)), /refers to the part that it is in/);
      });

    it('uses, patterns, masks and gradients of ordinary pictures are kept', () => {
      for (const inside of [
        doubled(9, (id) => `<use href="#${id}"/>`),
        `<linearGradient id="g"><stop/></linearGradient><linearGradient id="h" href="#g"/>${'<path fill="url(#h)"/>'.repeat(4000)}`,
        '<style>.a{clip-path:url(#c)}.b{fill:none}</style><clipPath id="c"><path class="b"/></clipPath><g class="a"><path/></g>',
        '<use href="#nowhere"/><path fill="url(#nowhere)"/>',
        `<symbol id="s"><path/></symbol>${'<use href="#s"/>'.repeat(1000)}`,
      ])
        assert.ok(cleanSvg(wrap(inside)).text.length > 0);
    });
  });

  it('keeps its drawing and loses metadata, comments, animations and foreign namespaces', () => {
    const { text, width, height } = cleanSvg(
      `\uFEFF<?xml version="1.0"?><!-- made by x --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">` +
        `<svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:ink="http://ink.example" viewBox="0 0 120 40" ink:version="1">` +
        '<metadata><rdf>secret</rdf></metadata><style>.a{fill:url(#g)}</style><title>A &amp; B</title>' +
        '<linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient>' +
        '<path class="a" d="M0 0h9"><animate attributeName="href" to="#b"/></path><use xlink:href="#g"/></svg:svg>',
    );
    assert.equal(
      text,
      '<svg viewBox="0 0 120 40" xmlns="http://www.w3.org/2000/svg"><style>.a{fill:url(#g)}</style>' +
        '<title>A &#38; B</title><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient>' +
        '<path class="a" d="M0 0h9"/><use href="#g"/></svg>',
    );
    assert.deepEqual([width, height], [120, 40]);
  });

  it('without a viewBox gets one from its size', () => {
    assert.match(cleanSvg('<svg width="30px" height="20"/>').text, /viewBox="0 0 30 20"/);
  });

  it('cleaned once stays as it is', () => {
    const once = cleanSvg(wrap('<text x="1">a &lt; b "c" &#8212;</text>')).text;
    assert.equal(cleanSvg(once).text, once);
  });

  it('of any text is cleaned or refused quickly, and never active', () => {
    const pieces = fc.constantFrom(
      '<svg viewBox="0 0 1 1">',
      '</svg>',
      '<g',
      '>',
      ' onload="x"',
      '<script>',
      '<!--',
      ']]>',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string())), (parts) => {
        try {
          assert.doesNotMatch(cleanSvg(parts.join('')).text, /<script|onload="|<!--/i);
        } catch (error) {
          assert.ok(error instanceof SvgProblem, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });
});
