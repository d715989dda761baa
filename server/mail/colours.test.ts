import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandColours } from '#contract/brand-colour.ts';
import { mailColours } from './colours.ts';

describe('colours of a mail', () => {
  it('are the standard ones without a valid colour', () => {
    for (const given of [undefined, '', 'red', '#12345g', '#000000;background:url(x)']) {
      assert.equal(mailColours(given).primary, '#0e5a6b');
    }
  });

  it('are the tones of the pages; only the stripe has the exact colour', () => {
    const { light, dark } = brandColours('#ffcc00');
    assert.deepEqual(mailColours('#FFCC00'), {
      stripe: '#ffcc00',
      primary: light.primary,
      onPrimary: '#ffffff',
      primaryDark: dark.primary,
      onPrimaryDark: dark['on-primary'],
    });
  });
});
