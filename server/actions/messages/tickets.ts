// Tickets for the files of a message, for whoever was let in: on the message page and in the app.
import type { MessageFile } from '../../domain/messages.ts';
import type { Ctx } from '../context.ts';
import { issueTicket } from '../downloads/tickets.ts';
import type { MessageAccess } from './access.ts';

/** The right to fetch a file, or with `archiveOf` several as one archive. */
export function issueMessageTicket(
  ctx: Ctx,
  access: MessageAccess,
  file: MessageFile,
  archiveOf?: string[],
): Promise<string> {
  const { message, admission, holder, isOwner } = access;
  return issueTicket(ctx, {
    attachmentId: file.attachmentId,
    ownerId: message.ownerId,
    linkId: null,
    messageId: message.id,
    recipient: holder.address,
    accountId: holder.accountId,
    identity: admission.verdict === 'allow' ? admission.identity : '',
    kind: isOwner ? 'owner' : 'visitor',
    expiresAt: message.expiresAt,
    ...(archiveOf === undefined ? {} : { archiveOf }),
  });
}
