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
  startTicket,
} from '../db/downloads.ts';
import { findFileLink } from '../db/file-links.ts';
import type { TicketsTable } from '../db/schema.ts';
import { listParts } from '../db/uploads.ts';
import { findUser } from '../db/users.ts';
import { type Caller, systemCaller } from '../domain/caller.ts';
import { mostServedBytes, ticketLifetimeMs, type Visitor } from '../domain/downloads.ts';
import { type FileLink, type LinkGate, linkGate } from '../domain/file-links.ts';
import type { SealedBlob } from '../domain/ports.ts';
import { notFound, Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';
import { record } from './events.ts';

/** The right to fetch one file through one link; handed out by a press on Download. */
export async function issueLinkTicket(ctx: Ctx, link: FileLink, recipient: string): Promise<string> {
  const ticket = ctx.random.id();
  const now = ctx.clock.now();
  await ctx.db.write((tx) =>
    insertTicket(tx, {
      id_hash: ticketHash(ctx, ticket),
      attachment_id: link.attachmentId,
      owner_id: link.ownerId,
      link_id: link.id,
      message_id: null,
      recipient,
      kind: 'visitor',
      issued_at: now,
      expires_at: Math.min(now + ticketLifetimeMs, link.expiresAt),
      download_number: null,
      served_bytes: 0,
    }),
  );
  return ticket;
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
  const hash = ticketHash(ctx, ticketId);
  const ticket = await findTicket(ctx.db.read, hash);
  if (ticket === undefined || ticket.expires_at <= ctx.clock.now())
    throw notFound('download', 'This download has ended. Go back to the page you came from and press Download again.');
  const gate = await gateOf(ctx, ticket, ctx.clock.now());
  if (gate !== 'allow') throw refusal(gate);
  const file = (await findAttachment(ctx.db.read, ticket.attachment_id))!;
  const dataKey = ctx.keys.files.unwrap(file.data_key_wrapped!, file.key_encryption_key_id, file.id);
  const parts = await listParts(ctx.db.read, file.id);
  return {
    ticketHash: hash,
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

async function gateOf(ctx: Ctx, ticket: TicketsTable, now: number): Promise<LinkGate> {
  const link = ticket.link_id === null ? undefined : await findFileLink(ctx.db.read, ticket.link_id);
  const owner = await findUser(ctx.db.read, ticket.owner_id);
  if (link === undefined) return 'gone';
  return linkGate(
    {
      // The job that lets go of an expired link only follows what the date has decided already.
      state: link.state === 'released' && now < link.expires_at ? 'active' : link.state,
      fileState: link.file_state,
      ownerState: owner?.state ?? 'deleted',
      expiresAt: link.expires_at,
      hasPassword: link.password_hash !== null,
      requireSignIn: link.require_sign_in === 1,
    },
    {
      passwordPassed: true,
      address: ticket.recipient === '' ? null : ticket.recipient,
      isOwner: ticket.kind === 'owner',
    },
    now,
  );
}

function refusal(gate: LinkGate): Problem {
  if (gate === 'needs_sign_in' || gate === 'needs_password') {
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
  const number = await ctx.db.write(async (tx) => {
    if (!(await allowServing(tx, hash, bytes, mostServedBytes(delivery.sizeBytes), now))) {
      throw new Problem(
        'gone',
        'download.used_up',
        'This download was fetched too often. Go back to the page you came from and press Download again.',
      );
    }
    const current = await findTicket(tx, hash);
    if (current !== undefined && current.download_number !== null) return current.download_number;
    const next = await nextDownloadNumber(tx, ticket.owner_id);
    if (!(await startTicket(tx, hash, next, now))) throw refusal('gone');
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
    return next;
  });
  return { delivery, number, bytes, startedAt: now };
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

/** After the last byte, or after the connection broke: what really went out is written down. */
export async function finishDownload(
  ctx: Ctx,
  grant: Grant,
  sentBytes: number,
  outcome: 'partial' | 'cut',
): Promise<void> {
  const now = ctx.clock.now();
  const { delivery } = grant;
  await ctx.db.write(async (tx) => {
    if (sentBytes < grant.bytes) await giveBackServing(tx, delivery.ticketHash, grant.bytes - sentBytes);
    await addDelivered(
      tx,
      { ownerId: delivery.ticket.owner_id, number: grant.number },
      { bytes: sentBytes, durationMs: now - grant.startedAt, sizeBytes: delivery.sizeBytes, outcome, now },
    );
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
