import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteFindings } from './replay.ts';

type Found = Parameters<typeof noteFindings>[0];
type Findings = Parameters<typeof noteFindings>[2];

const send = { id: 's' } as Parameters<typeof noteFindings>[1];
const refused = { rules: [{ code: 'a' }], values: [] } as unknown as Findings;
const changed = { rules: [], values: [{ field: 'b' }] } as unknown as Findings;
const same: Findings = { rules: [], values: [] };

function foundWith(refusals: number, changes: number): Found {
  return {
    isComplete: true,
    refused: Array.from({ length: refusals }, () => ({ send, rules: [] })),
    changed: Array.from({ length: changes }, () => ({ send, values: [] })),
  };
}

test('a send is listed as refused, otherwise as changed if a value differs', () => {
  const found = foundWith(0, 0);
  for (const findings of [refused, changed, same, { ...changed, rules: refused.rules }])
    noteFindings(found, send, findings);
  assert.deepEqual([found.refused.length, found.changed.length, found.isComplete], [2, 1, true]);
  assert.deepEqual(found.changed[0], { send, values: changed.values });
});

test('a thousand sends are listed; one more of either kind makes the list permanently incomplete', () => {
  const almost = foundWith(499, 500);
  noteFindings(almost, send, refused);
  assert.deepEqual([almost.refused.length, almost.isComplete], [500, true]);
  noteFindings(almost, send, same);
  assert.equal(almost.isComplete, true, 'an unchanged send does not make the list incomplete');
  for (const findings of [refused, changed]) {
    const full = foundWith(500, 500);
    noteFindings(full, send, findings);
    assert.deepEqual([full.refused.length, full.changed.length, full.isComplete], [500, 500, false]);
    noteFindings(full, send, same);
    assert.equal(full.isComplete, false);
  }
});
