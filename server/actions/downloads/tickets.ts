// Tickets: the right to fetch one file or one archive, handed out by a press on Download. Issuing and looking count
// nothing; a ticket is checked against current data whenever it is used (invariants I14, I15, I17).
import { findLatestTicket, findStanding, findTicket, insertTicket } from '../../db/tickets.ts';
import { holdUser } from '../../db/users.ts';
import { mostServedBytes, type Ticket, ticketLifetimeMs } from '../../domain/downloads.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { type Delivery, findDelivery } from './deliveries.ts';

export interface NewTicket extends Omit<Ticket, 'idHash' | 'isArchive' | 'issuedAt' | 'visitorHash'> {
  /** The browser that pressed Download; left out for programs. */
  visitor?: string;
  /** One archive of these files of the message, the first of which is `attachmentId`. */
  archiveOf?: string[];
}

/** `expiresAt` of the wish is when the target ends. */
export async function issueTicket(ctx: Ctx, wanted: NewTicket): Promise<string> {
  const id = ctx.random.id();
  const ticket = newTicket(ctx, id, wanted);
  await ctx.db.write((tx) => insertTicket(tx, ticket, wanted.archiveOf ?? []));
  return id;
}

export function newTicket(ctx: Ctx, id: string, { archiveOf, visitor, ...wanted }: NewTicket): Ticket {
  const now = ctx.clock.now();
  return {
    ...wanted,
    idHash: ticketHash(ctx, id),
    isArchive: archiveOf !== undefined,
    visitorHash: visitor === undefined ? null : visitorHash(ctx, visitor),
    issuedAt: now,
    expiresAt: Math.min(now + ticketLifetimeMs, wanted.expiresAt),
  };
}

/**
 * The ticket this person is using for the file already, or a new one. Requests for ranges that arrive together wait for
 * each other at the person's row, so that all of them are one download. One that can not serve these bytes as well is not
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
    await holdUser(tx, userId);
    const earlier = await findLatestTicket(tx, wanted, {
      issuedAfter: ctx.clock.now() - ticketLifetimeMs,
      servedBelowBytes: mostServedBytes(file.sizeBytes) - file.wantedBytes + 1,
    });
    if (earlier !== undefined) return earlier;
    await insertTicket(tx, ticket, []);
    return ticket;
  });
}

/** What a ticket leads to. What was revoked, expired or disabled since it was issued is refused here. */
export async function openTicket(ctx: Ctx, id: string): Promise<Delivery> {
  const ticket = await findTicket(ctx.db.read, ticketHash(ctx, id));
  if (ticket === undefined) throw downloadEnded();
  return openKnownTicket(ctx, ticket);
}

export async function openKnownTicket(ctx: Ctx, ticket: Ticket): Promise<Delivery> {
  const now = ctx.clock.now();
  if (ticket.expiresAt <= now) throw downloadEnded();
  const standing = await findStanding(ctx.db.read, ticket, now);
  if (standing === 'not_permitted') throw notPermitted();
  const delivery = standing === 'gone' ? null : await findDelivery(ctx, ticket);
  if (delivery === null) throw new Problem('gone', 'download.gone', 'This file is no longer available.');
  return delivery;
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

function notPermitted(): Problem {
  return new Problem(
    'forbidden',
    'download.not_permitted',
    'Confirm your e-mail address on the page of this link, then download again.',
  );
}

export function visitorHash(ctx: Ctx, visitor: string): Buffer {
  return ctx.keys.hash('visitor', visitor);
}

function ticketHash(ctx: Ctx, ticketId: string): Buffer {
  return ctx.keys.hash('ticket', ticketId);
}
