import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNameServer } from '#test/kit/name-server.ts';
import { openHostNames } from './host-names.ts';

const reverseV6 = `${[...'20010db8000000000000000000000009'].reverse().join('.')}.ip6.arpa`;

test('nothing is resolved if switched off', () => {
  assert.equal(openHostNames('off'), null);
});

test('a name counts only if it is valid and resolves back to the address', async (t) => {
  const server = await startNameServer({
    'PTR 9.2.0.192.in-addr.arpa': 'Gate.Harbour.example',
    'A gate.harbour.example': '192.0.2.9',
    'PTR 10.2.0.192.in-addr.arpa': 'bank.example',
    'A bank.example': '198.51.100.1',
    'PTR 11.2.0.192.in-addr.arpa': 'nowhere.example',
    'PTR 12.2.0.192.in-addr.arpa': 'evil\r\nx: y.example',
    'PTR 13.2.0.192.in-addr.arpa': '<b>.example',
    'A <b>.example': '192.0.2.13',
    [`PTR ${reverseV6}`]: 'six.harbour.example',
    'AAAA six.harbour.example': '2001:db8:0:0:0:0:0:9',
  });
  t.after(server.close);
  const names = openHostNames({ server: server.address })!;
  const expected = {
    '192.0.2.9': 'gate.harbour.example',
    '::ffff:192.0.2.9': 'gate.harbour.example',
    '2001:db8::9': 'six.harbour.example',
    '192.0.2.10': '',
    '192.0.2.11': '',
    '192.0.2.12': '',
    '192.0.2.13': '',
    '192.0.2.14': '',
    'no address': '',
    '': '',
  };
  for (const [address, name] of Object.entries(expected)) assert.equal(await names.find(address), name, address);
  const asked = server.asked();
  assert.equal(await names.find('192.0.2.9'), 'gate.harbour.example');
  assert.equal(server.asked(), asked, 'what was found is remembered');
  const { now } = performance;
  const later = (ms: number) => t.mock.method(performance, 'now', () => now.call(performance) + ms);
  later(590_000);
  await names.find('192.0.2.9');
  assert.equal(server.asked(), asked, 'for ten minutes');
  later(600_000);
  assert.equal(await names.find('192.0.2.9'), 'gate.harbour.example');
  assert.equal(server.asked(), asked + 2, 'and no longer');
});

test('a silent name server gives no name', async (t) => {
  const server = await startNameServer(null);
  t.after(server.close);
  const names = openHostNames({ server: server.address })!;
  const visitors = Array.from({ length: 52 }, (_, index) => names.find(`192.0.2.${index}`));
  assert.deepEqual(new Set(await Promise.all(visitors)), new Set(['']));
  assert.equal(server.asked(), 50, 'no more in parallel');
});
