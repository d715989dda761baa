import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  confirmedDefaultAlias,
  confirmedEmail,
  confirmedRecipientAliases,
  confirmedSenderAliases,
  givenAddresses,
  unprovenAddresses,
} from './addresses.ts';

const account = {
  email: 'ann@example.com',
  senderAliases: ['office@example.com', 'a@example.com'],
  recipientAliases: ['a@example.com', 'b@example.com'],
  defaultSenderAlias: 'a@example.com',
  provenAddresses: ['a@example.com'],
};

test('an address is active once it is proven', () => {
  assert.equal(confirmedEmail(account), null);
  assert.equal(confirmedEmail({ ...account, provenAddresses: ['ann@example.com'] }), 'ann@example.com');
  assert.deepEqual(confirmedSenderAliases(account), ['a@example.com']);
  assert.deepEqual(confirmedRecipientAliases(account), ['a@example.com']);
});

test('the default sender is an active address, or the account address', () => {
  assert.equal(confirmedDefaultAlias(account), 'a@example.com');
  assert.equal(confirmedDefaultAlias({ ...account, defaultSenderAlias: 'office@example.com' }), '');
  assert.equal(confirmedDefaultAlias({ ...account, defaultSenderAlias: 'b@example.com' }), '');
  assert.equal(confirmedDefaultAlias({ ...account, defaultSenderAlias: '' }), '');
});

test('each address is listed once, the account address first; unproven ones wait for a code', () => {
  assert.deepEqual(givenAddresses(account), [
    'ann@example.com',
    'office@example.com',
    'a@example.com',
    'b@example.com',
  ]);
  assert.deepEqual(unprovenAddresses(account), ['ann@example.com', 'office@example.com', 'b@example.com']);
});
