// What the caller received, for the web app. Listing counts nothing.
import {
  countReceived,
  listReceivedPage,
  type ReceivedFilter,
  type ReceivedMessage,
  type ReceivedOrder,
  type ReceivedState,
} from '../../db/messages/received.ts';
import {
  archiveName,
  downloadableFiles,
  downloadsLeft,
  type FileState,
  fileState,
  viewerOf,
} from '../../domain/archives.ts';
import { available, unavailable } from '../../domain/availability.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { ticketLifetimeMs } from '../../domain/downloads.ts';
import { type Message, type MessageFile, messageStateAt } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { listOwnDownloads } from '../downloads/log.ts';
import { type Listed, listPage, type PageQuery } from '../listing.ts';
import { findMessageAccess, identityOf, type MessageAccess, readerOf } from '../messages/access.ts';
import { readPrivateMessage } from '../messages/reading.ts';
import { issueMessageTicket } from '../messages/tickets.ts';

export type ReceivedKind = 'message' | 'request' | 'drop';

export interface Received {
  id: string;
  kind: ReceivedKind;
  sender: { name: string; address: string };
  isSenderConfirmed: boolean;
  subject: string;
  fileCount: number;
  sizeBytes: number;
  receivedAt: number;
  expiresOn: string;
  isPrivate: boolean;
  state: ReceivedState;
}

export interface ReceivedWanted extends PageQuery {
  state: ReceivedState | null;
  kind: ReceivedKind | null;
  person: string | null;
  order: ReceivedOrder;
}

const kinds = { sent: 'message', request: 'request', filedrop: 'drop' } as const;
const origins = { message: 'sent', request: 'request', drop: 'filedrop' } as const;

export async function listReceived(ctx: Ctx, caller: UserCaller, wanted: ReceivedWanted): Promise<Listed<Received>> {
  const now = ctx.clock.now();
  const filter: ReceivedFilter = {
    ...(await readerOf(ctx, caller)),
    state: wanted.state,
    origin: wanted.kind === null ? null : origins[wanted.kind],
    sender: wanted.person?.trim().toLowerCase() ?? null,
    now,
  };
  const listed = await listPage(wanted, {
    count: () => countReceived(ctx.db.read, filter),
    rows: (offset, limit) => listReceivedPage(ctx.db.read, filter, wanted.order, { offset, limit }),
    texts: (message) => [message.subject, message.sender, message.senderName, message.id],
  });
  return { ...listed, items: listed.items.map((message) => receivedOf(message, stateOf(message, now))) };
}

function stateOf(message: ReceivedMessage, now: number): ReceivedState {
  if (messageStateAt(message, now) !== 'active') return 'expired';
  return message.isDownloaded ? 'downloaded' : 'new';
}

type Described = Omit<ReceivedMessage, 'state' | 'isDownloaded' | 'sendsReceipts' | 'reviewState' | 'expiryToldAt'>;

function receivedOf(message: Described, state: ReceivedState): Received {
  return {
    id: message.id,
    kind: kinds[message.origin],
    sender: { name: message.senderName === '' ? message.sender : message.senderName, address: message.sender },
    isSenderConfirmed: message.isSenderConfirmed,
    subject: message.subject,
    fileCount: message.fileCount,
    sizeBytes: message.sizeBytes,
    receivedAt: message.createdAt,
    expiresOn: message.expiresOn,
    isPrivate: message.isPrivate,
    state,
  };
}

export interface ReceivedFile extends Omit<MessageFile, 'state'> {
  state: 'ready' | 'checking' | 'used_up' | 'removed';
  downloadsLeft: number | null;
  downloadedAt: number | null;
}

export interface ReceivedDetail extends Received, Pick<Message, 'recipients' | 'ccs' | 'audience' | 'bodyHtml'> {
  isOnlyRecipient: boolean;
  /** The request it answers; null unless the caller owns it. */
  requestId: string | null;
  /** Null while it is withheld. */
  body: string | null;
  /** The smallest number over all files; null without a limit. */
  downloadsLeft: number | null;
  files: ReceivedFile[];
  access: MessageAccess;
}

