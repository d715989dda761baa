// Why files of a ticket may not leave.
import { listTicketFiles } from '../../db/downloads/ticket-files.ts';
import { findFileLink } from '../../db/file-links/file-links.ts';
import { listRemovedFiles } from '../../db/messages/message-files.ts';
import { findMessage } from '../../db/messages/messages.ts';
import { findUser } from '../../db/users/users.ts';
import { anyViewer, available, type ShareState, unavailable } from '../../domain/availability.ts';
import type { Ticket } from '../../domain/downloads.ts';
import { linkShareAt } from '../../domain/file-links.ts';
import { messageShareAt } from '../../domain/messages.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

/** Null if all may leave. */
export async function findTicketRefusal(ctx: Ctx, ticket: Ticket): Promise<Problem | null> {
  const holder = holderOf(ticket);
  const share = await findShare(ctx, ticket);
  const removed = ticket.messageId === null ? [] : await listRemovedFiles(ctx.db.read, ticket.messageId);
  const viewer = { ...anyViewer, isOwner: ticket.kind === 'owner' };
  for (const file of await listTicketFiles(ctx.db.read, ticket)) {
    const isRemoved = share === 'active' && removed.some(({ attachmentId }) => attachmentId === file.attachmentId);
    const answer = available({ ...file, share: isRemoved ? 'removed' : share }, viewer);
    if (answer !== 'yes') return unavailable(answer, holder);
  }
  return null;
}

export function holderOf({ linkId }: Ticket): 'message' | 'link' {
  return linkId === null ? 'message' : 'link';
}

async function findShare({ db, clock }: Ctx, { linkId, messageId, ownerId }: Ticket): Promise<ShareState> {
  const ownerState = (await findUser(db.read, ownerId))?.state ?? 'deleted';
  const link = linkId === null ? null : await findFileLink(db.read, linkId);
  if (link !== null) return linkShareAt({ ...link, ownerState }, clock.now());
  const message = messageId === null ? undefined : await findMessage(db.read, messageId);
  return message === undefined ? 'withdrawn' : messageShareAt({ ...message, ownerState }, clock.now());
}
