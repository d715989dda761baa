// Receipts of transfers, signed on demand.
import { findAttachment } from '../../db/attachments/attachments.ts';
import type { RecordedEvent } from '../../db/events/events.ts';
import { findFileLink } from '../../db/file-links/file-links.ts';
import { findFileRequest } from '../../db/file-requests/file-requests.ts';
import { listFilesOf, listMessageFiles, listRemovedFiles } from '../../db/messages/message-files.ts';
import { findMessage } from '../../db/messages/messages.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import { listAnswersTo, listEventsAbout, listReceiptDownloads } from '../../db/receipts/receipt-facts.ts';
import { listTransfers } from '../../db/transfers/transfers.ts';
import { findUser } from '../../db/users/users.ts';
import { type Caller, systemCaller, type UserCaller } from '../../domain/caller.ts';
import { backupsUntil } from '../../domain/deletions.ts';
import { listedRequests } from '../../domain/download-requests.ts';
import { viewKinds } from '../../domain/events.ts';
import { holdKinds } from '../../domain/legal-holds.ts';
import { notFound } from '../../domain/problem.ts';
import {
  maxListedDownloads,
  maxListedEvents,
  type ReceiptBody,
  type ReceiptDownload,
  type ReceiptFile,
  type ReceiptKind,
  type UnsealedReceipt,
} from '../../domain/receipts.ts';
import { holds, requireRight } from '../../domain/roles.ts';
import type { TransferHead } from '../../domain/transfers.ts';
import { isoInstant } from '../../lib/dates.ts';
import { isId } from '../../lib/ids.ts';
import { recordView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { assertConsoleNetwork } from '../security/networks.ts';
import { namedPerson } from '../statements/statements.ts';
import { findByReference } from '../transfers/references.ts';
import { everything, findHiddenOwners, getReferenced, objectKindOf, scopeOf } from '../transfers/transfers.ts';
import { requireAgreement } from './agreement.ts';
import { type SignedReceipt, signReceipt } from './signing.ts';

interface FileFacts {
  id: string;
  fileName: string;
  sizeBytes: number;
  sha256: string;
}

export interface Contents {
  from: string;
  to: ReceiptBody['to'];
  files: FileFacts[];
  downloads: ReceiptDownload[];
  answers: Omit<ReceiptBody['answers'][number], 'event'>[];
}

type TransferReceiptKind = Exclude<ReceiptKind, 'deletion'>;
export type View = ReceiptBody['made_for'];

export function viewOf(caller: UserCaller, ownerId: string): View {
  if (ownerId === caller.userId) return 'owner';
  return caller.role === 'auditor' ? 'auditor' : 'administrator';
}

/** Events that reveal more than a receipt should, or say nothing about the transfer. */
const leftOut = new Set<string>([
  'evidence.contradiction',
  'message.wrong_recipient',
  'transfer.subject_read',
  'message.expiry_told',
  ...viewKinds,
]);

/** Only administrators see legal holds. */
const leftOutForOwners: ReadonlySet<string> = new Set(holdKinds);

export function isIn(view: View, action: string): boolean {
  return !leftOut.has(action) && !(view === 'owner' && leftOutForOwners.has(action));
}

export async function getReceipt(
  ctx: Ctx,
  caller: UserCaller,
  { kind, id }: { kind: TransferReceiptKind; id: string },
): Promise<SignedReceipt> {
  const transfer = isId(id) ? await findTransfer(ctx, caller, id) : undefined;
  if (transfer === undefined || objectKindOf(transfer) !== kind) throw notFound(kind);
  await recordReading(ctx, caller, transfer);
  return receiptOf(ctx, caller, transfer, viewOf(caller, transfer.ownerId));
}

/** Even the owner gets the administrators' version. */
export async function getReceiptByReference(ctx: Ctx, caller: UserCaller, reference: string): Promise<SignedReceipt> {
  requireRight(caller, 'console.read');
  const transfer = await findTransfer(ctx, caller, await getReferenced(ctx, reference));
  if (transfer === undefined) throw notFound('transfer');
  await recordReading(ctx, caller, transfer);
  return receiptOf(ctx, caller, transfer, caller.role === 'auditor' ? 'auditor' : 'administrator');
}

/** Records nothing when the caller is the owner. */
function recordReading(ctx: Ctx, caller: UserCaller, transfer: TransferHead): Promise<void> {
  const { id, ownerId } = transfer;
  return recordView(ctx, caller, {
    action: 'receipt.viewed',
    object: { kind: objectKindOf(transfer), id },
    ownerId,
  });
}

/** The auditor's version, by reference or id. */
export async function getReceiptForOperator(ctx: Ctx, name: string): Promise<SignedReceipt | null> {
  const id = (await findByReference(ctx.db.read, name)) ?? name;
  const scope = { hiddenGroupIds: [], callerId: '', now: ctx.clock.now() };
  const [transfer] = await listTransfers(ctx.db.read, { ...everything, ids: [id], scope }, { before: null, limit: 1 });
  return transfer === undefined ? null : receiptOf(ctx, systemCaller, transfer, 'auditor');
}

async function receiptOf(ctx: Ctx, caller: Caller, transfer: TransferHead, view: View): Promise<SignedReceipt> {
  const kind = objectKindOf(transfer);
  const contents = await readContents(ctx, kind, transfer);
  const answerIds = contents.answers.map((answer) => answer.id);
  const fileIds = contents.files.map((file) => file.id);
  const target = { kind, id: transfer.id };
  await requireAgreement(ctx, caller, { target, ownerId: transfer.ownerId, lines: contents.downloads, fileIds });
  const events = [
    ...(await listEventsAbout(ctx.db.read, kind, [transfer.id], maxListedEvents)),
    ...(await listEventsAbout(ctx.db.read, 'message', answerIds, maxListedEvents)),
    ...(await listEventsAbout(ctx.db.read, 'attachment', fileIds, maxListedEvents)),
  ].filter(({ action }) => isIn(view, action));
  return signReceipt(ctx, await describe(ctx, view, { kind, transfer, contents, events }), events);
}

async function findTransfer(ctx: Ctx, caller: UserCaller, id: string): Promise<TransferHead | undefined> {
  const scope = await scopeOf(ctx, caller);
  const [found] = await listTransfers(ctx.db.read, { ...everything, ids: [id], scope }, { before: null, limit: 1 });
  return found !== undefined && (await maySee(ctx, caller, found.ownerId)) ? found : undefined;
}

/** Administrators need the scope of the query. */
export async function maySee(ctx: Ctx, caller: UserCaller, ownerId: string): Promise<boolean> {
  if (ownerId === caller.userId) return true;
  if (!holds(caller, 'console.read')) return false;
  assertConsoleNetwork(ctx, caller);
  return (await findHiddenOwners(ctx, caller, [ownerId])).size === 0;
}

async function readContents(ctx: Ctx, kind: TransferReceiptKind, { id }: TransferHead): Promise<Contents> {
  const db = ctx.db.read;
  if (kind === 'link') {
    const link = (await findFileLink(db, id))!;
    const file = await findAttachment(db, link.attachmentId);
    const downloads = await listReceiptDownloads(db, { kind, id }, maxListedDownloads + 1);
    return { from: '', to: [], files: file === null ? [] : [file], downloads, answers: [] };
  }
  if (kind === 'request') {
    const request = (await findFileRequest(db, id))!;
    const answers = await listAnswersTo(db, id, maxListedDownloads);
    const files = await listFilesOf(
      db,
      answers.map((answer) => answer.id),
    );
    return {
      from: '',
      to: [{ address: request.recipient, role: 'to', access_ended_at: null }],
      files: [...files.values()].flat().map((file) => ({ ...file, id: file.attachmentId })),
      downloads: [],
      answers: answers.map(({ id: answer, sender, isSenderConfirmed, at, sizeBytes }) => ({
        id: answer,
        from: sender,
        confirmed: isSenderConfirmed,
        at: isoInstant(at),
        size: sizeBytes,
      })),
    };
  }
  const message = (await findMessage(db, id))!;
  const files = [...(await listMessageFiles(db, id)), ...(await listRemovedFiles(db, id))];
  return {
    from: message.sender,
    to: (await listRecipients(db, id)).map(({ address, role, revokedAt }) => ({
      address,
      role,
      access_ended_at: revokedAt === null ? null : isoInstant(revokedAt),
    })),
    files: files.map((file) => ({ ...file, id: file.attachmentId })),
    downloads: await listReceiptDownloads(db, { kind, id }, maxListedDownloads + 1),
    answers: [],
  };
}

/** Rows are written slightly before their events. */
export async function describe(
  ctx: Ctx,
  view: View,
  found: { kind: ReceiptKind; transfer: TransferHead; contents: Contents; events: RecordedEvent[] },
): Promise<UnsealedReceipt> {
  const { kind, transfer, contents, events } = found;
  const owner = (await findUser(ctx.db.read, transfer.ownerId)) ?? { id: transfer.ownerId, email: '', name: '' };
  const created = events.find(({ action, objectId }) => objectId === transfer.id && creations.has(action));
  return {
    format: 'waybill-receipt/1',
    kind,
    id: transfer.id,
    organisation: ctx.settings.current().organisationName,
    service: ctx.settings.surroundings.baseUrl,
    made_at: isoInstant(ctx.clock.now()),
    made_for: view,
    owner: namedPerson(owner),
    from: contents.from === '' ? owner.email : contents.from,
    to: contents.to,
    created_at: isoInstant(created?.at ?? transfer.createdAt),
    created_event: created?.seq ?? null,
    expires_at: transfer.expiresOn,
    state: kind === 'deletion' ? 'deleted' : transfer.state,
    files: contents.files.map((file) => fileBody(ctx, file, { isOwner: view === 'owner', events })),
    downloads: contents.downloads.slice(0, maxListedDownloads).map((download) => downloadBody(download, events)),
    more_downloads: Math.max(0, contents.downloads.length - maxListedDownloads),
    answers: contents.answers.map((answer) => answerBody(answer, events)),
  };
}

const creations = new Set([
  'message.sent',
  'request.answered',
  'filedrop.delivered',
  'link.created',
  'request.created',
]);

function fileBody(
  ctx: Ctx,
  file: FileFacts,
  { isOwner, events }: { isOwner: boolean; events: RecordedEvent[] },
): ReceiptFile {
  const about = events.filter(({ objectKind, objectId }) => objectKind === 'attachment' && objectId === file.id);
  const uploaded = about.find(({ action }) => action === 'attachment.uploaded');
  const erased = about.findLast(({ action }) => action === 'attachment.erased');
  const until = erased === undefined ? null : backupsUntil(erased.at, ctx.settings.surroundings.keptBackups);
  return {
    id: file.id,
    name: isOwner ? file.fileName : null,
    size: file.sizeBytes,
    sha256: file.sha256,
    uploaded_event: uploaded?.seq ?? null,
    deleted_at: erased === undefined ? null : isoInstant(erased.at),
    deleted_event: erased?.seq ?? null,
    deleted_key: typeof erased?.facts.key === 'string' ? erased.facts.key : null,
    backups_until: until === null ? null : isoInstant(until),
  };
}

function answerBody(answer: Contents['answers'][number], events: RecordedEvent[]): ReceiptBody['answers'][number] {
  const event = events.find(({ action, objectId }) => action === 'request.answered' && objectId === answer.id);
  return { ...answer, at: event === undefined ? answer.at : isoInstant(event.at), event: event?.seq ?? null };
}

/** References the event of its start, and the last event with its final byte count. */
function downloadBody(download: ReceiptDownload, events: RecordedEvent[]): ReceiptBody['downloads'][number] {
  const own = events.filter(({ ownerId, facts }) => ownerId === download.ownerId && facts.download === download.number);
  const begun = own.find(({ action }) => action === 'file.downloaded');
  const ended = own.findLast(({ action, facts }) => action === 'download.ended' && facts.bytes === download.bytes);
  return {
    file: download.attachmentId,
    to: download.recipient,
    by_owner: download.isByOwner,
    ip: download.ip,
    at: isoInstant(begun?.at ?? download.at),
    ended_at: download.endedAt === null ? null : isoInstant(download.endedAt),
    bytes: download.bytes,
    whole: download.isWhole,
    event: begun?.seq ?? null,
    bytes_event: ended?.seq ?? null,
    total: download.totalBytes,
    at_most: download.atMostBytes,
    ...listedRequests(download),
  };
}
