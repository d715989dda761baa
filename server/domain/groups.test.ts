import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shippedGroups } from './groups.ts';
import { changePolicy } from './policy-changes.ts';

test('four groups are shipped, with rights in order, and only local ones have any', () => {
  assert.deepEqual(
    shippedGroups.map((group) => [group.id, group.role, group.isLocal]),
    [
      ['system-administrators', 'system_administrator', true],
      ['administrators', 'administrator', true],
      ['local-users', 'user', true],
      ['external-users', 'user', false],
    ],
  );
});

test('what is shipped contradicts nothing', () => {
  for (const group of shippedGroups)
    assert.deepEqual(changePolicy(group.policy, {}, group.isLocal).refusals, [], group.id);
});
