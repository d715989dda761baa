import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalIp, networkOfIp } from './ip.ts';

test('texts that are no address are null', () => {
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4:80', '[::1]', '::1/64', ':::', '%']) {
    assert.equal(canonicalIp(text), null, text);
    assert.equal(networkOfIp(text), null, text);
  }
});

test('an address has one spelling', () => {
  const table: [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
  ];
  for (const [text, canonical] of table) assert.equal(canonicalIp(text), canonical);
});

test('IPv6 clients are counted by their /64, IPv4 clients by themselves', () => {
  const table: [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1::8', '1:0:0:0::/64'],
    ['1:0:0:2:3:4:5:6', '1:0:0:2::/64'],
  ];
  for (const [text, network] of table) assert.equal(networkOfIp(text), network);
});

test('two addresses share a network exactly when their first 64 bits are equal', () => {
  const groups = fc.array(fc.constantFrom(0, 1, 0xdb8, 0xffff), { minLength: 8, maxLength: 8 });
  const text = (list: number[]) => list.map((group) => group.toString(16)).join(':');
  fc.assert(
    fc.property(groups, groups, (a, b) => {
      fc.pre(!canonicalIp(text(a))!.includes('.') && !canonicalIp(text(b))!.includes('.'));
      const sameBits = text(a.slice(0, 4)) === text(b.slice(0, 4));
      assert.equal(networkOfIp(text(a)) === networkOfIp(text(b)), sameBits);
    }),
  );
});
