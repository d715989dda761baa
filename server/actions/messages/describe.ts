// Messages as people see them: rows opened, recipients sorted by role, Bcc only for the owner.
import { listMessageFiles, listRecipients, type MessageRow } from '../../db/messages.ts';
import type { MessageRecipientsTable, Query } from '../../db/schema.ts';
import { audiences } from '../../domain/audience.ts';
import type { Message } from '../../domain/messages.ts';
import type { Ctx } from '../context.ts';

export async function describeMessage(
  ctx: Ctx,
  db: Query,
  row: MessageRow,
  view: { showsBcc: boolean },
): Promise<Message> {
  const recipients = await listRecipients(db, row.id);
  return messageOf(ctx, row, recipients, await listMessageFiles(db, row.id), view);
}

/** From rows that are at hand. */
export function messageOf(
  ctx: Ctx,
  row: MessageRow,
  recipients: Pick<MessageRecipientsTable, 'address' | 'role' | 'state'>[],
  files: Awaited<ReturnType<typeof listMessageFiles>>,
  view: { showsBcc: boolean },
): Message {
  const withRole = (role: string) =>
    recipients
      .filter((recipient) => recipient.role === role && recipient.state === 'active')
      .map((recipient) => recipient.address);
  const state =
    row.state === 'revoked'
      ? 'revoked'
      : row.state === 'released' || row.expires_at <= ctx.clock.now()
        ? 'expired'
        : 'active';
  return {
    id: row.id,
    ownerId: row.owner_id,
    origin: row.origin,
    requestId: row.request_id,
    sender: row.sender,
    senderName: row.sender_name,
    isSenderConfirmed: row.is_sender_confirmed === 1,
    subject: ctx.keys.openText('text', row.subject_sealed, `${row.id}/subject`),
    body: ctx.keys.openText('text', row.body_sealed, `${row.id}/body`),
    bodyHtml: row.html_sealed === null ? null : ctx.keys.openText('text', row.html_sealed, `${row.id}/html`),
    isTextWithheld: false,
    audience: audiences[row.audience]!,
    downloadLimit: row.download_limit,
    isPrivate: row.is_private === 1,
    expiresOn: row.expires_on,
    expiresAt: row.expires_at,
    sizeBytes: row.size_bytes,
    state,
    recipients: withRole('to'),
    ccs: withRole('cc'),
    bccs: view.showsBcc ? withRole('bcc') : null,
    files: files.map((file) => ({
      attachmentId: file.id,
      fileName: ctx.keys.openText('name', file.name_sealed, file.id),
      sizeBytes: file.size_bytes,
      contentType: file.content_type,
      sha256: file.sha256,
      crc32: file.crc32,
      isAvailable: file.state === 'ready' && state === 'active',
    })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** For programs that look at a message of others: the text of a private one comes by reading it, which counts. */
export function withoutPrivateText(message: Message, readerId: string): Message {
  if (!message.isPrivate || message.ownerId === readerId) return message;
  return { ...message, body: '', bodyHtml: null, isTextWithheld: true };
}
