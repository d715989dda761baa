// Granting, counting and finishing downloads (state machine SM4). Nothing else may lead to file bytes: a grant is
// committed before the first byte, and looking costs nothing.
import { insertTicketFiles } from '../../db/archives.ts';
import { setAttachmentState } from '../../db/attachments.ts';
import { type Counters, refundDownloads, spendDownloads } from '../../db/download-counters.ts';
import {
  addDelivered,
  allowServing,
  type DownloadLines,
  endWaiting,
  findLatestTicket,
  findTicket,
  giveBackServing,
  insertDownloads,
  insertTicket,
  nameHosts,
  refundStart,
  startTicket,
  takeDownloadNumbers,
} from '../../db/downloads.ts';
import { findMessage } from '../../db/messages.ts';
import { findRecipient } from '../../db/recipients.ts';
import type { TicketsTable, Tx } from '../../db/schema.ts';
import { holdUser } from '../../db/users.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { mostServedBytes, ticketLifetimeMs, type Visitor } from '../../domain/downloads.ts';
import type { FileLink } from '../../domain/file-links.ts';
import { limitFor } from '../../domain/messages.ts';
import type { ByteRange } from '../../domain/ports.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { oweReceipt } from './receipts.ts';
import { gateOf, type TargetGate } from './targets.ts';
import { type DeliveredFile, type Delivery, describeDelivery, filesIn } from './ticket-contents.ts';

export interface NewTicket {
  attachmentId: string;
  ownerId: string;
  linkId: string | null;
  messageId: string | null;
  /** Proven address of whoever pressed Download; empty when unknown. */
  recipient: string;
  /** Whose counter it uses: '' for everybody at level 0. */
  identity: string;
  /** The account whose address that is; null when a code proved it, or nothing did. */
  accountId: string | null;
  kind: 'visitor' | 'owner';
  /** When the target ends. */
  expiresAt: number;
  /** One archive of these files of the message, the first of which is `attachmentId`. */
  archiveOf?: string[];
}

/** The right to fetch one file or one archive; handed out by a press on Download. Counts nothing yet. */
export async function issueTicket(ctx: Ctx, wanted: NewTicket): Promise<string> {
  const ticket = ctx.random.id();
  const row = ticketRow(ctx, ticket, wanted);
  await ctx.db.write(async (tx) => {
    await insertTicket(tx, row);
    await insertTicketFiles(tx, row.id_hash, wanted.archiveOf ?? []);
  });
  return ticket;
}

function ticketRow(ctx: Ctx, ticketId: string, wanted: NewTicket): TicketsTable {
  const now = ctx.clock.now();
  return {
    id_hash: ticketHash(ctx, ticketId),
    attachment_id: wanted.attachmentId,
    is_archive: wanted.archiveOf === undefined ? 0 : 1,
    owner_id: wanted.ownerId,
    link_id: wanted.linkId,
    message_id: wanted.messageId,
    recipient: wanted.recipient,
    identity: wanted.identity,
    account_id: wanted.accountId,
    kind: wanted.kind,
    issued_at: now,
    expires_at: Math.min(now + ticketLifetimeMs, wanted.expiresAt),
    download_number: null,
    served_bytes: 0,
  };
}

/**
 * The ticket this person is using for the file already, or a new one. Requests for ranges that arrive together wait for
 * each other at the person's row, so that all of them are one download.
 */
export async function resumeTicket(
  ctx: Ctx,
  userId: string,
  wanted: NewTicket,
  sizeBytes: number,
): Promise<TicketsTable> {
  return ctx.db.write(async (tx) => {
    await holdUser(tx, userId);
    const earlier = await findLatestTicket(tx, {
      messageId: wanted.messageId ?? '',
      attachmentId: wanted.attachmentId,
      recipient: wanted.recipient,
      kind: wanted.kind,
      issuedAfter: ctx.clock.now() - ticketLifetimeMs,
      // One that has served all it may is not resumed; what follows is a download of its own.
      mostServedBytes: mostServedBytes(sizeBytes),
    });
    if (earlier !== undefined) return earlier;
    const row = ticketRow(ctx, ctx.random.id(), wanted);
    await insertTicket(tx, row);
    return row;
  });
}

export function issueLinkTicket(
  ctx: Ctx,
  link: FileLink,
  holder: Pick<NewTicket, 'recipient' | 'accountId' | 'kind'>,
): Promise<string> {
  return issueTicket(ctx, {
    attachmentId: link.attachmentId,
    ownerId: link.ownerId,
    linkId: link.id,
    messageId: null,
    recipient: holder.recipient,
    identity: '',
    accountId: holder.accountId,
    kind: holder.kind,
    expiresAt: link.expiresAt,
  });
}

