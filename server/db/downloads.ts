// Queries on tickets and on the download log.
import { type Insertable, sql } from 'kysely';
import type { DownloadsTable, Query, TicketsTable, Tx } from './schema.ts';

export async function insertTicket(tx: Tx, row: Insertable<TicketsTable>): Promise<void> {
  await tx.insertInto('tickets').values(row).execute();
}

export function findTicket(db: Query, idHash: Buffer) {
  return db.selectFrom('tickets').selectAll().where('id_hash', '=', idHash).executeTakeFirst();
}

/** What the statements below need to know of a ticket. */
type HeldTicket = Pick<TicketsTable, 'id_hash' | 'identity'>;

/** The address is the holder's still: their account is switched on and has it, or no switched-off account has it (I17). */
const holderIsLive = sql<boolean>`(tickets.account_id is null or exists (
    select 1 from users where users.id = tickets.account_id and users.state = 'active' and (
      users.email = tickets.recipient
      or replace(users.recipient_aliases, '"' || tickets.recipient || '"', '') <> users.recipient_aliases)))
  and not exists (
    select 1 from users where users.email = tickets.recipient and users.state = 'disabled')`;

/** Levels 2 to 4 ask for a recipient whose access was not taken away; 2 is content with a local account (security D10). */
const recipientIsLive = (identity: string) => sql<boolean>`(tickets.message_id is null or tickets.kind = 'owner'
  or exists (select 1 from messages where messages.id = tickets.message_id and messages.audience < 2)
  or exists (select 1 from message_recipients join messages on messages.id = message_recipients.message_id
    where messages.id = tickets.message_id and message_recipients.state = 'active' and (
      message_recipients.address = tickets.identity
      or (messages.audience = 4 and message_recipients.address like ${sameDomain(identity)} escape '!')))
  or exists (select 1 from messages, users join groups on groups.id = users.group_id
    where messages.id = tickets.message_id and messages.audience = 2
      and users.id = tickets.account_id and groups.is_local = 1))`;

function sameDomain(address: string): string {
  return `%${address.slice(address.lastIndexOf('@')).replace(/[!%_]/g, '!$&')}`;
}

/**
 * Expiry, deletion, a switched-off owner and a right taken away act in the statement that grants (security D22), so that
 * no other process and no clock can come between the decision and the grant.
 */
const targetIsLive = (ticket: HeldTicket, now: number) => sql<boolean>`exists (
  select 1 from users where users.id = tickets.owner_id and users.state = 'active')
  and ${holderIsLive} and ${recipientIsLive(ticket.identity)}
  and (tickets.link_id is null or exists (
    select 1 from file_links where file_links.id = tickets.link_id and file_links.state = 'active' and file_links.expires_at > ${now}))
  and (tickets.message_id is null or exists (
    select 1 from messages where messages.id = tickets.message_id and messages.state = 'active' and messages.expires_at > ${now}))
  and (tickets.kind = 'owner' or not exists (
    select 1 from message_recipients where message_recipients.message_id = tickets.message_id
      and message_recipients.address = tickets.recipient and message_recipients.state = 'revoked'))
  and exists (select 1 from attachments where attachments.id = tickets.attachment_id and attachments.state = 'ready')
  and (tickets.is_archive = 0 or not exists (
    select 1 from ticket_files join attachments on attachments.id = ticket_files.attachment_id
    where ticket_files.id_hash = tickets.id_hash and attachments.state <> 'ready'))`;

