// What a ticket leads to, a link or a message, and whether it may still be fetched: evaluated with current data at each
// request for bytes (invariants I14, I15, I17).

import { listTicketFiles } from '../../db/archives.ts';
import { findFileLink } from '../../db/file-links.ts';
import { findMessage } from '../../db/messages.ts';
import { findRecipient } from '../../db/recipients.ts';
import type { TicketsTable } from '../../db/schema.ts';
import { findUser, findUserByEmail } from '../../db/users.ts';
import type { Identity } from '../../domain/audience.ts';
import { type LinkGate, linkGate } from '../../domain/file-links.ts';
import type { Ctx } from '../context.ts';
import { gateOfMessage, type MessageGate } from '../messages/access.ts';
import { accountIdFor, accountOf } from '../sessions/identities.ts';

export type TargetGate = LinkGate | MessageGate;

/** `now` is the moment that counts for expiry: the present for a new request, the start for one that runs. */
export async function gateOf(ctx: Ctx, ticket: TicketsTable, now: number): Promise<TargetGate> {
  return ticket.message_id === null
    ? linkTicketGate(ctx, ticket, now)
    : messageTicketGate(ctx, ticket, ticket.message_id, now);
}

async function linkTicketGate(ctx: Ctx, ticket: TicketsTable, now: number): Promise<TargetGate> {
  const link = ticket.link_id === null ? null : await findFileLink(ctx.db.read, ticket.link_id);
  if (link === null) return 'gone';
  const owner = await findUser(ctx.db.read, ticket.owner_id);
  const holder = await identityOfTicket(ctx, ticket);
  return linkGate(
    {
      ...link,
      // Released only says that the day is over and its job has run; whether it was over then is asked of the date.
      state: link.state === 'released' ? 'active' : link.state,
      ownerState: owner?.state ?? 'deleted',
    },
    {
      passwordPassed: true,
      address: holder.account?.address ?? holder.provenAddresses[0] ?? null,
      isOwner: ticket.kind === 'owner',
    },
    now,
  );
}

async function messageTicketGate(ctx: Ctx, ticket: TicketsTable, messageId: string, now: number): Promise<TargetGate> {
  const message = await findMessage(ctx.db.read, messageId);
  if (message === undefined) return 'gone';
  const isRevoked = (await findRecipient(ctx.db.read, messageId, ticket.recipient))?.state === 'revoked';
  if (isRevoked && ticket.kind === 'visitor') return 'not_allowed';
  const states = (await listTicketFiles(ctx.db.read, ticket)).map((file) => file.state);
  const { gate } = await gateOfMessage(ctx.db.read, message, await identityOfTicket(ctx, ticket), now);
  const isOwners = ticket.kind === 'owner' && (gate === 'needs_proof' || gate === 'not_allowed');
  if (gate !== 'allow' && !isOwners) return gate;
  if (states.includes('sealing')) return 'not_ready';
  return states.length > 0 && states.every((state) => state === 'ready') ? 'allow' : 'gone';
}

/**
 * Whoever pressed Download, as far as it still holds: an account counts as what it is now, and an address that left it,
 * or belongs to one that was switched off, counts for nothing (invariant I17).
 */
async function identityOfTicket(ctx: Ctx, ticket: TicketsTable): Promise<Identity> {
  const nobody: Identity = { provenAddresses: [], account: null };
  if (ticket.recipient === '') return nobody;
  if (ticket.account_id === null) {
    const user = await findUserByEmail(ctx.db.read, ticket.recipient);
    return user?.state === 'disabled' ? nobody : { provenAddresses: [ticket.recipient], account: null };
  }
  const user = await findUser(ctx.db.read, ticket.account_id);
  if (user === undefined || user.state !== 'active' || accountIdFor(user, ticket.recipient) === null) return nobody;
  return { provenAddresses: [], account: accountOf(user) };
}
