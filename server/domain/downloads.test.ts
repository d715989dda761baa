import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxServedBytes, resolveUse, type Ticket, type TicketBearer, ticketLifetimeMs } from './downloads.ts';

test('one ticket serves at most twice the file, within a day', () => {
  for (const size of [0, 1, 1000, 5 * 1024 ** 4]) assert.equal(maxServedBytes(size), 2 * size);
  assert.equal(ticketLifetimeMs, 86_400_000);
});

test('a ticket is bound to its browser and account, and for a quarter of an hour also works for a helper without cookies in the same network', () => {
  const issuedAt = 1_800_000_000_000;
  const [own, other] = [Buffer.from('own browser'), Buffer.from('another')];
  const ticket = { visitorHash: own, accountId: 'alice', network: '198.51.100.0/24', issuedAt } as Ticket;
  const stranger: TicketBearer = {
    visitorHash: other,
    sessionHash: null,
    proofHash: null,
    apiKeyId: null,
    isBare: false,
    accountId: null,
    network: ticket.network,
  };
  const bare: TicketBearer = { ...stranger, visitorHash: null, isBare: true };
  const quarterMs = 15 * 60_000;
  const table: [what: string, bearer: TicketBearer, afterMs: number, use: string, of?: Partial<Ticket>][] = [
    ['a stranger', stranger, 0, ''],
    ['its browser', { ...stranger, sessionHash: own }, quarterMs * 9, 'home'],
    ['its browser, of a ticket without one', { ...stranger, visitorHash: own }, 0, '', { visitorHash: null }],
    ['its account', { ...stranger, accountId: 'alice' }, quarterMs * 9, 'home'],
    ['another account', { ...stranger, accountId: 'ben' }, 0, ''],
    ['no account, of a ticket without one', stranger, 0, '', { accountId: null }],
    ['a helper', bare, quarterMs, 'home bare helper'],
    ['a helper that comes late', bare, quarterMs + 1, 'bare'],
    ['a helper from elsewhere', { ...bare, network: '203.0.113.0/24' }, 0, 'bare'],
    ['a helper of a ticket from nowhere', { ...bare, network: '' }, 0, 'bare', { network: '' }],
    ['a bare program with a foreign key', { ...bare, accountId: 'ben' }, 0, ''],
  ];
  for (const [what, bearer, afterMs, use, of] of table) {
    const { isHome, isBare, isHelper } = resolveUse({ ...ticket, ...of }, bearer, issuedAt + afterMs);
    assert.equal([isHome && 'home', isBare && 'bare', isHelper && 'helper'].filter(Boolean).join(' '), use, what);
  }
});
