import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceBytes, referenceOfBytes, typedReference } from './references.ts';

test('invalid references are refused', () => {
  for (const text of ['', 'K7QM-2XPD-9', 'K7QM-2XPD-944', 'K7QM-2XPD-9U', 'K7QM_2XPD_94', 'Zk3pQ8a1bC2dE3fG4hI5jK'])
    assert.equal(typedReference(text), null, text);
});

test('case, dashes, spaces and letters that look like digits do not matter', () => {
  for (const text of ['K7QM-2XPD-01', 'k7qm2xpd01', ' k7qm 2xpd oI ', 'K7QM2XPD0l'])
    assert.equal(typedReference(text), 'K7QM-2XPD-01', text);
});

test('a reference has ten distinct-looking characters in groups and reads back as itself', () => {
  for (let byte = 0; byte < 256; byte++) {
    const reference = referenceOfBytes(Buffer.alloc(referenceBytes, byte));
    assert.match(reference, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}$/);
    assert.equal(typedReference(reference), reference);
  }
});
