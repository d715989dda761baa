// What came to the caller, for the web app (experience S4). Looking counts nothing; reading a private text and
// downloading go through the same actions as the message page.
import {
  countReceived,
  listReceivedPage,
  type ReceivedFilter,
  type ReceivedRow,
  type ReceivedState,
} from '../../db/received.ts';
import { archiveName, downloadableFiles } from '../../domain/archives.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { ticketLifetimeMs } from '../../domain/downloads.ts';
import type { Message, MessageFile } from '../../domain/messages.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { Ctx } from '../context.ts';
import { listOwnDownloads } from '../downloads/log.ts';
import { type Listed, listPage, type PageWanted } from '../listing.ts';
import { identityOf, type MessageVisit, readPrivateMessage, visitMessage } from '../messages/access.ts';
import { issueMessageTicket } from '../messages/files-by-key.ts';

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

export interface ReceivedWanted extends PageWanted {
  state: ReceivedState | null;
  kind: ReceivedKind | null;
  person: string | null;
  order: { by: 'created_at' | 'expires_at' | 'size_bytes'; direction: 'asc' | 'desc' };
}

const kinds = { sent: 'message', request: 'request', filedrop: 'drop' } as const;
const origins = { message: 'sent', request: 'request', drop: 'filedrop' } as const;

export async function listReceivedItems(
  ctx: Ctx,
  caller: UserCaller,
  wanted: ReceivedWanted,
): Promise<Listed<Received>> {
  const filter: ReceivedFilter = {
    ownerId: caller.userId,
    addresses: await addressesOf(ctx, caller),
    state: wanted.state,
    origin: wanted.kind === null ? null : origins[wanted.kind],
    sender: wanted.person?.trim().toLowerCase() ?? null,
    now: ctx.clock.now(),
  };
  const listed = await listPage(wanted, {
    count: () => countReceived(ctx.db.read, filter),
    rows: (offset, limit) => listReceivedPage(ctx.db.read, filter, wanted.order, { offset, limit }),
    texts: (row) => [subjectOf(ctx, row), row.sender, row.sender_name, row.id],
  });
  return { ...listed, items: listed.items.map((row) => describe(ctx, row)) };
}

/** The caller's own address first, then those whose messages come to them. */
export async function addressesOf(ctx: Ctx, caller: UserCaller): Promise<string[]> {
  const { account } = await identityOf(ctx, caller);
  return account === null ? [caller.email] : [account.address, ...account.recipientAliases];
}

function subjectOf(ctx: Ctx, row: ReceivedRow): string {
  return ctx.keys.openText('text', row.subject_sealed, `${row.id}/subject`);
}

function describe(ctx: Ctx, row: ReceivedRow): Received {
  const isOver = row.state !== 'active' || row.expires_at <= ctx.clock.now();
  return {
    id: row.id,
    kind: kinds[row.origin],
    sender: { name: row.sender_name === '' ? row.sender : row.sender_name, address: row.sender },
    isSenderConfirmed: row.is_sender_confirmed === 1,
    subject: subjectOf(ctx, row),
    fileCount: Number(row.files ?? 0),
    sizeBytes: row.size_bytes,
    receivedAt: row.created_at,
    expiresOn: row.expires_on,
    isPrivate: row.is_private === 1,
    // One engine answers 0 and 1, the other false and true.
    state: isOver ? 'expired' : row.is_downloaded ? 'downloaded' : 'new',
  };
}

export interface ReceivedFile extends MessageFile {
  state: 'ready' | 'checking' | 'used_up' | 'removed';
  downloadsLeft: number | null;
  downloadedAt: number | null;
}

export interface ReceivedDetail {
  received: Received;
  visit: MessageVisit;
  files: ReceivedFile[];
}

/** What the message page shows. An expired one is told of without its text and files; others never were. */
export async function getReceived(ctx: Ctx, caller: UserCaller, id: string): Promise<ReceivedDetail> {
  const visit = await visitReceived(ctx, caller, id);
  const { message, gate } = visit;
  const own = await listOwnDownloads(
    ctx,
    message,
    visit.admission.verdict === 'allow' && visit.admission.identity !== '' ? visit.admission.identity : caller.email,
  );
  const files = message.files.map((file) => describeFile(file, visit, own.get(file.attachmentId) ?? null));
  return {
    visit,
    files,
    received: {
      id,
      kind: kinds[message.origin],
      sender: { name: message.senderName === '' ? message.sender : message.senderName, address: message.sender },
      isSenderConfirmed: message.isSenderConfirmed,
      subject: message.subject,
      fileCount: files.length,
      sizeBytes: message.sizeBytes,
      receivedAt: message.createdAt,
      expiresOn: message.expiresOn,
      isPrivate: message.isPrivate,
      state: gate !== 'allow' ? 'expired' : own.size > 0 ? 'downloaded' : 'new',
    },
  };
}

