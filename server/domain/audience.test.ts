import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audiences } from '#contract/audiences.ts';
import { parseAddress } from '../lib/address.ts';
import {
  type AccessList,
  admit,
  audienceAt,
  domainOf,
  effectiveAudience,
  type Identity,
  levelOf,
  mayBeProven,
} from './audience.ts';
import { readRecipients } from './messages.ts';
import { publicDomains } from './public-domains.ts';

/** Dora's provider is public. Eve's access was revoked. */
const recipients = ['ben@harbour.example', 'cleo@pier.example', 'dora@gmail.com'];

const unknown: Identity = { provenAddresses: [], account: null };
const proven = (...provenAddresses: string[]): Identity => ({ provenAddresses, account: null });
const signedIn = (address: string, isLocal: boolean, recipientAliases: string[] = []): Identity => ({
  provenAddresses: [],
  account: { address, recipientAliases, isLocal },
});

const letters = { y: 'allow', p: 'needs_proof', n: 'not_allowed' } as const;

/** One letter per level: yes, prove first, no. */
const table: [who: string, identity: Identity, verdicts: string, counts: string | null][] = [
  ['no one known', unknown, 'ypppp', null],
  ['a proven To recipient', proven('ben@harbour.example'), 'yyyyy', 'ben@harbour.example'],
  ['a proven Cc recipient', proven('cleo@pier.example'), 'yyyyy', 'cleo@pier.example'],
  ['a proven Bcc recipient', proven('dora@gmail.com'), 'yyyyy', 'dora@gmail.com'],
  ['a proven stranger', proven('sam@elsewhere.example'), 'yynnn', 'sam@elsewhere.example'],
  ['a proven colleague of To', proven('zoe@harbour.example'), 'yynny', 'zoe@harbour.example'],
  ['a proven colleague of Cc', proven('zoe@pier.example'), 'yynny', 'zoe@pier.example'],
  ['a visitor at the same public provider', proven('zoe@gmail.com'), 'yynnn', 'zoe@gmail.com'],
  ['a recipient whose access was taken away', proven('eve@quay.example'), 'yynnn', 'eve@quay.example'],
  ['a colleague of that recipient', proven('zoe@quay.example'), 'yynnn', 'zoe@quay.example'],
  ['a visitor in a sub-domain', proven('ben@team.harbour.example'), 'yynnn', 'ben@team.harbour.example'],
  ['a visitor in the parent domain', proven('ben@example'), 'yynnn', 'ben@example'],
  ['a domain that ends alike', proven('ben@evilharbour.example'), 'yynnn', 'ben@evilharbour.example'],
  ['a domain that begins alike', proven('ben@harbour.example.evil.org'), 'yynnn', 'ben@harbour.example.evil.org'],
  ['an address with a plus', proven('ben+x@harbour.example'), 'yynny', 'ben+x@harbour.example'],
  ['an address with another dot', proven('b.en@harbour.example'), 'yynny', 'b.en@harbour.example'],
  ['a local user who signed in', signedIn('lea@example.com', true), 'yyynn', 'lea@example.com'],
  ['a local user who only proved the address', proven('lea@example.com'), 'yynnn', 'lea@example.com'],
  ['an outside user who signed in', signedIn('out@elsewhere.example', false), 'yynnn', 'out@elsewhere.example'],
  ['an outside user who is a recipient', signedIn('cleo@pier.example', false), 'yyyyy', 'cleo@pier.example'],
  ['an outside colleague who signed in', signedIn('zoe@pier.example', false), 'yynny', 'zoe@pier.example'],
  [
    'an outside user with the alias of a recipient',
    signedIn('out@elsewhere.example', false, ['ben@harbour.example']),
    'yyyyy',
    'ben@harbour.example',
  ],
  [
    'an outside user with the alias of a colleague',
    signedIn('out@elsewhere.example', false, ['zoe@pier.example']),
    'yynny',
    null,
  ],
  [
    'a visitor whose second proven address fits',
    proven('sam@elsewhere.example', 'cleo@pier.example'),
    'yyyyy',
    'cleo@pier.example',
  ],
  [
    'an outside user who has also proven a recipient',
    { provenAddresses: ['dora@gmail.com'], account: signedIn('out@elsewhere.example', false).account },
    'yyyyy',
    'dora@gmail.com',
  ],
];

function accessList(level: number): AccessList {
  return { audience: audiences[level]!, recipients, revoked: [] };
}

