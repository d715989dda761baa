import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localSize, sizeIn } from './sizes.ts';

describe('a size', () => {
  it('is unchanged for English readers, and if it is no size', () => {
    for (const text of ['', '48,2 MB', '1e3 MB', '48.2 MiB', '<script>']) assert.equal(localSize('de', text), text);
    for (const locale of ['en', 'en-US', 'en-XA']) assert.equal(sizeIn(locale, 50_543_821), '48.2 MB');
  });

  it('has the same value in every language, in its notation', () => {
    assert.equal(sizeIn('de', 50_543_821), '48,2\u00a0MB');
    assert.equal(sizeIn('fr', 50_543_821), '48,2\u00a0Mo');
    assert.equal(sizeIn('fr-CA', 12), '12\u00a0o');
    assert.equal(sizeIn('sv', 1000 * 1024), '1000\u00a0KB');
  });
});
