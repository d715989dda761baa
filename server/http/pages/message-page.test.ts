import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageAccess } from '../../actions/messages/access.ts';
import type { HttpDeps } from '../deps.ts';
import { endedPage } from './message-page.ts';

const message = {
  id: 'm',
  subject: 'Plans',
  sender: 'alice@example.com',
  senderName: '',
  isPrivate: false,
  files: [{}, {}],
  expiresOn: '2026-11-20',
  updatedAt: Date.UTC(2026, 10, 17),
};
const alice = { name: 'alice@example.com', address: 'alice@example.com' };

function pageOf({ tells = true, gate = 'expired', more = {} }: { tells?: boolean; gate?: string; more?: object } = {}) {
  const settings = { current: () => ({ showExpiredDetails: tells }), surroundings: { timeZone: 'UTC' } };
  const deps = { ctx: { settings }, baseUrl: new URL('https://files.example.com') };
  const admission =
    gate === 'not_allowed' ? { verdict: 'not_allowed', address: 'ben@harbour.example' } : { verdict: 'allow' };
  const access = { message: { ...message, ...more }, gate, admission };
  const { about, reason } = endedPage(deps as unknown as HttpDeps, access as unknown as MessageAccess);
  return { about, ...reason } as Record<string, unknown>;
}

test('an expired or withdrawn message shows its subject, sender and date, a private one no subject', () => {
  const expired = { is: 'expired', until: '2026-11-20', fileCount: 2, sender: alice };
  assert.deepEqual(pageOf(), { about: 'Plans', ...expired });
  assert.deepEqual(pageOf({ more: { subject: '' } }), { about: null, ...expired });
  assert.deepEqual(pageOf({ more: { isPrivate: true } }), { about: null, ...expired });
  const stopped = { is: 'stopped', on: '2026-11-17', fileCount: 2, sender: alice };
  assert.deepEqual(pageOf({ gate: 'revoked' }), { about: 'Plans', ...stopped });
  assert.equal(pageOf({ gate: 'revoked', more: { isPrivate: true } }).about, null);
});

test('nothing of it is shown if that is switched off, and only the subject of one that was removed', () => {
  assert.deepEqual(pageOf({ tells: false }), { about: null, is: 'expired', until: null, fileCount: 2, sender: null });
  const stopped = { about: null, is: 'stopped', on: null, fileCount: 2, sender: null };
  assert.deepEqual(pageOf({ tells: false, gate: 'revoked' }), stopped);
  assert.deepEqual(pageOf({ gate: 'owner_gone' }), { about: 'Plans', is: 'removed', fileCount: 2 });
});

test('a visitor who may not open it sees that it is not for them, and who sent it', () => {
  const { is, about, address, sender } = pageOf({ tells: false, gate: 'not_allowed', more: { senderName: 'Alice' } });
  assert.deepEqual([is, about, sender], ['not-allowed', 'Plans', { ...alice, name: 'Alice' }]);
  assert.match(String(address), /^b.*@harbour\.example$/);
  assert.equal(pageOf({ gate: 'not_allowed', more: { isPrivate: true } }).about, null);
});
