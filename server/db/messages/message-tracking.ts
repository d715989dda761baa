// Queries for the tracker of sent messages: mails, downloads and visits, for one message or for a page of a list.
import { type SqlBool, sql } from 'kysely';
import type { MessageHead } from '../../domain/messages.ts';
import type { CarryingMail, LoggedVisit, TrackedDownload } from '../../domain/tracking.ts';
import type { DownloadsTable, MessageVisitsTable, Query, Tx } from '../schema/schema.ts';
import { camelRow, defineTable } from '../table.ts';
import { headColumns, headOf, openSubject } from './messages.ts';

/** Mails of these kinds about these messages, oldest first. */
export async function listCarryingMails(
  db: Query,
  messageIds: string[],
  kinds: readonly string[],
): Promise<CarryingMail[]> {
  const rows = await db
    .selectFrom('outbox')
    .select([
      'id',
      'kind',
      'recipient',
      'message_id',
      'state',
      'attempts',
      'next_at',
      'server_text',
      'created_at',
      'finished_at',
    ])
    .where('message_id', 'in', messageIds)
    .where('kind', 'in', kinds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...camelRow(row), messageId: row.message_id! }));
}

/** Cancels waiting mails to one person. The job checks again before it sends one. */
export async function cancelMailsTo(
  tx: Tx,
  who: { messageId: string; address: string },
  kinds: readonly string[],
  now: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', finished_at: now })
    .where('message_id', '=', who.messageId)
    .where('recipient', '=', who.address)
    .where('kind', 'in', kinds)
    .where('state', '=', 'pending')
    .execute();
}

/** All downloads of a file of a message by one person. */
export interface FileProgress {
  messageId: string;
  recipient: string;
  attachmentId: string;
  isWhole: boolean;
}

/** Of files that the messages still have. */
export async function listProgress(db: Query, messageIds: string[]): Promise<FileProgress[]> {
  const rows = await db
    .selectFrom('downloads')
    .select([
      'message_id',
      'recipient',
      'attachment_id',
      sql<number>`max(case when outcome = 'complete' then 1 else 0 end)`.as('is_whole'),
    ])
    .where('message_id', 'in', messageIds)
    .where('kind', '=', 'visitor')
    .where('outcome', '<>', 'refunded')
    .where(
      sql<SqlBool>`not exists (select 1 from removed_message_files as removed
        where removed.message_id = downloads.message_id and removed.attachment_id = downloads.attachment_id)`,
    )
    .groupBy(['message_id', 'recipient', 'attachment_id'])
    .execute();
  return rows.map((row) => ({
    messageId: row.message_id!,
    recipient: row.recipient,
    attachmentId: row.attachment_id,
    isWhole: Number(row.is_whole) === 1,
  }));
}

/** Downloads of one message, except by its owner, newest first. */
export async function listTrackedDownloads(db: Query, messageId: string, limit: number): Promise<TrackedDownload[]> {
  const rows = await db
    .selectFrom('downloads')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('kind', '=', 'visitor')
    .where('outcome', '<>', 'refunded')
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(trackedOf);
}

function trackedOf(row: DownloadsTable): TrackedDownload {
  return {
    number: row.number,
    attachmentId: row.attachment_id,
    recipient: row.recipient,
    at: row.granted_at,
    bytes: row.sent_bytes,
    isWhole: row.outcome === 'complete',
    isRunning: row.outcome === 'granted',
    country: row.country_name,
    city: row.city,
    device: row.os === '' ? row.platform : row.os,
    browser: row.browser,
    ip: row.remote_ip,
  };
}

export async function listVisits(db: Query, messageId: string): Promise<LoggedVisit[]> {
  const rows = await db
    .selectFrom('message_visits')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('last_at', 'desc')
    .execute();
  return visits.readAll(rows);
}

const visits = defineTable<MessageVisitsTable>()(({ plain, flags }) => ({
  ...plain('address', 'first_at', 'last_at', 'count', 'browser', 'device', 'network', 'country'),
  ...flags('is_scanner'),
}));