describe('Who may open a message', () => {
  for (const [who, identity, verdicts, counts] of table) {
    test(`${who}: ${verdicts}`, () => {
      for (let level = 0; level < audiences.length; level++) {
        const admission = admit(accessList(level), identity);
        assert.equal(admission.verdict, letters[verdicts[level] as keyof typeof letters], `level ${level}`);
        if (admission.verdict === 'allow' && level > 0 && counts !== null) {
          assert.equal(admission.identity, counts, `level ${level}`);
          assert.equal(admission.address, counts, `level ${level}`);
        }
      }
    });
  }

  test('at level 0 all visitors share one counter, and the log still names known ones', () => {
    for (const [who, identity] of table) {
      const admission = admit(accessList(0), identity);
      assert.ok(admission.verdict === 'allow', who);
      assert.equal(admission.identity, '', who);
      assert.equal(admission.address, identity.account?.address ?? identity.provenAddresses[0] ?? '', who);
    }
  });

  test('without recipients levels 3 and 4 admit no one, and level 2 only local users', () => {
    for (const [who, identity] of table) {
      if (identity === unknown) continue;
      for (const level of [2, 3, 4]) {
        const { verdict } = admit({ audience: audiences[level]!, recipients: [], revoked: [] }, identity);
        const isLocal = level === 2 && identity.account?.isLocal === true;
        assert.equal(verdict, isLocal ? 'allow' : 'not_allowed', `${who} at level ${level}`);
      }
    }
  });

  test('a public provider widens nothing, also when all recipients are there', () => {
    for (const domain of publicDomains) {
      const crowd: AccessList = { audience: 'recipientsAndDomains', recipients: [`ben@${domain}`], revoked: [] };
      assert.equal(admit(crowd, proven(`ben@${domain}`)).verdict, 'allow', domain);
      assert.equal(admit(crowd, proven(`zoe@${domain}`)).verdict, 'not_allowed', domain);
    }
  });

  test('a refusal names the address that was tried', () => {
    assert.deepEqual(admit(accessList(3), proven('sam@elsewhere.example')), {
      verdict: 'not_allowed',
      address: 'sam@elsewhere.example',
    });
  });
});

/** Null is refused. */
const spellings: [typed: string, canonical: string | null][] = [
  ['BEN@HARBOUR.EXAMPLE', 'ben@harbour.example'],
  ['Ben@Harbour.Example', 'ben@harbour.example'],
  ['ben@harbour.example.', null],
  ['ben@harbour..example', null],
  ['ben @harbour.example', null],
  ['"ben"@harbour.example', null],
  ['Ben <ben@harbour.example>', null],
  ['ben@harbour.example,eve@quay.example', null],
  ['ben@harbour.example\r\nBcc: eve@quay.example', null],
  ['ben@harbour.example\0', null],
  ['ben@[127.0.0.1]', null],
  ['ben@harbour.example@evil.org', null],
  ['ben+waybill@harbour.example', 'ben+waybill@harbour.example'],
  ['b.e.n@harbour.example', 'b.e.n@harbour.example'],
  ['ben@sub.harbour.example', 'ben@sub.harbour.example'],
  // A Cyrillic a, and a fullwidth form.
  ['ben@h\u0430rbour.example', 'ben@xn--hrbour-3nf.example'],
  ['ben@\uff48arbour.example', 'ben@harbour.example'],
  // The Kelvin sign would become k, the long s an s, the dotless i an I.
  ['\u212aen@harbour.example', null],
  ['be\u006e\u0301@harbour.example', null],
];

describe('Spellings of an address', () => {
  for (const [typed, canonical] of spellings) {
    test(`${JSON.stringify(typed)} is ${canonical ?? 'no address'}`, () => {
      const address = parseAddress(typed, { allowSingleLabel: true })?.address ?? null;
      assert.equal(address, canonical);
      if (address === null) {
        assert.throws(() => readRecipients({ to: [typed], cc: [], bcc: [] }), { code: 'message.bad_recipient' });
        return;
      }
      const isBen = address === 'ben@harbour.example';
      const isColleague = domainOf(address) === 'harbour.example';
      assert.equal(admit(accessList(3), proven(address)).verdict, isBen ? 'allow' : 'not_allowed');
      assert.equal(admit(accessList(4), proven(address)).verdict, isColleague ? 'allow' : 'not_allowed');
      const written: AccessList = {
        audience: 'recipientsOnly',
        recipients: readRecipients({ to: [typed], cc: [], bcc: [] }).to,
        revoked: [],
      };
      assert.equal(admit(written, proven(address)).verdict, 'allow');
      assert.equal(admit(written, proven('ben@harbour.example')).verdict, isBen ? 'allow' : 'not_allowed');
    });
  }
});

