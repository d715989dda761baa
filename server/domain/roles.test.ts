import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from './problem.ts';
import {
  holds,
  isRaised,
  mayAddTo,
  mayManage,
  type Right,
  type Role,
  rankOf,
  requireRight,
  resolveRole,
  roles,
} from './roles.ts';

const of = (role: Role, isLocal = true, can_invite_users = false) => ({ role, isLocal, policy: { can_invite_users } });
const everyRight: Right[] = [
  'console.read',
  'console.change',
  'people.add',
  'people.manage',
  'people.everyone',
  'system.read',
  'system.change',
];

test('outside people rank below local ones, those below administrators and auditors, those below System Administrators', () => {
  assert.deepEqual(
    [of('user', false), of('user'), of('auditor'), of('administrator'), of('system_administrator')].map(rankOf),
    [0, 1, 2, 2, 3],
  );
});

test('only a System Administrator manages users at or above their own rank', () => {
  for (const role of roles)
    for (const target of roles)
      for (const isLocal of [true, false]) {
        const isHigherOrEqual = rankOf({ role: target, isLocal }) >= rankOf({ role, isLocal: true });
        const may = mayManage(of(role), { role: target, isLocal });
        if (role === 'system_administrator') assert.ok(may);
        else if (isHigherOrEqual) assert.ok(!may, `${role} and ${target}`);
      }
});

test('users without administrator rights manage no one, not even those below them', () => {
  for (const role of ['user', 'auditor'] as const)
    for (const isLocal of [true, false])
      for (const target of roles) assert.ok(!mayManage(of(role, isLocal), { role: target, isLocal: false }));
});

test('administrators manage local and outside people, and no auditor', () => {
  assert.ok(mayManage(of('administrator'), of('user')));
  assert.ok(mayManage(of('administrator'), of('user', false)));
  assert.ok(!mayManage(of('administrator'), of('auditor')));
});

test('an auditor reads and has no other right, regardless of the group', () => {
  const held = everyRight.filter((right) => holds(of('auditor', true, true), right));
  assert.deepEqual(held, ['console.read', 'system.read']);
  assert.ok(!mayAddTo(of('auditor', true, true), of('user', false)));
});

test('users have no right, except to add users if their group may invite', () => {
  assert.deepEqual(
    everyRight.filter((right) => holds(of('user'), right)),
    [],
  );
  assert.deepEqual(
    everyRight.filter((right) => holds(of('user', true, true), right)),
    ['people.add'],
  );
});

test('users who may only invite add users below their own rank only', () => {
  const inviting = of('user', true, true);
  assert.ok(mayAddTo(inviting, of('user', false)));
  for (const group of [of('user'), ...roles.filter((role) => role !== 'user').map((role) => of(role))])
    assert.ok(!mayAddTo(inviting, group), group.role);
  assert.ok(!mayAddTo(of('user'), of('user', false)));
  assert.ok(mayAddTo(of('administrator'), of('user')));
});

test('all others get the same 403 for every target', () => {
  for (const right of everyRight)
    assert.throws(
      () => requireRight(of('user'), right),
      (error: unknown) =>
        error instanceof Problem && error.kind === 'forbidden' && error.code === 'admin.not_permitted',
    );
  for (const right of everyRight) requireRight(of('system_administrator'), right);
});

test('the refusal says whom to ask', () => {
  const sentenceFor = (right: Right) => {
    try {
      requireRight(of('user'), right);
    } catch (error) {
      return (error as Problem).message;
    }
    return '';
  };
  assert.equal(sentenceFor('people.manage'), 'Only an administrator can do this.');
  assert.equal(sentenceFor('system.change'), 'Only a System Administrator can do this.');
});

test('keys end whenever a role gives a right that was not there before', () => {
  const raised = roles.flatMap((before) =>
    roles.filter((after) => isRaised({ role: before }, { role: after })).map((after) => `${before} > ${after}`),
  );
  assert.deepEqual(raised, [
    'user > auditor',
    'user > administrator',
    'user > system_administrator',
    'auditor > administrator',
    'auditor > system_administrator',
    'administrator > auditor',
    'administrator > system_administrator',
  ]);
});

test('the flags of older scripts decide about administrators and leave auditors as they are', () => {
  assert.equal(resolveRole('user', {}), 'user');
  assert.equal(resolveRole('user', { role: 'auditor' }), 'auditor');
  assert.equal(resolveRole('user', { isAdministrator: true }), 'administrator');
  assert.equal(resolveRole('user', { isAdministrator: true, isSystemAdministrator: true }), 'system_administrator');
  assert.equal(resolveRole('administrator', { isAdministrator: false }), 'user');
  assert.equal(resolveRole('auditor', { isAdministrator: false, isSystemAdministrator: false }), 'auditor');
  assert.equal(resolveRole('user', { role: 'auditor', isAdministrator: false }), 'auditor');
  assert.equal(resolveRole('user', { role: 'auditor', isAdministrator: true }), null);
  assert.equal(resolveRole('user', { role: 'administrator', isAdministrator: false }), null);
});
