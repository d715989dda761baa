import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { durationIn } from './durations.ts';

describe('a length of time', () => {
  it('is written as the language writes it', () => {
    assert.equal(durationIn('en', 10, 'minute'), '10 minutes');
    assert.equal(durationIn('de', 14, 'day'), '14 Tage');
    assert.equal(durationIn('sv', 2, 'hour'), '2 timmar');
  });

  it('says “dag” for a day in Swedish, not “dygn”', () => {
    assert.equal(durationIn('sv', 1, 'day'), '1 dag');
    assert.equal(durationIn('sv', 14, 'day'), '14 dagar');
    assert.equal(durationIn('sv-FI', 365, 'day'), '365 dagar');
  });
});