/** Somebody it was sent to or handed in for; everybody else meets the same as for an id that never was. */
async function visitReceived(ctx: Ctx, caller: UserCaller, id: string): Promise<MessageVisit> {
  const visit = isId(id) ? await visitMessage(ctx, id, await identityOf(ctx, caller), caller.userId) : null;
  if (visit === null || (visit.gate !== 'allow' && visit.gate !== 'expired')) throw notFound('message');
  const { message, isOwner, admission: admitted } = visit;
  if (!isOwner && admitted.verdict !== 'allow') throw notFound('message');
  // What one sent oneself is under Sent, unless it went to oneself as well.
  if (isOwner && message.origin === 'sent') {
    const people = [...message.recipients, ...message.ccs, ...(message.bccs ?? [])];
    const own = await addressesOf(ctx, caller);
    if (!own.some((address) => people.includes(address))) throw notFound('message');
  }
  return visit;
}

function describeFile(file: MessageFile, visit: MessageVisit, downloadedAt: number | null): ReceivedFile {
  const limit = visit.isOwner ? null : visit.downloadLimit;
  const downloadsLeft = limit === null ? null : Math.max(0, limit - (visit.used.get(file.attachmentId) ?? 0));
  const isChecking = visit.gate === 'allow' && !file.isAvailable && file.sha256 === '';
  const state =
    downloadsLeft === 0 ? 'used_up' : file.isAvailable ? 'ready' : isChecking ? 'checking' : ('removed' as const);
  return { ...file, state, downloadsLeft, downloadedAt };
}

/** The press on Read message: counted, and told to the sender the first time. */
export async function readReceived(ctx: Ctx, caller: UserCaller, id: string): Promise<Message> {
  const visit = await visitReceived(ctx, caller, id);
  if (visit.gate !== 'allow') throw ended();
  if (visit.message.isPrivate && !visit.isOwner) await readPrivateMessage(ctx, caller, visit);
  return visit.message;
}

export interface ReceivedTicket {
  ticket: string;
  fileName: string;
  expiresAt: number;
}

/** The press on Download, or on Download all: one archive of everything the caller can still fetch. */
export async function createReceivedTicket(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  wanted: string,
): Promise<ReceivedTicket> {
  const { visit, files } = await getReceived(ctx, caller, id);
  const expiresAt = Math.min(ctx.clock.now() + ticketLifetimeMs, visit.message.expiresAt);
  const left = visit.gate === 'allow' ? downloadableFiles(visit.message, visit) : [];
  if (wanted === 'all' && left.length > 1) {
    const archiveOf = left.map((file) => file.attachmentId);
    const ticket = await issueMessageTicket(ctx, visit, left[0]!, archiveOf);
    return { ticket, fileName: archiveName(visit.message.subject), expiresAt };
  }
  // All of one file is that file; all of none is refused in the words for the first of them.
  const attachmentId = wanted === 'all' ? (left[0] ?? files[0])?.attachmentId : wanted;
  const file = files.find((candidate) => candidate.attachmentId === attachmentId);
  if (file === undefined) throw notFound('file');
  if (visit.gate !== 'allow') throw ended();
  demandDownloadable(file);
  return { ticket: await issueMessageTicket(ctx, visit, file), fileName: file.fileName, expiresAt };
}

function demandDownloadable({ state }: ReceivedFile): void {
  if (state === 'used_up')
    throw new Problem(
      'gone',
      'download.limit_reached',
      'All permitted downloads of this file have been used. Ask the sender to allow more.',
    );
  if (state === 'checking')
    throw new Problem('conflict', 'download.not_ready', 'This file is still being checked. Try again in a moment.');
  if (state === 'removed') throw new Problem('gone', 'download.gone', 'This file is no longer available.');
}

function ended(): Problem {
  return new Problem('gone', 'message.expired', 'This message has expired. Ask the sender to send it again.');
}
