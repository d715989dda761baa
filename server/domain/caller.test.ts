// Ranks: who may manage whom (security D1, invariant I41).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandAdministrator, isAdministrator, mayManage, type UserCaller } from './caller.ts';
import { type Role, rankOf, roles } from './groups.ts';
import { defaultPolicy } from './policy.ts';
import { Problem } from './problem.ts';

const caller = (role: Role, isLocal = true): UserCaller => ({
  kind: 'user',
  userId: 'x',
  email: 'x@example.com',
  name: '',
  groupId: 'g',
  groupName: 'G',
  isLocal,
  role,
  policy: defaultPolicy(isLocal),
  apiKeyId: null,
  sessionHash: null,
  apiKeyExpiresAt: null,
  from: { address: '', agent: '', requestId: '' },
});

test('outside people rank below local ones, those below administrators, those below System Administrators', () => {
  assert.deepEqual(
    [
      rankOf({ role: 'user', isLocal: false }),
      rankOf({ role: 'user', isLocal: true }),
      rankOf({ role: 'administrator', isLocal: true }),
      rankOf({ role: 'system_administrator', isLocal: true }),
    ].map((rank, index) => rank === index),
    [true, true, true, true],
  );
});

test('only a System Administrator manages somebody at or above their own rank', () => {
  for (const role of roles)
    for (const target of roles)
      for (const isLocal of [true, false]) {
        const isHigherOrEqual = rankOf({ role: target, isLocal }) >= rankOf({ role, isLocal: true });
        const may = mayManage(caller(role), { role: target, isLocal });
        if (role === 'system_administrator') assert.ok(may);
        else if (isHigherOrEqual) assert.ok(!may, `${role} and ${target}`);
      }
});

test('people without administrator rights manage nobody, not even those below them', () => {
  for (const isLocal of [true, false])
    for (const target of roles) assert.ok(!mayManage(caller('user', isLocal), { role: target, isLocal: false }));
});

test('administrators manage local and outside people', () => {
  assert.ok(mayManage(caller('administrator'), { role: 'user', isLocal: true }));
  assert.ok(mayManage(caller('administrator'), { role: 'user', isLocal: false }));
});

test('everybody else is told with a 403 that says the same whatever was asked', () => {
  assert.throws(
    () => demandAdministrator(caller('user')),
    (error: unknown) => error instanceof Problem && error.kind === 'forbidden' && error.code === 'admin.not_permitted',
  );
  for (const role of ['administrator', 'system_administrator'] as const) {
    demandAdministrator(caller(role));
    assert.ok(isAdministrator(caller(role)));
  }
});
