// Shows a mail in another language to the holder of its URL, until its subject has ended.
import { findFileRequest } from '../../db/file-requests/file-requests.ts';
import { findMail, type QueuedMail } from '../../db/mail/outbox.ts';
import { findMessage } from '../../db/messages/messages.ts';
import { findRecipient } from '../../db/messages/recipients.ts';
import { findUser } from '../../db/users/users.ts';
import { requestAt } from '../../domain/file-requests.ts';
import { messageStateAt } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import { sameText } from '../../lib/keyring.ts';
import { hasTrait, isMailKind, type MailKind, type MailPayloads } from '../../mail/kinds/all.ts';
import { type MailPageText, renderMailPage } from '../../mail/page.ts';
import type { Ctx } from '../context.ts';
import { mailFrame } from '../messages/mails.ts';

export type MailVisit = { is: 'shown'; mail: MailPageText } | { is: 'expired' | 'stopped' | 'removed' | 'closed' };

const idChars = 22;
const signatureChars = 32;

/** Signed, because mail ids appear in headers and logs. */
export function mailPageUrl(ctx: Ctx, mailId: string): string {
  return `${ctx.settings.surroundings.baseUrl}/mail/${mailId}${signatureOf(ctx, mailId)}`;
}

function signatureOf(ctx: Ctx, mailId: string): string {
  return ctx.keys.hash('mail-page', mailId).toString('base64url').slice(0, signatureChars);
}

/** Throws for an invalid token. */
export async function visitMailPage(ctx: Ctx, token: string, locale: string): Promise<MailVisit> {
  const id = token.slice(0, idChars);
  const isSigned = token.length === idChars + signatureChars && sameText(token.slice(idChars), signatureOf(ctx, id));
  const mail = isSigned ? await findMail(ctx.db.read, id) : undefined;
  if (mail === undefined || !isMailKind(mail.kind)) throw notFound('mail', 'There’s nothing at this address.');
  const ended = await endOf(ctx, mail);
  if (ended !== null) return { is: ended };
  const payload = mail.openPayload() as MailPayloads[MailKind];
  // A receipt without downloads was not sent.
  if ('downloads' in payload && payload.downloads.length === 0)
    throw notFound('mail', 'There’s nothing at this address.');
  return { is: 'shown', mail: renderMailPage(mail.kind, payload as never, mailFrame(ctx, locale)) };
}

/** Why the text is no longer shown; null while it is. */
async function endOf(ctx: Ctx, mail: QueuedMail): Promise<Exclude<MailVisit['is'], 'shown'> | null> {
  const now = ctx.clock.now();
  if (mail.state === 'cancelled') return 'stopped';
  if (mail.expiresAt !== null && mail.expiresAt <= now) return 'expired';
  if (mail.messageId !== null) {
    const message = await findMessage(ctx.db.read, mail.messageId);
    const state = message === undefined ? 'revoked' : messageStateAt(message, now);
    if (message === undefined || state !== 'active') return state === 'expired' ? 'expired' : 'stopped';
    if ((await findUser(ctx.db.read, message.ownerId))?.state !== 'active') return 'removed';
    if ((await findRecipient(ctx.db.read, message.id, mail.recipient))?.state === 'revoked') return 'stopped';
  }
  if (mail.requestId !== null && hasTrait(mail.kind, 'invites')) {
    const request = await findFileRequest(ctx.db.read, mail.requestId);
    if (request === null || requestAt(request, now).state !== 'open') return 'closed';
  }
  return null;
}
