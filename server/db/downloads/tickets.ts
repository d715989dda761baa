// Queries on tickets. Whether a ticket may still be used is a condition of the statement that grants bytes, so nothing
// can happen between the decision and the grant.
import { sql } from 'kysely';
import { availableStates } from '../../domain/availability.ts';
import type { Ticket, TicketUse } from '../../domain/downloads.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import { type Flag, toFlag } from '../flag.ts';
import type { Builder, Query, TicketsTable, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { wholeBody } from './downloads.ts';
import { domainPattern, holderIsAdmitted, holderIsLive, holderIsNotRevoked, levelsFor } from './ticket-holders.ts';

const batchSize = 500;

/** What an earlier ticket has used, which this one replaces. */
export interface Begun {
  downloadNumber: number;
  servedBytes: number;
}

const tickets = defineTable<TicketsTable>()(({ plain, flags }) => ({
  ...plain(
    'id_hash',
    'attachment_id',
    'owner_id',
    'link_id',
    'message_id',
    'recipient',
    'kind',
    'identity',
    'account_id',
  ),
  ...plain('visitor_hash', 'network', 'password_version', 'issued_at', 'expires_at', 'served_bytes', 'unsettled'),
  ...flags('is_archive'),
}));

/** `files`: the files of an archive, in order. */
export async function insertTicket(tx: Tx, ticket: Ticket, files: string[], begun: Begun | null = null): Promise<void> {
  await tx
    .insertInto('tickets')
    .values({
      ...tickets.write({ ...ticket, servedBytes: begun?.servedBytes ?? 0, unsettled: 0 }),
      download_number: begun?.downloadNumber ?? null,
      is_helped: 0,
      progress_at: null,
    })
    .execute();
  const rows = files.map((id, position) => ({ id_hash: ticket.idHash, position, attachment_id: id }));
  for (let start = 0; start < rows.length; start += batchSize) {
    await tx
      .insertInto('ticket_files')
      .values(rows.slice(start, start + batchSize))
      .execute();
  }
}

const ticketOf = tickets.read;

const byHash = prepared((db: Builder, param: Param<{ idHash: Buffer }>) =>
  db.selectFrom('tickets').selectAll().where('id_hash', '=', param('idHash')),
);

export async function findTicket(db: Query, idHash: Buffer): Promise<Ticket | undefined> {
  const [row] = await byHash(db, { idHash });
  return row === undefined ? undefined : ticketOf(row);
}

const available = sql.join(availableStates.map((state) => sql.lit(state)));
/** As `available`: before a verdict that permits it, a file leaves to its uploader only. */
const isReleased = sql<boolean>`(attachments.scan_state = 'free' or (tickets.kind = 'owner' and attachments.is_from_outside = 0))`;
const filesAreAvailable = sql<boolean>`exists (
    select 1 from attachments where attachments.id = tickets.attachment_id and attachments.state in (${available})
      and ${isReleased})
  and (tickets.is_archive = 0 or not exists (
    select 1 from ticket_files join attachments on attachments.id = ticket_files.attachment_id
    where ticket_files.id_hash = tickets.id_hash and (attachments.state not in (${available}) or not ${isReleased})))`;

const filesAreInMessage = sql<boolean>`(tickets.message_id is null or not exists (
    select 1 from removed_message_files as removed where removed.message_id = tickets.message_id
      and (removed.attachment_id = tickets.attachment_id or (tickets.is_archive = 1 and exists (
        select 1 from ticket_files where ticket_files.id_hash = tickets.id_hash
          and ticket_files.attachment_id = removed.attachment_id)))))`;

interface LiveParams {
  domain: string;
  /** The instant that expiry is compared with. */
  now: number;
  /** A second state that is allowed. `released`: what expired after that instant still counts. */
  endedState: 'active' | 'released';
  isHome: Flag;
}

/** The target is not expired, withdrawn or deleted, its owner is active, and it has all of its files. */
const targetIsLive = (param: Param<LiveParams>) => sql<boolean>`exists (
    select 1 from users where users.id = tickets.owner_id and users.state = 'active')
  and (tickets.link_id is null or exists (
    select 1 from file_links where file_links.id = tickets.link_id
      and file_links.state in ('active', ${param('endedState')}) and file_links.expires_at > ${param('now')}))
  and (tickets.message_id is null or exists (
    select 1 from messages where messages.id = tickets.message_id
      and messages.state in ('active', ${param('endedState')}) and messages.expires_at > ${param('now')}
      and (tickets.kind = 'owner' or messages.review_state is null or messages.review_state = 'released')))
  and ${filesAreAvailable} and ${filesAreInMessage}`;

const holderIsPermitted = (param: Param<LiveParams>) => sql<boolean>`${holderIsLive}
  and ${holderIsNotRevoked} and ${holderIsAdmitted(param('domain'))}
  and (tickets.link_id is null or tickets.kind = 'owner' or tickets.recipient <> '' or exists (
    select 1 from file_links where file_links.id = tickets.link_id and file_links.require_sign_in = 0))`;

/** The address alone opens the target, so the holder of the ticket need not be known. */
const targetIsOpen = sql<boolean>`(tickets.message_id is null or exists (
    select 1 from messages where messages.id = tickets.message_id and messages.audience in (${levelsFor('unknown')})))
  and (tickets.link_id is null or exists (
    select 1 from file_links where file_links.id = tickets.link_id
      and file_links.require_sign_in = 0 and file_links.password_hash is null))`;

const bearerIsRight = (param: Param<LiveParams>) => sql<boolean>`(${param('isHome')} = 1 or (${targetIsOpen}))`;

/** The password was not set or changed since: a visitor must enter the new one. */
const passwordIsSame = sql<boolean>`(tickets.link_id is null or tickets.kind = 'owner' or exists (
    select 1 from file_links where file_links.id = tickets.link_id
      and file_links.password_version = tickets.password_version))`;

/** One count gives one copy: nothing more is served after the last byte. */
const isFullyDelivered = sql<boolean>`exists (select 1 from downloads
  where downloads.owner_id = tickets.owner_id and downloads.number = tickets.download_number
    and downloads.delivered = ${sql.lit(wholeBody)})`;

/**
 * Whether a ticket may be used: `not_permitted` when its target has ended or its holder has lost access, `elsewhere`
 * when another visitor than its holder uses it.
 */
export type TicketStanding = 'allowed' | 'not_permitted' | 'elsewhere' | 'ended' | 'gone';

/** More than any file has, so that a retired ticket serves nothing, even after unsent bytes are given back. */
export const retiredBytes = 2 ** 50;

const standingOf = prepared((db: Builder, param: Param<LiveParams & { idHash: Buffer }>) =>
  db
    .selectFrom('tickets')
    .select(
      sql<TicketStanding>`case when not (${targetIsLive(param)}) then 'gone'
        when not ${passwordIsSame} or served_bytes >= ${sql.lit(retiredBytes / 2)} then 'ended'
        when not ${bearerIsRight(param)} then 'elsewhere'
        when ${holderIsPermitted(param)} then 'allowed' else 'not_permitted' end`.as('standing'),
    )
    .where('id_hash', '=', param('idHash')),
);

export function findStanding(db: Query, ticket: Ticket, use: TicketUse, now: number): Promise<TicketStanding> {
  return standingAt(db, ticket, { now, endedState: 'active', isHome: toFlag(use.isHome) });
}

/** For a download that began at an instant and is running: what expired since may be fetched to the end. */
export function findStandingOfRunning(db: Query, ticket: Ticket, startedAt: number): Promise<TicketStanding> {
  return standingAt(db, ticket, { now: startedAt, endedState: 'released', isHome: 1 });
}

async function standingAt(db: Query, ticket: Ticket, when: Omit<LiveParams, 'domain'>): Promise<TicketStanding> {
  const [row] = await standingOf(db, { idHash: ticket.idHash, domain: domainPattern(ticket.identity), ...when });
  return row?.standing ?? 'gone';
}

interface ServeParams extends LiveParams {
  idHash: Buffer;
  bytes: number;
  mostBytes: number;
  isBare: Flag;
  isHelper: Flag;
}

const serve = prepared((tx: Builder, param: Param<ServeParams>) =>
  tx
    .updateTable('tickets')
    .set((eb) => ({
      served_bytes: eb('served_bytes', '+', param('bytes')),
      unsettled: eb('unsettled', '+', 1),
      is_helped: sql<Flag>`case when ${param('isBare')} = 1 then 1 else is_helped end`,
    }))
    .where('id_hash', '=', param('idHash'))
    .where('expires_at', '>', param('now'))
    .where(sql<boolean>`served_bytes + ${param('bytes')} <= ${param('mostBytes')}`)
    // A small file that the browser fetched before its download helper looks complete here.
    .where(sql<boolean>`(not ${isFullyDelivered} or (${param('isHelper')} = 1 and is_helped = 0))`)
    .where(targetIsLive(param))
    .where(passwordIsSame)
    .where(bearerIsRight(param))
    .where(holderIsPermitted(param))
    .returning([
      'download_number',
      sql<number | null>`(select granted_at from downloads
        where downloads.owner_id = tickets.owner_id and downloads.number = tickets.download_number)`.as('granted_at'),
    ]),
);

export interface BegunDownload {
  number: number;
  grantedAt: number;
}

/**
 * Grants further bytes under a usable ticket, up to a limit over all requests; null when refused. `begun` is null for
 * the first request of a download.
 */
export async function allowServing(
  tx: Tx,
  ticket: Ticket,
  wanted: { bytes: number; mostBytes: number; use: TicketUse },
  now: number,
): Promise<{ begun: BegunDownload | null } | null> {
  const { use, ...bytes } = wanted;
  const [row] = await serve(tx, {
    idHash: ticket.idHash,
    domain: domainPattern(ticket.identity),
    now,
    endedState: 'active',
    isHome: toFlag(use.isHome),
    isBare: toFlag(use.isBare),
    isHelper: toFlag(use.isHelper),
    ...bytes,
  });
  if (row === undefined) return null;
  const { download_number: number, granted_at: grantedAt } = row;
  return { begun: number === null ? null : { number, grantedAt: Number(grantedAt ?? now) } };
}

/** Ends a request and gives back the bytes that were not delivered. */
export async function finishServing(tx: Tx, idHash: Buffer, unsentBytes: number): Promise<void> {
  await tx
    .updateTable('tickets')
    .set((eb) => ({ served_bytes: eb('served_bytes', '-', unsentBytes), unsettled: eb('unsettled', '-', 1) }))
    .where('id_hash', '=', idHash)
    .execute();
}

/** How many requests under a ticket are not in the log yet; 0 once everything was delivered. */
export async function countUnsettled(db: Query, idHash: Buffer): Promise<number> {
  const row = await db
    .selectFrom('tickets')
    .select(sql<number>`case when ${isFullyDelivered} then 0 else unsettled end`.as('unsettled'))
    .where('id_hash', '=', idHash)
    .executeTakeFirst();
  return Number(row?.unsettled ?? 0);
}

/** Stores the number of the download with its first request; the caller has locked the ticket by `allowServing`. */
export async function startTicket(tx: Tx, idHash: Buffer, downloadNumber: number): Promise<void> {
  await tx.updateTable('tickets').set({ download_number: downloadNumber }).where('id_hash', '=', idHash).execute();
}

/**
 * Takes the start of a ticket back; true once, and only if nothing was delivered or granted under it. A second running
 * request keeps the download counted.
 */
export async function resetTicket(tx: Tx, idHash: Buffer, downloadNumber: number): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set({ download_number: null })
    .where('id_hash', '=', idHash)
    .where('download_number', '=', downloadNumber)
    .where('served_bytes', '=', 0)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** The last usable ticket of one person for one file of a message, so that an interrupted download can resume. */
export async function findLatestTicket(
  db: Query,
  wanted: Pick<Ticket, 'messageId' | 'attachmentId' | 'recipient' | 'kind'>,
  than: { issuedAfter: number; servedBelowBytes: number },
): Promise<Ticket | undefined> {
  const row = await db
    .selectFrom('tickets')
    .selectAll()
    .where('message_id', '=', wanted.messageId)
    .where('attachment_id', '=', wanted.attachmentId)
    .where('is_archive', '=', 0)
    .where('recipient', '=', wanted.recipient)
    .where('kind', '=', wanted.kind)
    .where('issued_at', '>', than.issuedAfter)
    .where('served_bytes', '<', than.servedBelowBytes)
    .where(sql<boolean>`not ${isFullyDelivered}`)
    .orderBy('issued_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : ticketOf(row);
}

/**
 * Whose tickets for which target. A confirmed address is the same person in every browser; other visitors are known by
 * browser.
 */
export interface TicketHolder extends Pick<Ticket, 'messageId' | 'linkId' | 'recipient' | 'kind' | 'visitorHash'> {
  issuedAfter: number;
}

export interface InterruptedTicket extends Begun {
  ticket: Ticket;
  /** Bytes are being sent, as far as recorded. */
  isRunning: boolean;
}

const mostInterrupted = 200;

/** The rows of the log that belong to a ticket: one for each of its files. */
const isLineOfTicket = sql<boolean>`downloads.owner_id = tickets.owner_id
  and downloads.number >= tickets.download_number
  and downloads.number < tickets.download_number + (case when tickets.is_archive = 1
    then (select count(*) from ticket_files where ticket_files.id_hash = tickets.id_hash) else 1 end)`;

const isRunning = sql<number>`case when exists (
  select 1 from downloads where ${isLineOfTicket} and downloads.outcome = 'granted') then 1 else 0 end`;

/** Downloads of one visitor that were interrupted or are running, newest first. */
export async function listInterrupted(db: Query, holder: TicketHolder): Promise<InterruptedTicket[]> {
  const { messageId, linkId, recipient, visitorHash } = holder;
  const rows = await db
    .selectFrom('tickets')
    .selectAll()
    .select(isRunning.as('running'))
    .where(linkId === null ? 'message_id' : 'link_id', '=', linkId ?? messageId)
    .where('kind', '=', holder.kind)
    .where('issued_at', '>', holder.issuedAfter)
    .where('download_number', 'is not', null)
    .where((eb) =>
      eb.or([
        ...(visitorHash === null ? [] : [eb('visitor_hash', '=', visitorHash)]),
        ...(recipient === '' ? [] : [eb('recipient', '=', recipient)]),
      ]),
    )
    .where(sql<boolean>`not ${isFullyDelivered}`)
    .orderBy('issued_at', 'desc')
    .limit(mostInterrupted)
    .execute();
  return rows.map((row) => ({
    ticket: ticketOf(row),
    downloadNumber: row.download_number!,
    servedBytes: row.served_bytes,
    isRunning: Number(row.running) === 1,
  }));
}

/** When each file of a message was last downloaded completely in one browser, by any person. */
export async function findVisitorDownloads(
  db: Query,
  messageId: string,
  visitorHash: Buffer,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('tickets')
    .innerJoin('downloads', (join) => join.on(isLineOfTicket))
    .select(['downloads.attachment_id', (eb) => eb.fn.max('downloads.granted_at').as('last')])
    .where('tickets.message_id', '=', messageId)
    .where('tickets.visitor_hash', '=', visitorHash)
    .where('downloads.outcome', '=', 'complete')
    .groupBy('downloads.attachment_id')
    .execute();
  return new Map(rows.map((row) => [row.attachment_id, Number(row.last)]));
}

/**
 * Ends a ticket that another one replaces, with its running requests. False when something was served under it since,
 * or another request has replaced it.
 */
export async function retireTicket(tx: Tx, earlier: InterruptedTicket): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set({ served_bytes: retiredBytes })
    .where('id_hash', '=', earlier.ticket.idHash)
    .where('served_bytes', '=', earlier.servedBytes)
    .where('download_number', '=', earlier.downloadNumber)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}