/** Marks a ticket as used for the first time; true for exactly one request, however many race. */
export async function startTicket(tx: Tx, ticket: HeldTicket, downloadNumber: number, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set({ download_number: downloadNumber })
    .where('id_hash', '=', ticket.id_hash)
    .where('download_number', 'is', null)
    .where('expires_at', '>', now)
    .where(targetIsLive(ticket, now))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Allows further bytes under a ticket, up to a bound over all requests (invariant I11). */
export async function allowServing(
  tx: Tx,
  ticket: HeldTicket,
  bytes: number,
  mostBytes: number,
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set((eb) => ({ served_bytes: eb('served_bytes', '+', bytes) }))
    .where('id_hash', '=', ticket.id_hash)
    .where('expires_at', '>', now)
    .where(sql<boolean>`served_bytes + ${bytes} <= ${mostBytes}`)
    .where(targetIsLive(ticket, now))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Gives back what a broken connection did not take. */
export async function giveBackServing(tx: Tx, idHash: Buffer, bytes: number): Promise<void> {
  await tx
    .updateTable('tickets')
    .set((eb) => ({ served_bytes: eb('served_bytes', '-', bytes) }))
    .where('id_hash', '=', idHash)
    .execute();
}

/**
 * Takes the start of a ticket back; true once, and only while nothing was handed out or promised under it: a second
 * request that runs keeps the download counted. The log lines say that nothing was delivered.
 */
export async function refundStart(tx: Tx, idHash: Buffer, lines: DownloadLines): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set({ download_number: null })
    .where('id_hash', '=', idHash)
    .where('download_number', '=', lines.first)
    .where('served_bytes', '=', 0)
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) === 0) return false;
  await linesOf(tx, lines).set({ outcome: 'refunded' }).execute();
  return true;
}

/** Lines of one owner's log that belong to one ticket. */
export interface DownloadLines {
  ownerId: string;
  first: number;
  count: number;
}

function linesOf(tx: Tx, lines: DownloadLines) {
  return tx
    .updateTable('downloads')
    .where('owner_id', '=', lines.ownerId)
    .where('number', '>=', lines.first)
    .where('number', '<', lines.first + lines.count);
}

/** Lines that have no name of the visitor's machine yet get one. */
export async function nameHosts(tx: Tx, lines: DownloadLines, host: string): Promise<void> {
  await linesOf(tx, lines).set({ remote_host: host }).where('remote_host', '=', '').execute();
}

/** A request has ended: files it did not come to are no longer on their way. */
export async function endWaiting(tx: Tx, lines: DownloadLines, outcome: 'partial' | 'cut', now: number): Promise<void> {
  await linesOf(tx, lines).set({ outcome, finished_at: now }).where('outcome', '=', 'granted').execute();
}

/** The last ticket of one person for one file of a message that may still serve, so that a broken API download can go on. */
export function findLatestTicket(
  db: Query,
  wanted: {
    messageId: string;
    attachmentId: string;
    recipient: string;
    kind: 'visitor' | 'owner';
    issuedAfter: number;
    mostServedBytes: number;
  },
) {
  return db
    .selectFrom('tickets')
    .selectAll()
    .where('message_id', '=', wanted.messageId)
    .where('attachment_id', '=', wanted.attachmentId)
    .where('is_archive', '=', 0)
    .where('recipient', '=', wanted.recipient)
    .where('kind', '=', wanted.kind)
    .where('issued_at', '>', wanted.issuedAfter)
    .where('served_bytes', '<', wanted.mostServedBytes)
    .orderBy('issued_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function deleteExpiredTickets(tx: Tx, now: number, limit: number): Promise<number> {
  const rows = await tx.selectFrom('tickets').select('id_hash').where('expires_at', '<', now).limit(limit).execute();
  if (rows.length === 0) return 0;
  await tx
    .deleteFrom('tickets')
    .where(
      'id_hash',
      'in',
      rows.map((row) => row.id_hash),
    )
    .execute();
  return rows.length;
}

/** The first of the next so many numbers of the owner's log; the row lock orders concurrent downloads. */
export async function takeDownloadNumbers(tx: Tx, ownerId: string, count: number): Promise<number> {
  const row = await tx
    .updateTable('users')
    .set((eb) => ({ download_number: eb('download_number', '+', count) }))
    .where('id', '=', ownerId)
    .returning('download_number')
    .executeTakeFirstOrThrow();
  return row.download_number - count + 1;
}

/** So many lines a statement: a line has many columns, and engines bound the values. */
const batchSize = 200;

export async function insertDownloads(tx: Tx, rows: Insertable<DownloadsTable>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) {
    await tx
      .insertInto('downloads')
      .values(rows.slice(start, start + batchSize))
      .execute();
  }
}

