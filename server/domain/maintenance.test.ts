import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedFor } from './maintenance.ts';

const now = 1_000_000;
const plain = { message: '', until: null, since: now - 1 };

test('administrators of either kind get in, and everyone does without maintenance', () => {
  for (const role of ['administrator', 'system_administrator'] as const)
    assert.equal(closedFor(plain, { role }, now), null);
  assert.equal(closedFor(null, null, now), null);
  for (const who of [null, { role: 'user' as const }, { role: 'auditor' as const }])
    assert.equal(closedFor(plain, who, now)?.code, 'maintenance.on');
});

test('the organisation’s notice replaces ours', () => {
  const problem = closedFor({ ...plain, message: 'Back at noon.' }, null, now)!;
  assert.deepEqual([problem.code, problem.message], ['maintenance.told', 'Back at noon.']);
});

test('programs are asked to retry at its expected end, after an hour at most, and after five minutes if it is unknown', () => {
  const seconds = (until: number | null) => closedFor({ ...plain, until }, null, now)!.retryAfterSeconds;
  assert.equal(seconds(null), 300);
  assert.equal(seconds(now), 300);
  assert.equal(seconds(now - 1), 300);
  assert.equal(seconds(now + 1), 1);
  assert.equal(seconds(now + 60_001), 61);
  assert.equal(seconds(now + 3_600_000), 3600);
  assert.equal(seconds(now + 7_200_000), 3600);
});
