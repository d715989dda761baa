import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NameRecords } from './name-records.ts';
import { evaluateSpf, isSpf } from './spf.ts';

const ours = '192.0.2.25';

/** Records by name. Counts look-ups. */
function recordsOf(known: Record<string, string | string[]>) {
  const all = (key: string) => [known[key] ?? []].flat();
  return {
    texts: async (name: string) => all(name),
    addresses: async (name: string) => all(`A ${name}`),
    mailHosts: async (name: string) => all(`MX ${name}`),
  } as unknown as NameRecords;
}

const verdict = (record: string, more: Record<string, string | string[]> = {}, address = ours) =>
  evaluateSpf(recordsOf({ 'ours.example': record, ...more }), 'ours.example', address);

describe('an SPF record', () => {
  test('is one by its first word', () => {
    for (const text of ['v=spf1', 'v=spf1 -all', 'V=SPF1 a']) assert.equal(isSpf(text), true, text);
    for (const text of ['v=spf10 -all', 'spf1', ' v=spf1', '']) assert.equal(isSpf(text), false, text);
  });

  const table: [record: string, expected: string, more?: Record<string, string | string[]>][] = [
    ['v=spf1 -all', 'fail'],
    ['v=spf1', 'fail'],
    ['v=spf1 all', 'pass'],
    ['v=spf1 +all', 'pass'],
    ['v=spf1 ?all', 'fail'],
    ['v=spf1 ip4:192.0.2.25 -all', 'pass'],
    ['v=spf1 ip4:192.0.2.26 -all', 'fail'],
    ['v=spf1 -ip4:192.0.2.25 +all', 'fail'],
    ['v=spf1 ~ip4:192.0.2.25 +all', 'fail'],
    ['v=spf1 ip4:192.0.2.0/24 -all', 'pass'],
    ['v=spf1 ip4:192.0.3.0/24 -all', 'fail'],
    ['v=spf1 ip4:192.0.3.0/0 -all', 'pass'],
    ['v=spf1 ip4:192.0.2.25/32 -all', 'pass'],
    ['v=spf1 ip4:192.0.2.25/33 -all', 'fail'],
    ['v=spf1 ip4:192.0.2.25/-1 -all', 'fail'],
    ['v=spf1 ip4:192.0.2.25/x -all', 'fail'],
    ['v=spf1 ip4:nonsense -all', 'fail'],
    ['v=spf1 ip6:2001:db8::/32 -all', 'fail'],
    ['v=spf1 a -all', 'pass', { 'A ours.example': ours }],
    ['v=spf1 a -all', 'fail', { 'A ours.example': '192.0.2.26' }],
    ['v=spf1 a/24 -all', 'pass', { 'A ours.example': '192.0.2.1' }],
    ['v=spf1 a:relay.example -all', 'pass', { 'A relay.example': ['198.51.100.1', ours] }],
    ['v=spf1 a:relay.example/24 -all', 'pass', { 'A relay.example': ['2001:db8::1', '192.0.2.1'] }],
    ['v=spf1 mx -all', 'pass', { 'MX ours.example': 'mail.example', 'A mail.example': ours }],
    ['v=spf1 mx -all', 'fail', { 'MX ours.example': 'mail.example', 'A ours.example': ours }],
    ['v=spf1 ptr -all', 'fail', { 'A ours.example': ours }],
    ['v=spf1 exists:relay.example -all', 'fail', { 'A ours.example': ours, 'A relay.example': ours }],
    ['v=spf1 a:%{d} -all', 'fail', { 'A %{d}': ours }],
    ['v=spf1 include:relay.example -all', 'pass', { 'relay.example': `v=spf1 ip4:${ours} -all` }],
    ['v=spf1 include:relay.example +all', 'pass', { 'relay.example': 'v=spf1 -all' }],
    ['v=spf1 include:relay.example -all', 'broken'],
    ['v=spf1 include:relay.example -all', 'broken', { 'relay.example': ['v=spf1 +all', 'v=spf1 -all'] }],
    ['v=spf1 redirect=relay.example', 'pass', { 'relay.example': `v=spf1 ip4:${ours} -all` }],
    ['v=spf1 redirect=relay.example -all', 'fail', { 'relay.example': 'v=spf1 +all' }],
    ['v=spf1 redirect=relay.example', 'broken'],
    ['v=spf1 exp=why.example +all', 'pass'],
    ['v=spf1 exists:%{i}.example -all', 'fail', { 'A %{i}.example': ours }],
    ['v=spf1 ptr -all', 'fail'],
    ['v=spf1 nonsense +all', 'broken'],
    ['v=spf1 include:ours.example -all', 'broken'],
  ];
  for (const [record, expected, more] of table)
    test(`${record} gives ${expected}${more ? ` with ${JSON.stringify(more)}` : ''}`, async () =>
      assert.equal(await verdict(record, more), expected));

  test('lets IPv6 addresses send by their own networks, and nothing that is no address', async () => {
    assert.equal(await verdict('v=spf1 ip6:2001:db8::/32 -all', {}, '2001:DB8:0::9'), 'pass');
    assert.equal(await verdict('v=spf1 ip6:2001:db8::/129 -all', {}, '2001:db8::9'), 'fail');
    assert.equal(await verdict('v=spf1 +all', {}, 'nonsense'), 'fail');
    assert.equal(await verdict('v=spf1 ip6:::/0 -all'), 'fail');
    assert.equal(await verdict('v=spf1 ip4:0.0.0.0/0 -all', {}, '2001:db8::9'), 'fail');
  });

  test('may cause ten look-ups and no more', async () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `n${index}.example`,
          index === length - 1 ? 'v=spf1 +all' : `v=spf1 redirect=n${index + 1}.example`,
        ]),
      );
    assert.equal(await verdict('v=spf1 redirect=n0.example', chain(10)), 'pass');
    assert.equal(await verdict('v=spf1 redirect=n0.example', chain(11)), 'broken');
  });
});
