// Grants and counts downloads. No byte of a file leaves before its grant is committed.
import { setAttachmentState } from '../../db/attachments/attachments.ts';
import { type Counters, findDownloadLimit, spendDownloads } from '../../db/downloads/download-counters.ts';
import { insertRequest } from '../../db/downloads/download-requests.ts';
import { insertDownloads, nameHosts, takeDownloadNumbers } from '../../db/downloads/downloads.ts';
import { allowServing, type BegunDownload, findStandingOfRunning, startTicket } from '../../db/downloads/tickets.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { unavailable } from '../../domain/availability.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { maxServedBytes, mostRequests, type Ticket, type Visitor } from '../../domain/downloads.ts';
import type { ByteRange } from '../../domain/ports.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { bodyStartsOf, type DeliveredFile, type Delivery } from './deliveries.ts';
import { untilLogged } from './running-requests.ts';
import { usedUp } from './tickets.ts';

/** Committed, for one request. */
export interface Grant {
  delivery: Delivery;
  caller: Caller;
  /** Of the first file; other files of an archive follow. */
  number: number;
  /** Number of the request within the download. */
  request: number;
  range: ByteRange;
  /** Start of this request. */
  startedAt: number;
  /** Start of the download, possibly with an earlier ticket. */
  grantedAt: number;
  servedBy: string;
  /** The log covers the body up to this offset, since this time. */
  recorded: { upTo: number; at: number };
}

export interface GrantInput {
  delivery: Delivery;
  range: ByteRange;
  visitor: Visitor;
  servedBy: string;
}

/** The first request inserts the log rows, for all files of an archive or none. */
export async function grantBytes(ctx: Ctx, caller: Caller, input: GrantInput): Promise<Grant> {
  const { delivery, range, servedBy } = input;
  const { ticket } = delivery;
  await untilLogged(ctx, ticket, delivery.sizeBytes);
  const now = ctx.clock.now();
  const bytes = range.end - range.start;
  const begun = await ctx.db.write(async (tx) => {
    const mostBytes = maxServedBytes(delivery.sizeBytes);
    const allowed = await allowServing(tx, ticket, { bytes, mostBytes, use: delivery.use }, now);
    if (allowed === null) throw usedUp();
    const download = allowed.begun ?? (await beginDownload(ctx, tx, caller, { ...input, now }));
    const request = await insertRequest(tx, requestRow(input, download.number, now));
    if (request > mostRequests(delivery.sizeBytes)) throw usedUp();
    return { ...download, request };
  });
  return { delivery, caller, ...begun, range, startedAt: now, servedBy, recorded: { upTo: range.start, at: now } };
}

async function beginDownload(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { delivery, visitor, servedBy, now }: GrantInput & { now: number },
): Promise<BegunDownload> {
  const { ticket, files, proof } = delivery;
  const firstNumber = await takeDownloadNumbers(tx, ticket.ownerId, files.length);
  await startTicket(tx, ticket.idHash, firstNumber);
  await spend(tx, delivery);
  const { apiKeyId } = proof;
  const starts = bodyStartsOf(delivery);
  const placed = files.map(({ attachmentId }, index) => ({ attachmentId, bodyStart: starts[index]! }));
  await insertDownloads(tx, { ticket, firstNumber, files: placed, visitor, apiKeyId, servedBy, now });
  await recordDownloads(ctx, tx, caller, { delivery, firstNumber });
  return { number: firstNumber, grantedAt: now };
}

function requestRow({ delivery, range, visitor, servedBy }: GrantInput, number: number, now: number) {
  const { ticket, files, proof } = delivery;
  return {
    ownerId: ticket.ownerId,
    number,
    files: files.length,
    startedAt: now,
    rangeStart: range.start,
    rangeEnd: range.end,
    servedBy,
    ip: visitor.address,
    agent: visitor.agent,
    apiKeyId: proof.apiKeyId,
    proofKind: proof.kind,
    proofId: proof.id,
  };
}

async function recordDownloads(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { delivery, firstNumber }: { delivery: Delivery; firstNumber: number },
): Promise<void> {
  const { ticket, files } = delivery;
  for (const [index, file] of files.entries()) {
    await record(ctx, tx, caller, {
      action: 'file.downloaded',
      object: targetOf(ticket),
      ownerId: ticket.ownerId,
      facts: { attachment: file.attachmentId, download: firstNumber + index, recipient: ticket.recipient },
    });
  }
}

export function targetOf({ linkId, messageId }: Pick<Ticket, 'linkId' | 'messageId'>): {
  kind: 'message' | 'link';
  id: string;
} {
  return linkId === null ? { kind: 'message', id: messageId ?? '' } : { kind: 'link', id: linkId };
}

/** Exact. Owners' downloads do not count. */
async function spend(tx: Tx, delivery: Delivery): Promise<void> {
  const counters = countersOf(delivery);
  if (counters === null) return;
  const limit = await findDownloadLimit(tx, counters.messageId, counters.identity);
  if ((await spendDownloads(tx, counters, limit)).length === counters.attachmentIds.length) return;
  throw unavailable('limit_reached', 'message', delivery.files.length);
}

/** Null if the download does not count. */
export function countersOf({ ticket, files }: Delivery): Counters | null {
  if (ticket.messageId === null || ticket.kind === 'owner') return null;
  const attachmentIds = files.map((file) => file.attachmentId);
  return { messageId: ticket.messageId, attachmentIds, identity: ticket.identity };
}

/** The name lookup takes time, so it is saved separately. */
export async function nameVisitor(ctx: Ctx, { delivery, number }: Grant, host: string): Promise<void> {
  const lines = { ownerId: delivery.ticket.ownerId, first: number, count: delivery.files.length };
  await ctx.db.write((tx) => nameHosts(tx, lines, host));
}

/** Deletion, revocation and a disabled owner end a running download; expiry does not. */
export async function isStillAllowed(ctx: Ctx, { delivery, startedAt }: Grant): Promise<boolean> {
  return (await findStandingOfRunning(ctx.db.read, delivery.ticket, startedAt)) === 'allowed';
}

/** Stops further downloads of a stored file whose bytes are damaged. */
export async function reportDamage(ctx: Ctx, delivery: Delivery, file: DeliveredFile): Promise<void> {
  const id = file.attachmentId;
  await ctx.db.write(async (tx) => {
    await setAttachmentState(tx, id, 'damaged');
    await record(ctx, tx, systemCaller, {
      action: 'attachment.damaged',
      object: { kind: 'attachment', id },
      ownerId: delivery.ticket.ownerId,
    });
  });
}
