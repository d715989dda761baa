// The right to download one file or archive. Issuing counts nothing; each use is checked against current data.
import { findLatestTicket, findStanding, findTicket, insertTicket } from '../../db/downloads/tickets.ts';
import { lockUser } from '../../db/users/users.ts';
import { unavailable } from '../../domain/availability.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  maxServedBytes,
  ownUse,
  resolveUse,
  type Ticket,
  type TicketBearer,
  ticketLifetimeMs,
} from '../../domain/downloads.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { type Delivery, findDelivery } from './deliveries.ts';
import { findRequestProof, proofOfCaller } from './request-proofs.ts';
import { findTicketRefusal, holderOf } from './ticket-refusals.ts';

export interface NewTicket
  extends Pick<
    Ticket,
    'attachmentId' | 'ownerId' | 'linkId' | 'messageId' | 'recipient' | 'kind' | 'identity' | 'accountId' | 'expiresAt'
  > {
  /** Hash of the requesting browser; left out for programs. */
  browserHash?: Buffer | null;
  network?: string;
  /** Version of the link's password when the visitor was admitted. */
  passwordVersion?: number;
  /** An archive of these files; the first is `attachmentId`. */
  archiveOf?: string[];
}

export async function issueTicket(ctx: Ctx, input: NewTicket): Promise<{ id: string; ticket: Ticket }> {
  const id = ctx.random.id();
  const ticket = newTicket(ctx, id, input);
  await ctx.db.write((tx) => insertTicket(tx, ticket, input.archiveOf ?? []));
  return { id, ticket };
}

export function newTicket(ctx: Ctx, id: string, { archiveOf, browserHash, ...input }: NewTicket): Ticket {
  const now = ctx.clock.now();
  return {
    network: '',
    passwordVersion: 0,
    ...input,
    idHash: ticketHash(ctx, id),
    isArchive: archiveOf !== undefined,
    visitorHash: browserHash ?? null,
    issuedAt: now,
    expiresAt: Math.min(now + ticketLifetimeMs, input.expiresAt),
    servedBytes: 0,
    unsettled: 0,
  };
}

/** The ticket in use, if it can also serve these bytes, or a new one. The lock makes concurrent ranges one download. */
export async function resumeTicket(
  ctx: Ctx,
  userId: string,
  input: NewTicket,
  file: { sizeBytes: number; wantedBytes: number },
): Promise<Ticket> {
  const ticket = newTicket(ctx, ctx.random.id(), input);
  return ctx.db.write(async (tx) => {
    await lockUser(tx, userId);
    const earlier = await findLatestTicket(tx, input, {
      issuedAfter: ctx.clock.now() - ticketLifetimeMs,
      servedBelowBytes: maxServedBytes(file.sizeBytes) - file.wantedBytes + 1,
    });
    if (earlier !== undefined) return earlier;
    await insertTicket(tx, ticket, []);
    return ticket;
  });
}

/** Refuses what was revoked, expired or disabled since the ticket was issued. */
export async function openTicket(ctx: Ctx, id: string, bearer: TicketBearer): Promise<Delivery> {
  const ticket = await findTicket(ctx.db.read, ticketHash(ctx, id));
  if (ticket === undefined) throw downloadEnded();
  return openFor(ctx, ticket, {
    use: resolveUse(ticket, bearer, ctx.clock.now()),
    proof: await findRequestProof(ctx, ticket, bearer),
  });
}

/** For a caller with an API key or a session. */
export async function openOwnTicket(ctx: Ctx, caller: UserCaller, ticket: Ticket): Promise<Delivery> {
  return openFor(ctx, ticket, { use: ownUse, proof: proofOfCaller(caller) });
}

async function openFor(ctx: Ctx, ticket: Ticket, by: Pick<Delivery, 'use' | 'proof'>): Promise<Delivery> {
  const now = ctx.clock.now();
  if (ticket.expiresAt <= now) throw (await findTicketRefusal(ctx, ticket)) ?? downloadEnded();
  const standing = await findStanding(ctx.db.read, ticket, by.use, now);
  if (standing === 'ended') throw usedUp();
  if (standing === 'elsewhere') throw elsewhere();
  if (standing === 'not_permitted') throw notPermitted();
  const delivery = standing === 'gone' ? null : await findDelivery(ctx, ticket, by);
  if (delivery !== null) return delivery;
  throw (await findTicketRefusal(ctx, ticket)) ?? unavailable('erased', holderOf(ticket));
}

/** Target of a ticket in any state; null if unknown. */
export async function findTicketTarget(
  ctx: Ctx,
  id: string,
): Promise<Pick<Ticket, 'messageId' | 'linkId' | 'isArchive'> | null> {
  return (await findTicket(ctx.db.read, ticketHash(ctx, id))) ?? null;
}

function downloadEnded(): Problem {
  return notFound('download', 'This download has ended. Go back to the page you came from and select Download again.');
}

/** Also for a used or replaced ticket. */
export function usedUp(): Problem {
  return new Problem(
    'gone',
    'download.used_up',
    'This download is over. To download again, go back to the page you came from and select Download.',
  );
}

function elsewhere(): Problem {
  return new Problem(
    'forbidden',
    'download.elsewhere',
    'This address works only in the browser in which Download was selected. Go to the page it came from and select Download there.',
  );
}

function notPermitted(): Problem {
  return new Problem(
    'forbidden',
    'download.not_permitted',
    'Go back to the page you came from, confirm your e-mail address there, then download again.',
  );
}

export function visitorHash(ctx: Ctx, visitor: string): Buffer {
  return ctx.keys.hash('visitor', visitor);
}

function ticketHash(ctx: Ctx, ticketId: string): Buffer {
  return ctx.keys.hash('ticket', ticketId);
}
