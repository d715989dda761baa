import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '../context.ts';
import { type NewTicket, newTicket } from './tickets.ts';

const now = 1_000_000;
const day = 86_400_000;
const ctx = { clock: { now: () => now }, keys: { hash: () => Buffer.from('hashed') } } as unknown as Ctx;
const input = { attachmentId: 'file', ownerId: 'owner', linkId: 'link' } as NewTicket;

test('a ticket lasts a day, at most as long as its target', () => {
  const endOf = (expiresAt: number) => newTicket(ctx, 'id', { ...input, expiresAt }).expiresAt;
  assert.deepEqual([endOf(now + 2 * day), endOf(now + day), endOf(now + 5)], [now + day, now + day, now + 5]);
});

test('a new ticket has served nothing and has no browser, network or archive unless given', () => {
  const plain = newTicket(ctx, 'id', { ...input, expiresAt: now + 5 });
  const { network, passwordVersion, isArchive, visitorHash, issuedAt, servedBytes, unsettled } = plain;
  assert.deepEqual(
    [network, passwordVersion, isArchive, visitorHash, issuedAt, servedBytes, unsettled],
    ['', 0, false, null, now, 0, 0],
  );
  const browserHash = Buffer.from('browser');
  const named = newTicket(ctx, 'id', {
    ...input,
    expiresAt: now,
    browserHash,
    passwordVersion: 3,
    archiveOf: ['file'],
  });
  assert.deepEqual([named.visitorHash, named.passwordVersion, named.isArchive], [browserHash, 3, true]);
});
