// Files of a message for the API: addresses that need the caller's key, and their bytes. The owner's own fetch is logged
// and not counted; a recipient's counts like any other download (security D28).
import { findMessageFileSize } from '../../db/messages/message-files.ts';
import { findMessage } from '../../db/messages/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { MessageFile } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import { asciiFallback } from '../../lib/file-name.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';
import type { Delivery } from '../downloads/deliveries.ts';
import { issueTicket, type NewTicket, openOwnTicket, resumeTicket } from '../downloads/tickets.ts';
import { gateOfMessage, identityOf } from './access.ts';

/** `BASE/message/MESSAGE/ATTACHMENT/TOKEN/FILENAME`, as existing clients know it. */
export function fileUrl(ctx: Ctx, messageId: string, file: MessageFile): string {
  const token = fileToken(ctx, messageId, file.attachmentId);
  return `${ctx.settings.surroundings.baseUrl}/message/${messageId}/${file.attachmentId}/${token}/${asciiFallback(file.fileName)}`;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 22 letters and digits that only we can make; not enough without the key of somebody who may open the message. */
function fileToken(ctx: Ctx, messageId: string, attachmentId: string): string {
  const hash = ctx.keys.hash('file-url', `${messageId}\0${attachmentId}`);
  return [...hash.subarray(0, 22)].map((byte) => digits[byte % digits.length]).join('');
}

export interface WantedFile {
  messageId: string;
  attachmentId: string;
  token: string;
  /** How many bytes a request for a range wants of a file of this size; null for the whole file. */
  rangeBytes: ((sizeBytes: number) => number) | null;
}

/** The way to the bytes for the holder of a key: the owner, or somebody who may open the message. */
export async function openMessageFile(ctx: Ctx, caller: UserCaller, wanted: WantedFile): Promise<Delivery> {
  const message = await findMessage(ctx.db.read, wanted.messageId);
  if (message === undefined || !sameText(wanted.token, fileToken(ctx, wanted.messageId, wanted.attachmentId)))
    throw notFound('file');
  const sizeBytes = await findMessageFileSize(ctx.db.read, message.id, wanted.attachmentId);
  if (sizeBytes === null) throw notFound('file');
  const isOwner = message.ownerId === caller.userId;
  const identity = await identityOf(ctx, caller);
  const { gate, admission } = await gateOfMessage(ctx.db.read, message, identity, ctx.clock.now());
  if (!isOwner && gate !== 'allow') throw notFound('file');
  const ticket: NewTicket = {
    attachmentId: wanted.attachmentId,
    ownerId: message.ownerId,
    linkId: null,
    messageId: message.id,
    recipient: isOwner ? caller.email : admission.verdict === 'allow' ? admission.address : '',
    identity: admission.verdict === 'allow' ? admission.identity : '',
    accountId: caller.userId,
    kind: isOwner ? 'owner' : 'visitor',
    expiresAt: message.expiresAt,
  };
  if (wanted.rangeBytes === null) return openOwnTicket(ctx, (await issueTicket(ctx, ticket)).ticket);
  const file = { sizeBytes, wantedBytes: wanted.rangeBytes(sizeBytes) };
  return openOwnTicket(ctx, await resumeTicket(ctx, caller.userId, ticket, file));
}