describe('Whether a code is mailed', () => {
  test('a code goes to an address exactly when proving it would open the message', () => {
    const addresses = [...recipients, 'zoe@harbour.example', 'zoe@gmail.com', 'eve@quay.example', 'lea@example.com'];
    for (let level = 0; level < audiences.length; level++) {
      for (const address of addresses) {
        const opens = admit(accessList(level), proven(address)).verdict === 'allow';
        assert.equal(mayBeProven(accessList(level), address), opens, `${address} at level ${level}`);
      }
    }
  });

  test('a revoked recipient is refused at every level, also as a colleague, a local user or a signed-in visitor', () => {
    for (const level of [0, 1, 2, 3, 4]) {
      const closed: AccessList = { ...accessList(level), revoked: ['eve@harbour.example'] };
      assert.deepEqual(admit(closed, proven('eve@harbour.example')), {
        verdict: 'not_allowed',
        address: 'eve@harbour.example',
      });
      assert.equal(admit(closed, signedIn('eve@harbour.example', true)).verdict, 'not_allowed');
      assert.equal(mayBeProven(closed, 'eve@harbour.example'), false);
    }
  });

  test('a revoked local user is refused with every alias: of a stranger, a colleague, a recipient', () => {
    const aliases = ['lea@elsewhere.example', 'lea@harbour.example', 'ben@harbour.example'];
    for (const level of [1, 2, 3, 4]) {
      const closed: AccessList = { ...accessList(level), revoked: ['lea@example.com'] };
      for (const some of [aliases.slice(0, 1), aliases.slice(1, 2), aliases.slice(2), aliases])
        assert.equal(admit(closed, signedIn('lea@example.com', true, some)).verdict, 'not_allowed', `${level} ${some}`);
      const other: AccessList = { ...accessList(level), revoked: ['lea@elsewhere.example'] };
      const verdict = admit(other, signedIn('lea@example.com', true, aliases.slice(0, 1))).verdict;
      assert.equal(verdict, level <= 2 ? 'allow' : 'not_allowed');
    }
  });

  test('an account with an unproven own address is known by its aliases only, and is not a local user', () => {
    const unproven = (aliases: string[]): Identity => ({
      provenAddresses: [],
      account: { address: null, recipientAliases: aliases, isLocal: true },
    });
    const verdictsOf = (identity: Identity) =>
      [0, 1, 2, 3, 4].map((level) => admit(accessList(level), identity).verdict);
    assert.deepEqual(verdictsOf(unproven([])), verdictsOf(unknown));
    assert.deepEqual(verdictsOf(unproven(['sam@elsewhere.example'])), verdictsOf(proven('sam@elsewhere.example')));
    assert.deepEqual(verdictsOf(unproven(['ben@harbour.example'])), verdictsOf(proven('ben@harbour.example')));
  });

  test('another address of the same browser still counts if one was revoked', () => {
    const closed: AccessList = { ...accessList(3), revoked: ['eve@harbour.example'] };
    const both = { provenAddresses: ['eve@harbour.example', 'ben@harbour.example'], account: null };
    const admitted = admit(closed, both);
    assert.deepEqual(admitted, { verdict: 'allow', identity: 'ben@harbour.example', address: 'ben@harbour.example' });
  });
});

test('levels are numbered from 0 without a gap, and there are no others', () => {
  for (const [level, audience] of audiences.entries()) {
    assert.equal(levelOf(audience), level);
    assert.equal(audienceAt(level), audience);
  }
  for (const level of [-1, audiences.length, 0.5]) assert.throws(() => audienceAt(level), RangeError);
});

test('texts name colleagues only where a recipient has some', () => {
  const named = (level: number, ...addresses: string[]) => levelOf(effectiveAudience(audienceAt(level), addresses));
  assert.equal(named(4, 'dora@gmail.com', 'zoe@gmail.com'), 3);
  assert.equal(named(4), 3);
  assert.equal(named(4, 'dora@gmail.com', 'ben@harbour.example'), 4);
  for (const level of [0, 1, 2, 3]) assert.equal(named(level, 'dora@gmail.com'), level);
});
