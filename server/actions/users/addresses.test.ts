import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFacts } from './addresses.ts';

type Addresses = Parameters<typeof addressFacts>[0];

const before = {
  email: 'ann@example.com',
  senderAliases: [],
  recipientAliases: ['a@example.com'],
  provenAddresses: ['ann@example.com'],
} as unknown as Addresses;

test('an event has the old and the new value of each address that changed, and the reason', () => {
  assert.deepEqual(addressFacts(before, { ...before, email: 'new@example.com' }, 'married'), {
    addresses: { email: { from: 'ann@example.com', to: 'new@example.com' } },
    reason: 'married',
  });
  const changed = { ...before, senderAliases: ['s@example.com'], recipientAliases: [], provenAddresses: [] };
  assert.deepEqual(addressFacts(before, changed, ''), {
    addresses: {
      sender_aliases: { from: [], to: ['s@example.com'] },
      recipient_aliases: { from: ['a@example.com'], to: [] },
      confirmed_addresses: { from: ['ann@example.com'], to: [] },
    },
    reason: '',
  });
});

test('an event about another change contains no addresses', () => {
  assert.deepEqual(addressFacts(before, { ...before, senderAliases: [] }, 'no matter'), {});
});