/** Adds what one request delivered to the log line; the line is complete once all bytes have gone out. */
export async function addDelivered(
  tx: Tx,
  line: { ownerId: string; number: number },
  delivered: { bytes: number; durationMs: number; sizeBytes: number; outcome: 'partial' | 'cut'; now: number },
): Promise<{ isComplete: boolean }> {
  const row = await tx
    .updateTable('downloads')
    .set((eb) => ({
      sent_bytes: eb('sent_bytes', '+', delivered.bytes),
      duration_ms: eb('duration_ms', '+', delivered.durationMs),
      finished_at: delivered.now,
      outcome: sql<
        'complete' | 'partial' | 'cut'
      >`case when outcome = 'complete' or sent_bytes + ${delivered.bytes} >= ${delivered.sizeBytes}
        then 'complete' else ${delivered.outcome} end`,
    }))
    .where('owner_id', '=', line.ownerId)
    .where('number', '=', line.number)
    .returning('outcome')
    .executeTakeFirst();
  return { isComplete: row?.outcome === 'complete' };
}

export interface DownloadScope {
  ownerId: string;
  linkId?: string;
  messageId?: string;
  grantedAfter?: number;
}

const withFile = (db: Query) =>
  db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .selectAll('downloads')
    .select([
      'attachments.name_sealed',
      'attachments.size_bytes',
      'attachments.content_type',
      'attachments.sha256',
      'attachments.crc32',
    ]);

/** One page of the log, oldest first, after the number. A million rows are read a page at a time. */
export function listDownloads(db: Query, scope: DownloadScope, afterNumber: number, limit: number) {
  let query = withFile(db)
    .where('downloads.owner_id', '=', scope.ownerId)
    .where('downloads.outcome', '<>', 'refunded')
    .where('downloads.number', '>', afterNumber);
  if (scope.linkId !== undefined) query = query.where('downloads.link_id', '=', scope.linkId);
  if (scope.messageId !== undefined) query = query.where('downloads.message_id', '=', scope.messageId);
  if (scope.grantedAfter !== undefined) query = query.where('downloads.granted_at', '>=', scope.grantedAfter);
  return query.orderBy('downloads.number').limit(limit).execute();
}

/** These lines of one owner, in no order. */
export function listDownloadsByNumber(db: Query, ownerId: string, numbers: number[]) {
  return withFile(db)
    .where('downloads.owner_id', '=', ownerId)
    .where('downloads.number', 'in', numbers.length === 0 ? [0] : numbers)
    .execute();
}

/** The newest lines of one link, newest first. */
export function listNewestOfLink(db: Query, ownerId: string, linkId: string, limit: number) {
  return withFile(db)
    .where('downloads.owner_id', '=', ownerId)
    .where('downloads.link_id', '=', linkId)
    .where('downloads.outcome', '<>', 'refunded')
    .orderBy('downloads.number', 'desc')
    .limit(limit)
    .execute();
}

export type DownloadRow = Awaited<ReturnType<typeof listDownloads>>[number];

/** Where a log restricted by time begins, so that paging does not walk over what came before. */
export async function firstDownloadNumberSince(
  db: Query,
  ownerId: string,
  grantedAfter: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select((eb) => eb.fn.min('number').as('first'))
    .where('owner_id', '=', ownerId)
    .where('granted_at', '>=', grantedAfter)
    .executeTakeFirst();
  return row?.first === null || row?.first === undefined ? null : Number(row.first);
}

/** Last whole download of each file of a message by one person. */
export async function findLastDownloads(db: Query, messageId: string, recipient: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('downloads')
    .select(['attachment_id', (eb) => eb.fn.max('granted_at').as('last')])
    .where('message_id', '=', messageId)
    .where('recipient', '=', recipient)
    .where('outcome', '=', 'complete')
    .groupBy('attachment_id')
    .execute();
  return new Map(rows.map((row) => [row.attachment_id, Number(row.last)]));
}
