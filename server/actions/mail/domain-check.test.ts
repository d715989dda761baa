// How DNS failures and programming errors appear in the check of a sender domain.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type NameRecords, NameServerSilent } from '../../lib/name-records.ts';
import { checkDomain } from './domain-check.ts';

const sending = { envelopeDomain: 'ours.example', fromDomain: 'ours.example', hosts: ['relay.ours.example'] };

function recordsThat(fail: Partial<Record<keyof NameRecords, Error>>): NameRecords {
  const answer = (what: keyof NameRecords) => async () => {
    if (fail[what] !== undefined) throw fail[what];
    return [];
  };
  return {
    texts: answer('texts'),
    addresses: answer('addresses'),
    mailHosts: answer('mailHosts'),
    namesOf: answer('namesOf'),
  };
}

describe('the check of a sender domain', () => {
  test('names the record for which a name server did not answer', async () => {
    const silent = new NameServerSilent('ours.example', 'no answer in time');
    const checks = await checkDomain(recordsThat({ texts: silent }), sending, null);
    const codes = Object.fromEntries(checks.map(({ check, code }) => [check, code]));
    assert.equal(codes.spf, 'dns.silent');
    assert.equal(codes.dmarc, 'dns.silent');
  });

  test('skips the addresses of the relay if no name server answers', async () => {
    const silent = new NameServerSilent('relay.ours.example', 'no answer in time');
    const checks = await checkDomain(recordsThat({ addresses: silent }), sending, null);
    assert.deepEqual(
      checks.map(({ check }) => check),
      ['spf', 'dkim', 'dmarc', 'ptr'],
    );
  });

  test('does not report a programming error as silence', async () => {
    for (const what of ['texts', 'addresses'] as const)
      await assert.rejects(checkDomain(recordsThat({ [what]: new TypeError('a fault') }), sending, null), TypeError);
  });

  test('suggests the PTR record of an IPv4 or IPv6 address without a name', async () => {
    const zeros = (count: number) => '0.'.repeat(count);
    for (const [address, name] of [
      ['192.0.2.7', '7.2.0.192.in-addr.arpa'],
      ['2001:db8::7', `7.${zeros(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
      ['2001:db8:1:2:3:4:5:6', '6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
      ['::7', `7.${zeros(31)}ip6.arpa`],
      ['2001:db8::', `${zeros(24)}8.b.d.0.1.0.0.2.ip6.arpa`],
    ] as const) {
      const records = { ...recordsThat({}), addresses: async () => [address] };
      const ptr = (await checkDomain(records, sending, null)).find(({ check }) => check === 'ptr')!;
      assert.deepEqual([ptr.code, ptr.record?.name], ['ptr.missing', name]);
    }
  });
});