/** Looks a ticket up with current data: what was revoked, expired or switched off since is refused here. */
export async function openTicket(ctx: Ctx, ticketId: string): Promise<Delivery> {
  const ticket = await findTicket(ctx.db.read, ticketHash(ctx, ticketId));
  if (ticket === undefined) throw downloadEnded();
  return openTicketRow(ctx, ticket);
}

export async function openTicketRow(ctx: Ctx, ticket: TicketsTable): Promise<Delivery> {
  const now = ctx.clock.now();
  if (ticket.expires_at <= now) throw downloadEnded();
  const gate = await gateOf(ctx, ticket, now);
  if (gate !== 'allow') throw refusal(gate);
  const delivery = await describeDelivery(ctx, ticket);
  // Erased between the two looks.
  if (delivery === null) throw refusal('gone');
  return delivery;
}

function downloadEnded(): Problem {
  return notFound('download', 'This download has ended. Go back to the page you came from and press Download again.');
}

function refusal(gate: TargetGate): Problem {
  if (gate === 'needs_sign_in' || gate === 'needs_password' || gate === 'needs_proof' || gate === 'not_allowed') {
    return new Problem(
      'forbidden',
      'download.not_permitted',
      'Confirm your e-mail address on the page of this link, then download again.',
    );
  }
  return new Problem('gone', 'download.gone', 'This file is no longer available.');
}

/** A committed grant for one request's bytes. */
export interface Grant {
  delivery: Delivery;
  /** Number of the first file's line; those of an archive's other files follow. */
  number: number;
  range: ByteRange;
  startedAt: number;
}

/** Grants the bytes of one request, in one transaction: the first one writes the log, all files of an archive or none. */
export async function grantBytes(
  ctx: Ctx,
  caller: Caller,
  delivery: Delivery,
  range: ByteRange,
  visitor: Visitor,
): Promise<Grant> {
  const now = ctx.clock.now();
  const { ticket, ticketHash: hash, files } = delivery;
  const number = await ctx.db.write(async (tx) => {
    const limit = await findLimit(tx, ticket);
    const most = mostServedBytes(delivery.sizeBytes);
    if (!(await allowServing(tx, ticket, range.end - range.start, most, now))) {
      throw new Problem(
        'gone',
        'download.used_up',
        'This download was fetched too often. Go back to the page you came from and press Download again.',
      );
    }
    const current = await findTicket(tx, hash);
    if (current !== undefined && current.download_number !== null) return current.download_number;
    const first = await takeDownloadNumbers(tx, ticket.owner_id, files.length);
    if (!(await startTicket(tx, ticket, first, now))) throw refusal('gone');
    await spend(tx, delivery, limit);
    await insertDownloads(
      tx,
      files.map((file, index) => downloadRow(ticket, file, first + index, now, visitor)),
    );
    await recordDownloads(ctx, tx, caller, delivery, first);
    return first;
  });
  return { delivery, number, range, startedAt: now };
}

async function recordDownloads(ctx: Ctx, tx: Tx, caller: Caller, delivery: Delivery, first: number): Promise<void> {
  const { ticket, files } = delivery;
  for (const [index, file] of files.entries()) {
    await record(ctx, tx, caller, {
      action: 'file.downloaded',
      object:
        ticket.link_id === null
          ? { kind: 'message', id: ticket.message_id ?? '' }
          : { kind: 'link', id: ticket.link_id },
      ownerId: ticket.owner_id,
      facts: { attachment: file.attachmentId, download: first + index, recipient: ticket.recipient },
    });
  }
}

/** Downloads permitted to whoever holds the ticket; null for no limit. Links have none, and owners neither. */
async function findLimit(tx: Tx, ticket: TicketsTable): Promise<number | null> {
  if (ticket.message_id === null || ticket.kind === 'owner') return null;
  const everybody = (await findMessage(tx, ticket.message_id))?.downloadLimit ?? null;
  if (everybody === null || ticket.identity === '') return everybody;
  return limitFor(everybody, (await findRecipient(tx, ticket.message_id, ticket.identity))?.downloadLimit ?? null);
}

/** A visitor's download of a message counts against its limit, exactly (invariants I8, I9). The owner's does not. */
async function spend(tx: Tx, delivery: Delivery, limit: number | null): Promise<void> {
  const counters = countersOf(delivery);
  if (counters === null) return;
  if ((await spendDownloads(tx, counters, limit)).length === counters.attachmentIds.length) return;
  throw new Problem(
    'gone',
    'download.limit_reached',
    delivery.files.length === 1
      ? 'All permitted downloads of this file have been used. Ask the sender to allow more.'
      : 'All permitted downloads of one of these files have been used. Go back to the page you came from: it shows which ones you can still download.',
  );
}

/** What a download of this uses up; null for links and for the owner, whose downloads count nothing. */
function countersOf({ ticket, files }: Delivery): Counters | null {
  if (ticket.message_id === null || ticket.kind === 'owner') return null;
  const attachmentIds = files.map((file) => file.attachmentId);
  return { messageId: ticket.message_id, attachmentIds, identity: ticket.identity };
}

