import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { contrast, hexOf, oklchOf, parseHexColour } from './colour.ts';

describe('colours', () => {
  it('are read in common forms only', () => {
    for (const text of ['', 'red', '#12', '#12345', '#12345g', '#1234567', 'rgb(1,2,3)', '#fff;', '#000000\n#000000']) {
      assert.equal(parseHexColour(text), null, text);
    }
    assert.equal(parseHexColour(' #0E5A6B '), '#0e5a6b');
    assert.equal(parseHexColour('fc0'), '#ffcc00');
  });

  it('have the contrast WCAG gives them', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.ok(Math.abs(contrast('#767676', '#ffffff') - 4.54) < 0.01);
  });

  it('survive the conversion to OKLCH and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const hex = `#${value.toString(16).padStart(6, '0')}`;
        assert.equal(hexOf(oklchOf(hex)), hex);
      }),
      { numRuns: 300 },
    );
  });

  it('that no screen can show keep hue and lightness', () => {
    const blue = oklchOf('#0000ff');
    const pale = oklchOf(hexOf({ ...blue, lightness: 0.75 }));
    assert.ok(Math.abs(pale.hue - blue.hue) < 0.05);
    assert.ok(Math.abs(pale.lightness - 0.75) < 0.01);
  });
});
