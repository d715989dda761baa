// Queries for the tracker of sent messages: mails, downloads and visits, for one message or for a page of a list.
import { type SqlBool, sql } from 'kysely';
import type { MessageVisitsTable, Query, Tx } from './schema.ts';

/** The mails that carry messages to people, oldest first. `kinds` says which do. */
export function listCarryingMails(db: Query, messageIds: string[], kinds: readonly string[]) {
  return db
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
}

export type CarryingMail = Awaited<ReturnType<typeof listCarryingMails>>[number];

/** Cancels what waits for one person; what is being handed over is asked again by the job. */
export async function cancelMailsTo(
  tx: Tx,
  to: { messageId: string; recipient: string },
  kinds: readonly string[],
  now: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', finished_at: now })
    .where('message_id', '=', to.messageId)
    .where('recipient', '=', to.recipient)
    .where('kind', 'in', kinds)
    .where('state', '=', 'pending')
    .execute();
}

export function listRecipientsOf(db: Query, messageIds: string[]) {
  return db
    .selectFrom('message_recipients')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
}

/** Files of each message, as few columns as a list needs. */
export function listFilesOf(db: Query, messageIds: string[]) {
  return db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .select(['message_attachments.message_id', 'attachments.id', 'attachments.name_sealed'])
    .where('message_attachments.message_id', 'in', messageIds)
    .orderBy('message_attachments.message_id')
    .orderBy('message_attachments.position')
    .execute();
}

/** How far each person came with each file: one line for all downloads of a file by a person. */
export function listProgress(db: Query, messageIds: string[]) {
  return db
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
    .groupBy(['message_id', 'recipient', 'attachment_id'])
    .execute();
}

/** The downloads of one message by others than its owner, newest first. */
export function listTrackedDownloads(db: Query, messageId: string, limit: number) {
  return db
    .selectFrom('downloads')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('kind', '=', 'visitor')
    .where('outcome', '<>', 'refunded')
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
}

export function listCounters(db: Query, messageId: string) {
  return db.selectFrom('counters').selectAll().where('message_id', '=', messageId).execute();
}

export function listVisits(db: Query, messageId: string) {
  return db
    .selectFrom('message_visits')
    .selectAll()
    .where('message_id', '=', messageId)
    .orderBy('last_at', 'desc')
    .execute();
}

export function listFirstVisits(db: Query, messageIds: string[]) {
  return db
    .selectFrom('message_visits')
    .select(['message_id', 'address', 'first_at'])
    .where('message_id', 'in', messageIds)
    .where('address', '<>', '')
    .execute();
}

/** Counts a visit; true when this visitor is new. A new one is taken in only while there is room. */
export async function addVisit(tx: Tx, visit: MessageVisitsTable, mostRows: number): Promise<boolean> {
  const updated = await tx
    .updateTable('message_visits')
    .set((eb) => ({
      count: eb('count', '+', visit.count),
      last_at: visit.last_at,
      browser: visit.browser,
      device: visit.device,
      network: visit.network,
      country: visit.country,
    }))
    .where('message_id', '=', visit.message_id)
    .where('visitor', '=', visit.visitor)
    .executeTakeFirst();
  if (Number(updated.numUpdatedRows) > 0) return false;
  const { rows } = await tx
    .selectFrom('message_visits')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('message_id', '=', visit.message_id)
    .where('address', visit.address === '' ? '=' : '<>', '')
    .executeTakeFirstOrThrow();
  if (Number(rows) >= mostRows) return false;
  const inserted = await tx
    .insertInto('message_visits')
    .values(visit)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export interface SentScope {
  ownerId: string;
  /** Part of an address of somebody it went to. */
  person: string | null;
  from: number | null;
  before: number | null;
}

const sortColumns = { sent: 'created_at', until: 'expires_at', size: 'size_bytes' } as const;
export type SentSort = keyof typeof sortColumns;

/** Sent messages of one person, sorted; only what the database itself can look for. */
export function listSentPage(
  db: Query,
  scope: SentScope,
  page: { sort: SentSort; isDescending: boolean; offset: number; limit: number },
) {
  const order = page.isDescending ? 'desc' : 'asc';
  return sentWithin(db, scope)
    .selectAll('messages')
    .orderBy(`messages.${sortColumns[page.sort]}`, order)
    .orderBy('messages.id', order)
    .offset(page.offset)
    .limit(page.limit)
    .execute();
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
    const pattern = `%${person.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('message_recipients')
          .select(sql`1`.as('one'))
          .whereRef('message_recipients.message_id', '=', 'messages.id')
          .where(sql<SqlBool>`message_recipients.address like ${pattern} escape '\\'`),
      ),
    );
  }
  return query;
}

/** Counts a reminder; the caller holds the message, so that two at once count one after the other. */
export async function claimReminder(tx: Tx, messageId: string, address: string, now: number): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set((eb) => ({ reminder_count: eb('reminder_count', '+', 1), reminded_at: now }))
    .where('message_id', '=', messageId)
    .where('address', '=', address)
    .execute();
}
