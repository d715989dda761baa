// Tickets: the right to fetch one file or one archive, handed out by a press on Download. Issuing and looking count
// nothing; a ticket is checked against current data whenever it is used (invariants I14, I15, I17).
import { findLatestTicket, findStanding, findTicket, insertTicket } from '../../db/downloads/tickets.ts';
import { lockUser } from '../../db/users/users.ts';
import { unavailable } from '../../domain/availability.ts';
import {
  maxServedBytes,
  ownUse,
  resolveUse,
  type Ticket,
  type TicketBearer,
  type TicketUse,
  ticketLifetimeMs,
} from '../../domain/downloads.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { type Delivery, findDelivery } from './deliveries.ts';
import { findTicketRefusal, holderOf } from './ticket-refusals.ts';

export interface NewTicket
  extends Pick<
    Ticket,
    'attachmentId' | 'ownerId' | 'linkId' | 'messageId' | 'recipient' | 'kind' | 'identity' | 'accountId' | 'expiresAt'
  > {
  /** Of the browser that pressed Download; left out for programs. */
  browserHash?: Buffer | null;
  network?: string;
  /** Of the link, as it was when its visitor was let in. */
  passwordVersion?: number;
  /** One archive of these files of the message, the first of which is `attachmentId`. */
  archiveOf?: string[];
}

/** `expiresAt` of the wish is when the target ends. */
export async function issueTicket(ctx: Ctx, wanted: NewTicket): Promise<{ id: string; ticket: Ticket }> {
  const id = ctx.random.id();
  const ticket = newTicket(ctx, id, wanted);
  await ctx.db.write((tx) => insertTicket(tx, ticket, wanted.archiveOf ?? []));
  return { id, ticket };
}

export function newTicket(ctx: Ctx, id: string, { archiveOf, browserHash, ...wanted }: NewTicket): Ticket {
  const now = ctx.clock.now();
  return {
    network: '',
    passwordVersion: 0,
    ...wanted,
    idHash: ticketHash(ctx, id),
    isArchive: archiveOf !== undefined,
    visitorHash: browserHash ?? null,
    issuedAt: now,
    expiresAt: Math.min(now + ticketLifetimeMs, wanted.expiresAt),
    servedBytes: 0,
    unsettled: 0,
  };
}

/**
 * The ticket this person is using for the file already, or a new one. Requests for ranges that arrive together wait for
 * each other at the person's row, so that all of them are one download. One that cannot serve these bytes as well is not
 * resumed; what follows is a download of its own.
 */
export async function resumeTicket(
  ctx: Ctx,
  userId: string,
  wanted: NewTicket,
  file: { sizeBytes: number; wantedBytes: number },
): Promise<Ticket> {
  const ticket = newTicket(ctx, ctx.random.id(), wanted);
  return ctx.db.write(async (tx) => {
    await lockUser(tx, userId);
    const earlier = await findLatestTicket(tx, wanted, {
      issuedAfter: ctx.clock.now() - ticketLifetimeMs,
      servedBelowBytes: maxServedBytes(file.sizeBytes) - file.wantedBytes + 1,
    });
    if (earlier !== undefined) return earlier;
    await insertTicket(tx, ticket, []);
    return ticket;
  });
}

/** What a ticket leads to. What was revoked, expired or disabled since it was issued is refused here. */
export async function openTicket(ctx: Ctx, id: string, bearer: TicketBearer): Promise<Delivery> {
  const ticket = await findTicket(ctx.db.read, ticketHash(ctx, id));
  if (ticket === undefined) throw downloadEnded();
  return openFor(ctx, ticket, resolveUse(ticket, bearer, ctx.clock.now()));
}

/** The same for whoever has shown their key at this very request. */
export async function openOwnTicket(ctx: Ctx, ticket: Ticket): Promise<Delivery> {
  return openFor(ctx, ticket, ownUse);
}

async function openFor(ctx: Ctx, ticket: Ticket, use: TicketUse): Promise<Delivery> {
  const now = ctx.clock.now();
  if (ticket.expiresAt <= now) throw (await findTicketRefusal(ctx, ticket)) ?? downloadEnded();
  const standing = await findStanding(ctx.db.read, ticket, use, now);
  if (standing === 'ended') throw usedUp();
  if (standing === 'elsewhere') throw elsewhere();
  if (standing === 'not_permitted') throw notPermitted();
  const delivery = standing === 'gone' ? null : await findDelivery(ctx, ticket, use);
  if (delivery !== null) return delivery;
  throw (await findTicketRefusal(ctx, ticket)) ?? unavailable('erased', holderOf(ticket));
}

/** Where a ticket came from, whatever became of it; null when it is not known any more. */
export async function findTicketTarget(
  ctx: Ctx,
  id: string,
): Promise<Pick<Ticket, 'messageId' | 'linkId' | 'isArchive'> | null> {
  return (await findTicket(ctx.db.read, ticketHash(ctx, id))) ?? null;
}

function downloadEnded(): Problem {
  return notFound('download', 'This download has ended. Go back to the page you came from and press Download again.');
}

/** Also for a ticket that has given its one copy, or whose place another one has taken. */
export function usedUp(): Problem {
  return new Problem(
    'gone',
    'download.used_up',
    'This download is over. To download again, go back to the page you came from and press Download.',
  );
}

function elsewhere(): Problem {
  return new Problem(
    'forbidden',
    'download.elsewhere',
    'This address works only in the browser in which Download was pressed. Go to the page it came from and press Download there.',
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
