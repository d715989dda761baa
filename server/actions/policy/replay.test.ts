// What a replay of sends lists, and when it is not complete.
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

test('a send is listed where it would be refused, else where something would be different', () => {
  const found = foundWith(0, 0);
  for (const findings of [refused, changed, same, { ...changed, rules: refused.rules }])
    noteFindings(found, send, findings);
  assert.deepEqual([found.refused.length, found.changed.length, found.isComplete], [2, 1, true]);
  assert.deepEqual(found.changed[0], { send, values: changed.values });
});

test('a thousand are listed; one more of either kind makes the list incomplete, and it stays so', () => {
  const almost = foundWith(499, 500);
  noteFindings(almost, send, refused);
  assert.deepEqual([almost.refused.length, almost.isComplete], [500, true]);
  noteFindings(almost, send, same);
  assert.equal(almost.isComplete, true, 'what is the same is not missing');
  for (const findings of [refused, changed]) {
    const full = foundWith(500, 500);
    noteFindings(full, send, findings);
    assert.deepEqual([full.refused.length, full.changed.length, full.isComplete], [500, 500, false]);
    noteFindings(full, send, same);
    assert.equal(full.isComplete, false);
  }
});
