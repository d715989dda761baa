// The API's file URLs. Downloads by the owner are logged, not counted.
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

/** The format that existing clients expect. */
export function fileUrl(ctx: Ctx, messageId: string, file: MessageFile): string {
  const token = fileToken(ctx, messageId, file.attachmentId);
  return `${ctx.settings.surroundings.baseUrl}/message/${messageId}/${file.attachmentId}/${token}/${asciiFallback(file.fileName)}`;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The request also needs the API key of a user with access. */
function fileToken(ctx: Ctx, messageId: string, attachmentId: string): string {
  const hash = ctx.keys.hash('file-url', `${messageId}\0${attachmentId}`);
  return [...hash.subarray(0, 22)].map((byte) => digits[byte % digits.length]).join('');
}

export interface MessageFileInput {
  messageId: string;
  attachmentId: string;
  token: string;
  /** Size of the requested range; null for the whole file. */
  rangeBytes: ((sizeBytes: number) => number) | null;
}

export async function openMessageFile(ctx: Ctx, caller: UserCaller, input: MessageFileInput): Promise<Delivery> {
  const message = await findMessage(ctx.db.read, input.messageId);
  if (message === undefined || !sameText(input.token, fileToken(ctx, input.messageId, input.attachmentId)))
    throw notFound('file');
  const sizeBytes = await findMessageFileSize(ctx.db.read, message.id, input.attachmentId);
  if (sizeBytes === null) throw notFound('file');
  const isOwner = message.ownerId === caller.userId;
  const identity = await identityOf(ctx, caller);
  const { gate, admission } = await gateOfMessage(ctx.db.read, message, identity, ctx.clock.now());
  if (!isOwner && gate !== 'allow') throw notFound('file');
  const ticket: NewTicket = {
    attachmentId: input.attachmentId,
    ownerId: message.ownerId,
    linkId: null,
    messageId: message.id,
    recipient: isOwner ? caller.email : admission.verdict === 'allow' ? admission.address : '',
    identity: admission.verdict === 'allow' ? admission.identity : '',
    accountId: caller.userId,
    kind: isOwner ? 'owner' : 'visitor',
    expiresAt: message.expiresAt,
  };
  if (input.rangeBytes === null) return openOwnTicket(ctx, caller, (await issueTicket(ctx, ticket)).ticket);
  const file = { sizeBytes, wantedBytes: input.rangeBytes(sizeBytes) };
  return openOwnTicket(ctx, caller, await resumeTicket(ctx, caller.userId, ticket, file));
}
