import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../actions/account/account.ts';
import { defaultPolicy } from '../../domain/policy.ts';
import { accountText } from './account.ts';

const account = {
  caller: {
    userId: 'u',
    email: 'alice@example.com',
    name: 'Alice',
    groupId: 'g',
    groupName: 'Sales',
    isLocal: true,
    apiKeyExpiresAt: 1_000,
    policy: defaultPolicy(true),
  },
  facts: { recipientAliases: [], senderAliases: [], defaultSenderAlias: '', clientKey: '' },
  organisationName: 'Northlight',
  filedrops: { random: '', email: '' },
} as unknown as Account;

describe('the cached account text', () => {
  const changes: Record<string, Partial<Account['caller']>> = {
    address: { email: 'alice@elsewhere.example' },
    name: { name: 'Alice Moss' },
    group: { groupId: 'other' },
    'name of the group': { groupName: 'Service' },
    place: { isLocal: false },
    key: { apiKeyExpiresAt: null },
    rules: { policy: { ...defaultPolicy(true), page_title: 'Files' } },
  };
  for (const [what, change] of Object.entries(changes))
    test(`is another one for another ${what}`, () => {
      const before = accountText(account);
      const after = accountText({ ...account, caller: { ...account.caller, ...change } });
      assert.notEqual(after, before);
      assert.equal(accountText(account), before);
    });

  test('changes with the name of the organisation', () => {
    assert.match(accountText({ ...account, organisationName: 'Southlight' }), /Southlight/);
    assert.doesNotMatch(accountText(account), /Southlight/);
  });

  test('has an expiry of the key only if there is one', () => {
    const endOf = (apiKeyExpiresAt: number | null) =>
      JSON.parse(accountText({ ...account, caller: { ...account.caller, apiKeyExpiresAt } })).user.api_key_expires_at;
    assert.deepEqual([endOf(1_000), endOf(null)], ['1970-01-01T00:00:01.000Z', '']);
  });
});
