import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientAddress, parseTrusted } from './client-address.ts';

test('a wrong network is refused with its name', () => {
  for (const entry of [
    'proxy',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/',
    'NONE',
  ]) {
    assert.throws(() => parseTrusted(`loopback, ${entry}`), { name: 'RangeError', message: new RegExp(entry) });
  }
});

test('words and networks can be mixed', () => {
  const table: [string, string, boolean][] = [
    ['none', '127.0.0.1', false],
    ['', '127.0.0.1', false],
    ['loopback', '127.8.9.1', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['private', '172.31.0.1', true],
    ['private', '172.32.0.1', false],
    ['private', 'fd00::1', true],
    ['private', '2001:db8::1', false],
    ['loopback, 203.0.113.0/24,2001:db8::/32', '203.0.113.9', true],
    ['loopback, 203.0.113.0/24,2001:db8::/32', '2001:db8:1::9', true],
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '203.0.113.10', false],
    ['private', 'nonsense', false],
  ];
  for (const [text, ip, isTrusted] of table) assert.equal(parseTrusted(text).contains(ip), isTrusted, `${text} ${ip}`);
});

test('the header counts only from a trusted peer, and only its right-most untrusted address', () => {
  const trusted = parseTrusted('loopback, 10.0.0.0/8');
  const table: [string, string | string[] | undefined, string][] = [
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['198.51.100.9', '198.51.100.1', '198.51.100.9'],
    ['127.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '6.6.6.6, 198.51.100.1, 10.1.1.1', '198.51.100.1'],
    ['127.0.0.1', ['6.6.6.6', '198.51.100.1'], '198.51.100.1'],
    ['127.0.0.1', 'nonsense, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '198.51.100.1, nonsense', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1, ', '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['127.0.0.1', '2001:DB8::0001', '2001:db8::1'],
    ['', '198.51.100.1', ''],
  ];
  for (const [peer, forwardedFor, client] of table) {
    assert.equal(clientAddress({ peer, forwardedFor, trusted }), client, `${peer} | ${forwardedFor}`);
  }
});

test('with any headers of an untrusted peer, the address is that of the socket', () => {
  const trusted = parseTrusted('private');
  const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('127.0.0.1', '10.0.0.1', '::1', ''));
  const header = fc.array(entry, { maxLength: 10 });
  fc.assert(
    fc.property(fc.ipV4(), header, (peer, entries) => {
      fc.pre(!trusted.contains(peer));
      assert.equal(clientAddress({ peer, forwardedFor: entries.join(', '), trusted }), peer);
      assert.equal(clientAddress({ peer, forwardedFor: entries, trusted }), peer);
      const appended = [...entries, peer].join(', ');
      assert.equal(clientAddress({ peer: '127.0.0.1', forwardedFor: appended, trusted }), peer);
    }),
  );
});

test('a number of proxies decides which entry counts, independently of their addresses', () => {
  const table: [trusted: string, peer: string, forwardedFor: string | string[] | undefined, client: string][] = [
    ['1', '203.0.113.1', '198.51.100.1', '198.51.100.1'],
    ['1', '203.0.113.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['1', '203.0.113.1', '6.6.6.6, 10.0.0.1, 127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['1', '203.0.113.1', ['6.6.6.6', '198.51.100.1'], '198.51.100.1'],
    ['2', '203.0.113.1', '198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['2', '203.0.113.1', '6.6.6.6, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['2', '203.0.113.1', ['6.6.6.6, 7.7.7.7', '198.51.100.1', '192.0.2.7'], '198.51.100.1'],
    ['2', '203.0.113.1', 'nonsense, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['2', '203.0.113.1', 'nonsense, 192.0.2.7', '203.0.113.1'],
    ['2', '203.0.113.1', '198.51.100.1, nonsense', '203.0.113.1'],
    ['3', '203.0.113.1', '6.6.6.6, 198.51.100.1, 192.0.2.7, 10.0.0.2', '198.51.100.1'],
    // Bypassing the outer proxy.
    ['2', '203.0.113.1', '198.51.100.1', '198.51.100.1'],
    ['2', '203.0.113.1', undefined, '203.0.113.1'],
    ['2', '', '198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['10.0.0.5, 2', '10.0.0.5', '6.6.6.6, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['10.0.0.5, 2', '10.0.0.6', '6.6.6.6, 198.51.100.1, 192.0.2.7', '10.0.0.6'],
    ['2, loopback', '127.0.0.1', '6.6.6.6, 198.51.100.1, 127.0.0.1', '198.51.100.1'],
  ];
  for (const [text, peer, forwardedFor, client] of table) {
    const trusted = parseTrusted(text);
    assert.equal(clientAddress({ peer, forwardedFor, trusted }), client, `${text} | ${peer} | ${forwardedFor}`);
  }
});

test('entries that a client writes before those of the proxies do not change its address', () => {
  const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('127.0.0.1', '10.0.0.1', ''));
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 6 }),
      fc.array(fc.ipV4(), { maxLength: 4 }),
      fc.ipV4(),
      (forged, outer, client) => {
        const trusted = parseTrusted(String(outer.length + 1));
        const forwardedFor = [...forged, client, ...outer].join(', ');
        assert.equal(clientAddress({ peer: '203.0.113.1', forwardedFor, trusted }), client);
      },
    ),
  );
});

test('a number of proxies is one whole number from 1 to 10', () => {
  for (const text of ['0', '11', '1, 2', '99999999999999999999', 'loopback, 0'])
    assert.throws(() => parseTrusted(text), { name: 'RangeError', message: /number of proxies from 1 to 10/ });
  for (const text of ['-1', '1.5', '2x']) assert.throws(() => parseTrusted(text), { name: 'RangeError' });
  assert.deepEqual(
    [parseTrusted('2'), parseTrusted('10.0.0.5, 2')].map(({ hops, isAnyone }) => [hops, isAnyone]),
    [
      [2, true],
      [2, false],
    ],
  );
  assert.equal(parseTrusted('10.0.0.5, 2').contains('10.0.0.6'), false);
});

test('networks of more than eight addresses are wide, except those of this machine', () => {
  const table: [text: string, wide: string[]][] = [
    ['none', []],
    ['loopback', []],
    ['127.0.0.0/8, ::1/128', []],
    ['10.0.0.5, 2001:db8::5', []],
    ['10.0.0.8/29, 2001:db8::8/125', []],
    ['10.0.0.0/28', ['10.0.0.0/28']],
    ['2001:db8::/124', ['2001:db8::/124']],
    ['private, 10.0.0.5', ['private']],
    ['0.0.0.0/0, ::/0, 10.0.0.5/32', ['0.0.0.0/0', '::/0']],
    ['::ffff:10.0.0.0/104', ['::ffff:10.0.0.0/104']],
  ];
  for (const [text, wide] of table) assert.deepEqual(parseTrusted(text).wide, wide, text);
});