/** Deletes visits before an instant of messages that can no longer be opened; returns the number of messages. */
export async function deleteOldVisits(
  tx: Tx,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<number> {
  const old = await tx
    .selectFrom('message_visits')
    .innerJoin('messages', 'messages.id', 'message_visits.message_id')
    .select('message_visits.message_id as id')
    .distinct()
    .where('last_at', '<', before)
    .where('messages.expires_at', '<=', now)
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await tx.deleteFrom('message_visits').where('message_id', 'in', ids).where('last_at', '<', before).execute();
  return old.length;
}

/** Confirmed addresses that opened these messages. */
export async function listVisitors(db: Query, messageIds: string[]): Promise<{ messageId: string; address: string }[]> {
  return db
    .selectFrom('message_visits')
    .select(['message_id as messageId', 'address'])
    .where('message_id', 'in', messageIds)
    .where('address', '<>', '')
    .execute();
}

export interface NewVisit extends Omit<LoggedVisit, 'firstAt' | 'lastAt' | 'count'> {
  messageId: string;
  /** The confirmed address, or a hash of network and browser for unknown visitors. */
  visitor: string;
  at: number;
}

/**
 * Counts a visit; true when this visitor is new. New visitors are added up to a limit, and a visit soon after the last
 * one is part of it, in whichever process.
 */
export async function addVisit(
  tx: Tx,
  visit: NewVisit,
  { mostRows, apartMs }: { mostRows: number; apartMs: number },
): Promise<boolean> {
  const { at, address, browser, device, network, country } = visit;
  const updated = await tx
    .updateTable('message_visits')
    .set((eb) => ({ count: eb('count', '+', 1), last_at: at, browser, device, network, country }))
    .where('message_id', '=', visit.messageId)
    .where('visitor', '=', visit.visitor)
    .where('last_at', '<=', at - apartMs)
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) > 0) return false;
  const { rows } = await tx
    .selectFrom('message_visits')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('message_id', '=', visit.messageId)
    .where('address', address === '' ? '=' : '<>', '')
    .executeTakeFirstOrThrow();
  if (Number(rows) >= mostRows) return false;
  const inserted = await tx
    .insertInto('message_visits')
    .values({
      message_id: visit.messageId,
      visitor: visit.visitor,
      address,
      first_at: at,
      last_at: at,
      count: 1,
      browser,
      device,
      network,
      country,
      is_scanner: visit.isScanner ? 1 : 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export interface SentScope {
  ownerId: string;
  /** A recipient: by a part of the address, or one of these addresses. */
  person: { part: string; addresses: string[] } | null;
  from: number | null;
  before: number | null;
}

const sortColumns = { sent: 'created_at', until: 'expires_at', size: 'size_bytes' } as const;
export type SentSort = keyof typeof sortColumns;

export type ListedMessage = MessageHead & { subject: string };

/** Sent messages of one user, sorted; filtered only by what is not encrypted. */
export async function listSentPage(
  db: Query,
  scope: SentScope,
  page: { sort: SentSort; isDescending: boolean; offset: number; limit: number },
): Promise<ListedMessage[]> {
  const order = page.isDescending ? 'desc' : 'asc';
  const rows = await sentWithin(db, scope)
    .select([...headColumns, 'messages.subject_sealed'])
    .orderBy(`messages.${sortColumns[page.sort]}`, order)
    .orderBy('messages.id', order)
    .offset(page.offset)
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({ ...headOf(row), subject: openSubject(db.keys, row) }));
}

export async function countSent(db: Query, scope: SentScope): Promise<number> {
  const row = await sentWithin(db, scope)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function sentWithin(db: Query, scope: SentScope) {
  let query = db.selectFrom('messages').where('owner_id', '=', scope.ownerId).where('origin', '=', 'sent');
  if (scope.from !== null) query = query.where('created_at', '>=', scope.from);
  if (scope.before !== null) query = query.where('created_at', '<', scope.before);
  const { person } = scope;
  if (person !== null) {
    const pattern = `%${person.part.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('message_recipients')
          .select(sql`1`.as('one'))
          .whereRef('message_recipients.message_id', '=', 'messages.id')
          .where((either) =>
            either.or([
              sql<SqlBool>`message_recipients.address like ${pattern} escape '\\'`,
              ...(person.addresses.length === 0 ? [] : [either('message_recipients.address', 'in', person.addresses)]),
            ]),
          ),
      ),
    );
  }
  return query;
}
