import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contrast, mailColours } from './colours.ts';

describe('colours of a mail', () => {
  it('are the standard ones without a colour, or with something that is none', () => {
    for (const given of [undefined, '', 'red', '#fff', '#12345g', '#000000;background:url(x)']) {
      assert.equal(mailColours(given).primary, '#0e5a6b');
    }
  });

  it('can be read whatever the organisation chose, in light and dark', () => {
    for (const brand of ['#ffcc00', '#ffffff', '#000000', '#ff0000', '#00ff00', '#0000ff', '#0e5a6b', '#808080']) {
      const { stripe, primary, onPrimary, primaryDark, onPrimaryDark } = mailColours(brand);
      assert.equal(stripe, brand);
      assert.ok(contrast(primary, '#ffffff') >= 4.5, `${brand}: ${primary} on white`);
      assert.ok(contrast(primary, onPrimary) >= 4.5, `${brand}: text on ${primary}`);
      assert.ok(contrast(primaryDark, '#161b1e') >= 4.5, `${brand}: ${primaryDark} on dark`);
      assert.ok(contrast(primaryDark, onPrimaryDark) >= 4.5, `${brand}: text on ${primaryDark}`);
    }
  });

  it('leave a colour alone that can be read', () => {
    assert.equal(mailColours('#0E5A6B').primary, '#0e5a6b');
  });

  it('measure contrast as WCAG does', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.ok(Math.abs(contrast('#767676', '#ffffff') - 4.54) < 0.01);
  });
});