function downloadRow(ticket: TicketsTable, file: DeliveredFile, number: number, now: number, visitor: Visitor) {
  return {
    owner_id: ticket.owner_id,
    number,
    attachment_id: file.attachmentId,
    message_id: ticket.message_id,
    link_id: ticket.link_id,
    kind: ticket.kind,
    recipient: ticket.recipient,
    outcome: 'granted' as const,
    granted_at: now,
    finished_at: null,
    sent_bytes: 0,
    duration_ms: 0,
    remote_ip: visitor.address,
    remote_host: visitor.host,
    user_agent: visitor.agent,
    browser: visitor.browser,
    os: visitor.os,
    platform: visitor.platform,
    location: visitor.location,
    longitude: visitor.longitude,
    latitude: visitor.latitude,
    country_code: visitor.countryCode,
    country_name: visitor.countryName,
    city: visitor.city,
    region_code: visitor.regionCode,
    region_name: visitor.regionName,
  };
}

/** So many files of an archive are finished in one transaction. */
const finishedAtOnce = 50;

/**
 * After the last byte, or after the connection broke: what really went out is written down, for each file. A grant of
 * which not one byte left is taken back, once.
 */
export async function finishDownload(
  ctx: Ctx,
  grant: Grant,
  sentBytes: number,
  outcome: 'partial' | 'cut',
): Promise<void> {
  const now = ctx.clock.now();
  const { delivery, range } = grant;
  const { ticket, ticketHash: hash, files } = delivery;
  const lines = { ownerId: ticket.owner_id, first: grant.number, count: files.length };
  const unsentBytes = range.end - range.start - sentBytes;
  const isUnsent = sentBytes === 0 && unsentBytes > 0;
  const reached = isUnsent ? [] : filesIn(delivery, { start: range.start, end: range.start + sentBytes });
  await ctx.db.write(async (tx) => {
    if (unsentBytes > 0) await giveBackServing(tx, hash, unsentBytes);
    if (isUnsent) await takeBack(tx, delivery, lines);
    else if (files.length > 1) await endWaiting(tx, lines, outcome, now);
    await writeDown(tx, reached.slice(0, finishedAtOnce));
  });
  for (let done = finishedAtOnce; done < reached.length; done += finishedAtOnce)
    await ctx.db.write((tx) => writeDown(tx, reached.slice(done, done + finishedAtOnce)));

  async function writeDown(tx: Tx, some: typeof reached): Promise<void> {
    for (const { index, bytes } of some) {
      const file = files[index]!;
      // Of an archive each file has its share of the time, so that the speed of a line is the true one.
      const share = files.length === 1 || sentBytes === 0 ? 1 : bytes / sentBytes;
      const durationMs = Math.round((now - grant.startedAt) * share);
      const line = { ownerId: ticket.owner_id, number: grant.number + index };
      const delivered = { bytes, durationMs, sizeBytes: file.sizeBytes, outcome, now };
      const { isComplete } = await addDelivered(tx, line, delivered);
      if (isComplete) await oweReceipt(ctx, tx, ticket, file.attachmentId, line.number);
    }
  }
}

/** The name of the visitor's machine was found; later than everything else, because asking takes its time. */
export async function nameVisitor(ctx: Ctx, { delivery, number }: Grant, host: string): Promise<void> {
  const lines = { ownerId: delivery.ticket.owner_id, first: number, count: delivery.files.length };
  await ctx.db.write((tx) => nameHosts(tx, lines, host));
}

async function takeBack(tx: Tx, delivery: Delivery, lines: DownloadLines): Promise<void> {
  if (!(await refundStart(tx, delivery.ticketHash, lines))) return;
  const counters = countersOf(delivery);
  if (counters !== null) await refundDownloads(tx, counters);
}

/** Asked every few seconds while bytes flow: deleted, revoked and switched off cut a stream; expiry alone does not. */
export async function isStillAllowed(ctx: Ctx, grant: Grant): Promise<boolean> {
  return (await gateOf(ctx, grant.delivery.ticket, grant.startedAt)) === 'allow';
}

/** A stored file whose bytes were changed on disk: no further download starts. */
export async function reportDamage(ctx: Ctx, delivery: Delivery, file: DeliveredFile): Promise<void> {
  const id = file.attachmentId;
  await ctx.db.write(async (tx) => {
    await setAttachmentState(tx, id, 'damaged');
    await record(ctx, tx, systemCaller, {
      action: 'attachment.damaged',
      object: { kind: 'attachment', id },
      ownerId: delivery.ticket.owner_id,
    });
  });
}

function ticketHash(ctx: Ctx, ticketId: string): Buffer {
  return ctx.keys.hash('ticket', ticketId);
}
