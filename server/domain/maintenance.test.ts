import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedFor } from './maintenance.ts';

const now = 1_000_000;
const plain = { message: '', until: null, since: now - 1 };

test('administrators of either kind get in, and everybody does when there is none', () => {
  for (const role of ['administrator', 'system_administrator'] as const)
    assert.equal(closedFor(plain, { role }, now), null);
  assert.equal(closedFor(null, null, now), null);
  for (const who of [null, { role: 'user' as const }, { role: 'auditor' as const }])
    assert.equal(closedFor(plain, who, now)?.code, 'maintenance.on');
});

test('the words of the organisation take the place of ours', () => {
  const told = closedFor({ ...plain, message: 'Back at noon.' }, null, now)!;
  assert.deepEqual([told.code, told.message], ['maintenance.told', 'Back at noon.']);
});

test('programs are told to come back at its expected end, in an hour at the latest, and in five minutes if none is known', () => {
  const seconds = (until: number | null) => closedFor({ ...plain, until }, null, now)!.retryAfterSeconds;
  assert.equal(seconds(null), 300);
  assert.equal(seconds(now), 300);
  assert.equal(seconds(now - 1), 300);
  assert.equal(seconds(now + 1), 1);
  assert.equal(seconds(now + 60_001), 61);
  assert.equal(seconds(now + 3_600_000), 3600);
  assert.equal(seconds(now + 7_200_000), 3600);
});
