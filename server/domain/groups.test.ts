import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupClaiming, shippedGroups } from './groups.ts';
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

test('a user with an address at a claimed domain belongs to the first group that claims it', () => {
  const groups = [
    { id: 'none', domains: [] },
    { id: 'harbour', domains: ['harbour.example', 'quay.example'] },
    { id: 'quay', domains: ['quay.example'] },
  ];
  const claiming = (address: string) => groupClaiming(groups, address)?.id;
  assert.equal(claiming('ann@harbour.example'), 'harbour');
  assert.equal(claiming('ann@quay.example'), 'harbour');
  for (const address of ['ann@north.harbour.example', 'ann@arbour.example', 'harbour.example@other.example'])
    assert.equal(claiming(address), undefined, address);
});
