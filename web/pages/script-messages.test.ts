import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { regional, shippedLanguages } from '#language/locale.ts';
import { fill } from './enhance/fill.ts';
import { scriptMessage } from './script-messages.ts';
import { scriptTextKeys } from './script-texts.ts';
import { pageTexts } from './text.ts';

describe('sentences for the script', () => {
  for (const locale of [...shippedLanguages, 'en-XA']) {
    it(`are the same in ${locale} as on the server`, () => {
      for (const key of scriptTextKeys) {
        for (const n of [0, 1, 2, 5, 1200, 1_000_000]) {
          const values = new Proxy(
            { n },
            { get: (_, name) => (name === 'n' ? n : `<${String(name)}>`), has: () => true },
          ) as unknown as Record<string, string | number>;
          const parts = JSON.parse(JSON.stringify(scriptMessage(locale, key)));
          assert.equal(fill(parts, regional(locale), values), pageTexts.text(locale, key, values), `${key} ${n}`);
        }
      }
    });
  }

  it('throw on a missing value', () => {
    assert.throws(() => fill(['a ', ['name']], 'en-GB', {}), /no value for name/);
  });
});
