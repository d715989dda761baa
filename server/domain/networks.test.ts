import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGroupNetwork, assertInside, badNetwork, isWithin, mayComeFrom, readNetworks } from './networks.ts';

test('a list is read without blanks and duplicates, and its first invalid entry is named', () => {
  assert.deepEqual(readNetworks([' 10.0.0.0/8 ', '', '10.0.0.0/8', '2001:db8::/32']), {
    networks: ['10.0.0.0/8', '2001:db8::/32'],
    wrong: null,
  });
  for (const wrong of ['10.0.0.0/99', 'none', 'example.com', '10.0.0.1,10.0.0.2', "it's"])
    assert.equal(readNetworks(['10.0.0.0/8', wrong]).wrong, wrong);
});

test('an empty list is everywhere; otherwise an address is in one of the networks or outside', () => {
  assert.ok(isWithin([], '192.0.2.1'));
  assert.ok(isWithin([], ''));
  assert.ok(isWithin(['10.0.0.0/8', 'loopback'], '127.0.0.1'));
  assert.ok(isWithin(['10.0.0.0/8'], '::ffff:10.1.2.3'));
  assert.equal(isWithin(['10.0.0.0/8'], '11.1.2.3'), false);
  assert.equal(isWithin(['10.0.0.0/8'], ''), false);
  assert.equal(isWithin(['10.0.0.0/8'], 'unknown'), false);
});

test('users outside their group’s networks are refused, and no one can lock themselves out', () => {
  const member = { policy: { allowed_networks: ['10.0.0.0/8'] } };
  assert.equal(mayComeFrom(member, '10.1.2.3'), true);
  assertGroupNetwork(member, '10.1.2.3');
  assert.throws(() => assertGroupNetwork(member, '11.1.2.3'), { kind: 'forbidden', code: 'security.group_network' });
  assertInside(['10.0.0.0/8'], '10.1.2.3', 'networks');
  assert.throws(() => assertInside(['10.0.0.0/8'], '11.1.2.3', 'networks'), {
    code: 'security.lock_out',
    values: { address: '11.1.2.3' },
  });
  const { code, values } = badNetwork('x', 'networks');
  assert.deepEqual([code, values], ['security.bad_network', { entry: 'x' }]);
});
