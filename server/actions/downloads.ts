// Granting, counting and finishing downloads (state machine SM4). Nothing else may lead to file bytes: a grant is
// committed before the first byte, and looking costs nothing.
import { findAttachment, setAttachmentState } from '../db/attachments.ts';
import {
  addDelivered,
  allowServing,
  findTicket,
  giveBackServing,
  insertDownload,
  insertTicket,
  nextDownloadNumber,
  refundStart,
  startTicket,
} from '../db/downloads.ts';
import { findMessage, findRecipient, refundDownload, spendDownload } from '../db/messages.ts';
import type { TicketsTable, Tx } from '../db/schema.ts';
import { listParts } from '../db/uploads.ts';
import { type Caller, systemCaller } from '../domain/caller.ts';
import { mostServedBytes, ticketLifetimeMs, type Visitor } from '../domain/downloads.ts';
import type { FileLink } from '../domain/file-links.ts';
import { limitFor } from '../domain/messages.ts';
import type { SealedBlob } from '../domain/ports.ts';
import { notFound, Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';
import { gateOf, type TargetGate } from './download-targets.ts';
import { record } from './events.ts';
import { oweReceipt } from './receipts.ts';

export interface NewTicket {
  attachmentId: string;
  ownerId: string;
  linkId: string | null;
  messageId: string | null;
  /** Proven address of whoever pressed Download; empty when unknown. */
  recipient: string;
  /** Whose counter it uses: '' for everybody at level 0. */
  identity: string;
  kind: 'visitor' | 'owner';
  /** When the target ends. */
  expiresAt: number;
}

/** The right to fetch one file; handed out by a press on Download. Counts nothing yet. */
export async function issueTicket(ctx: Ctx, wanted: NewTicket): Promise<string> {
  const ticket = ctx.random.id();
  const now = ctx.clock.now();
  await ctx.db.write((tx) =>
    insertTicket(tx, {
      id_hash: ticketHash(ctx, ticket),
      attachment_id: wanted.attachmentId,
      owner_id: wanted.ownerId,
      link_id: wanted.linkId,
      message_id: wanted.messageId,
      recipient: wanted.recipient,
      identity: wanted.identity,
      kind: wanted.kind,
      issued_at: now,
      expires_at: Math.min(now + ticketLifetimeMs, wanted.expiresAt),
      download_number: null,
      served_bytes: 0,
    }),
  );
  return ticket;
}

export function issueLinkTicket(
  ctx: Ctx,
  link: FileLink,
  recipient: string,
  kind: NewTicket['kind'] = 'visitor',
): Promise<string> {
  return issueTicket(ctx, {
    attachmentId: link.attachmentId,
    ownerId: link.ownerId,
    linkId: link.id,
    messageId: null,
    recipient,
    identity: '',
    kind,
    expiresAt: link.expiresAt,
  });
}

/** A file that a valid ticket leads to. Nothing is granted yet. */
export interface Delivery {
  ticketHash: Buffer;
  ticket: TicketsTable;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  crc32: string;
  /** Where the bytes lie, in order. */
  parts: { blob: SealedBlob; sizeBytes: number }[];
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
  const file = await findAttachment(ctx.db.read, ticket.attachment_id);
  // Erased between the two looks.
  if (file === undefined || file.data_key_wrapped === null) throw refusal('gone');
  const dataKey = ctx.keys.files.unwrap(file.data_key_wrapped, file.key_encryption_key_id, file.id);
  const parts = await listParts(ctx.db.read, file.id);
  return {
    ticketHash: ticket.id_hash,
    ticket,
    fileName: ctx.keys.openText('name', file.name_sealed, file.id),
    sizeBytes: file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    crc32: file.crc32,
    parts: parts.map((part) => ({
      blob: { key: part.blob_key, dataKey, context: `${file.id}/${part.number}` },
      sizeBytes: part.size_bytes,
    })),
  };
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
  number: number;
  /** This request wrote the log line and used up a download. */
  isFirst: boolean;
  bytes: number;
  startedAt: number;
}

/** Grants the bytes of one request, in one transaction: the first one writes the log line. */
export async function grantBytes(
  ctx: Ctx,
  caller: Caller,
  delivery: Delivery,
  bytes: number,
  visitor: Visitor,
): Promise<Grant> {
  const now = ctx.clock.now();
  const { ticket, ticketHash: hash } = delivery;
  const granted = await ctx.db.write(async (tx) => {
    const limit = await findLimit(tx, ticket);
    const most = mostServedBytes(delivery.sizeBytes);
    if (!(await allowServing(tx, hash, bytes, most, now))) {
      throw new Problem(
        'gone',
        'download.used_up',
        'This download was fetched too often. Go back to the page you came from and press Download again.',
      );
    }
    const current = await findTicket(tx, hash);
    if (current !== undefined && current.download_number !== null)
      return { number: current.download_number, isFirst: false };
    const next = await nextDownloadNumber(tx, ticket.owner_id);
    if (!(await startTicket(tx, hash, next, now))) throw refusal('gone');
    await spend(tx, ticket, limit);
    await insertDownload(tx, downloadRow(ticket, next, now, visitor));
    await record(ctx, tx, caller, {
      action: 'file.downloaded',
      object:
        ticket.link_id === null
          ? { kind: 'message', id: ticket.message_id ?? '' }
          : { kind: 'link', id: ticket.link_id },
      ownerId: ticket.owner_id,
      facts: { attachment: ticket.attachment_id, download: next, recipient: ticket.recipient },
    });
    return { number: next, isFirst: true };
  });
  return { delivery, ...granted, bytes, startedAt: now };
}

/** Downloads permitted to whoever holds the ticket; null for no limit. Links have none, and owners neither. */
async function findLimit(tx: Tx, ticket: TicketsTable): Promise<number | null> {
  if (ticket.message_id === null || ticket.kind === 'owner') return null;
  const everybody = (await findMessage(tx, ticket.message_id))?.download_limit ?? null;
  if (everybody === null || ticket.identity === '') return everybody;
  return limitFor(everybody, (await findRecipient(tx, ticket.message_id, ticket.identity))?.download_limit ?? null);
}

/** A visitor's download of a message counts against its limit, exactly (invariants I8, I9). The owner's does not. */
async function spend(tx: Tx, ticket: TicketsTable, limit: number | null): Promise<void> {
  if (ticket.message_id === null || ticket.kind === 'owner') return;
  const counter = { messageId: ticket.message_id, attachmentId: ticket.attachment_id, identity: ticket.identity };
  if ((await spendDownload(tx, { ...counter, limit })) !== null) return;
  throw new Problem(
    'gone',
    'download.limit_reached',
    'All permitted downloads of this file have been used. Ask the sender to allow more.',
  );
}

function downloadRow(ticket: TicketsTable, number: number, now: number, visitor: Visitor) {
  return {
    owner_id: ticket.owner_id,
    number,
    attachment_id: ticket.attachment_id,
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

/**
 * After the last byte, or after the connection broke: what really went out is written down. A grant of which not one
 * byte left is taken back, once.
 */
export async function finishDownload(
  ctx: Ctx,
  grant: Grant,
  sentBytes: number,
  outcome: 'partial' | 'cut',
): Promise<void> {
  const now = ctx.clock.now();
  const { delivery } = grant;
  const line = { ownerId: delivery.ticket.owner_id, number: grant.number };
  await ctx.db.write(async (tx) => {
    if (sentBytes < grant.bytes) await giveBackServing(tx, delivery.ticketHash, grant.bytes - sentBytes);
    if (grant.isFirst && sentBytes === 0 && grant.bytes > 0) {
      if (await refundStart(tx, delivery.ticketHash, line)) await refund(tx, delivery.ticket);
      return;
    }
    const delivered = {
      bytes: sentBytes,
      durationMs: now - grant.startedAt,
      sizeBytes: delivery.sizeBytes,
      outcome,
      now,
    };
    const { isComplete } = await addDelivered(tx, line, delivered);
    if (isComplete) await oweReceipt(ctx, tx, delivery.ticket, grant.number);
  });
}

async function refund(tx: Tx, ticket: TicketsTable): Promise<void> {
  if (ticket.message_id === null || ticket.kind === 'owner') return;
  await refundDownload(tx, {
    messageId: ticket.message_id,
    attachmentId: ticket.attachment_id,
    identity: ticket.identity,
  });
}

/** Asked every few seconds while bytes flow: deleted, revoked and switched off cut a stream; expiry alone does not. */
export async function isStillAllowed(ctx: Ctx, grant: Grant): Promise<boolean> {
  return (await gateOf(ctx, grant.delivery.ticket, grant.startedAt)) === 'allow';
}

/** A stored file whose bytes were changed on disk: no further download starts. */
export async function reportDamage(ctx: Ctx, delivery: Delivery): Promise<void> {
  const id = delivery.ticket.attachment_id;
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