/** Withholds text and files of an expired message; messages that ended otherwise are not found. */
export async function getReceived(ctx: Ctx, caller: UserCaller, id: string): Promise<ReceivedDetail> {
  const access = await getAccess(ctx, caller, id);
  const { message, gate, admission, isOwner } = access;
  const counter = admission.verdict === 'allow' && admission.identity !== '' ? admission.identity : caller.email;
  const own = await listOwnDownloads(ctx, message, { identity: counter, browser: undefined });
  const files = message.files.map((file) => describeFile(file, access, own.get(file.attachmentId) ?? null));
  const state = gate !== 'allow' ? 'expired' : own.size > 0 ? 'downloaded' : 'new';
  const { recipients, ccs, effectiveAudience: audience, requestId, body, bodyHtml } = message;
  const isHidden = gate !== 'allow' || (message.isPrivate && !isOwner);
  const left = files.flatMap((file) => file.downloadsLeft ?? []);
  return {
    ...receivedOf({ ...message, fileCount: files.length }, state),
    recipients,
    ccs,
    audience,
    isOnlyRecipient: access.isRecipient && message.recipientCount === 1,
    requestId: isOwner ? requestId : null,
    ...(isHidden ? { body: null, bodyHtml: null } : { body, bodyHtml }),
    downloadsLeft: left.length === 0 ? null : Math.min(...left),
    files,
    access,
  };
}

/** Others get the answer for an unknown id. */
async function getAccess(ctx: Ctx, caller: UserCaller, id: string): Promise<MessageAccess> {
  const access = isId(id) ? await findMessageAccess(ctx, id, await identityOf(ctx, caller), caller.userId) : null;
  if (access === null || (access.gate !== 'allow' && access.gate !== 'expired')) throw notFound('message');
  const { message, isOwner, admission } = access;
  if (!isOwner && admission.verdict !== 'allow') throw notFound('message');
  // Unless the sender is also a recipient.
  if (isOwner && message.origin === 'sent') {
    const people = [...message.recipients, ...message.ccs, ...(message.bccs ?? [])];
    const { addresses } = await readerOf(ctx, caller);
    if (!addresses.some((address) => people.includes(address))) throw notFound('message');
  }
  return access;
}

const fileStates = {
  ready: 'ready',
  'used-up': 'used_up',
  'being-checked': 'checking',
  held: 'removed',
  removed: 'removed',
} as const satisfies Record<FileState, ReceivedFile['state']>;

function describeFile(file: MessageFile, access: MessageAccess, downloadedAt: number | null): ReceivedFile {
  return {
    ...file,
    state: fileStates[fileState(file, access)],
    downloadsLeft: downloadsLeft(file, access),
    downloadedAt,
  };
}

/** The first time, the sender is notified. */
export async function readReceived(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const access = await getAccess(ctx, caller, id);
  if (access.gate !== 'allow') throw unavailable('expired', 'message');
  if (access.message.isPrivate && !access.isOwner) await readPrivateMessage(ctx, caller, access);
  return access.message;
}

export interface ReceivedTicket {
  ticket: string;
  fileName: string;
  expiresAt: number;
}

/** For one file, or an archive of all files that can still be downloaded. */
export async function createReceivedTicket(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  wanted: string,
): Promise<ReceivedTicket> {
  const { access } = await getReceived(ctx, caller, id);
  const { files } = access.message;
  const expiresAt = Math.min(ctx.clock.now() + ticketLifetimeMs, access.message.expiresAt);
  const left = downloadableFiles(access.message, access);
  if (wanted === 'all' && left.length > 1) {
    const archiveOf = left.map((file) => file.attachmentId);
    const ticket = await issueMessageTicket(ctx, caller, access, { file: left[0]!, archiveOf });
    return { ticket, fileName: archiveName(access.message.subject), expiresAt };
  }
  // With no file left, the first one decides which refusal is returned.
  const attachmentId = wanted === 'all' ? (left[0] ?? files[0])?.attachmentId : wanted;
  const file = files.find((candidate) => candidate.attachmentId === attachmentId);
  if (file === undefined) throw notFound('file');
  const answer = available(file, viewerOf(file, access));
  if (answer !== 'yes') throw unavailable(answer, 'message');
  return { ticket: await issueMessageTicket(ctx, caller, access, { file }), fileName: file.fileName, expiresAt };
}
