// Queries on received messages: by address, as answers to requests, and through the drop page.
import { type ExpressionBuilder, sql } from 'kysely';
import type { MessageHead, MessageOrigin } from '../../domain/messages.ts';
import type { Query, Tables } from '../schema/schema.ts';
import { headColumns, headOf, openSubject } from './messages.ts';
import { idsSentTo, isReleased, type Reader } from './readers.ts';

export type ReceivedState = 'new' | 'downloaded' | 'expired';

export interface ReceivedFilter extends Reader {
  state: ReceivedState | null;
  origin: MessageOrigin | null;
  sender: string | null;
  now: number;
}

/** Matches no address. */
const noAddress = '-';

/** Downloaded completely by the user: under one of their addresses, or as the owner of a delivery. */
const isDownloaded = (eb: ExpressionBuilder<Tables, 'messages'>, filter: ReceivedFilter) =>
  eb.exists(
    eb
      .selectFrom('downloads')
      .select(sql`1`.as('one'))
      .whereRef('downloads.message_id', '=', 'messages.id')
      .where('downloads.recipient', 'in', filter.addresses.length === 0 ? [noAddress] : filter.addresses)
      .where('downloads.outcome', '=', 'complete'),
  );

/** Ids come first, from two indexes. Leaves out withdrawn messages and revoked recipients. */
const withFilter = (db: Query, filter: ReceivedFilter) => {
  const handedIn = sql`select own.id from messages as own where own.owner_id = ${filter.userId} and own.origin <> 'sent'`;
  let query = db
    .selectFrom('messages')
    .where(sql<boolean>`messages.id in (select message_id from ${idsSentTo(filter)} as sent union ${handedIn})`)
    .where('messages.state', '<>', 'revoked')
    .where(isReleased);
  if (filter.origin !== null) query = query.where('messages.origin', '=', filter.origin);
  if (filter.sender !== null) query = query.where('messages.sender', '=', filter.sender);
  if (filter.state === null) return query;
  if (filter.state === 'expired')
    return query.where((eb) =>
      eb.or([eb('messages.state', '=', 'released'), eb('messages.expires_at', '<=', filter.now)]),
    );
  const live = query.where('messages.state', '=', 'active').where('messages.expires_at', '>', filter.now);
  return filter.state === 'downloaded'
    ? live.where((eb) => isDownloaded(eb, filter))
    : live.where((eb) => eb.not(isDownloaded(eb, filter)));
};

const sortColumns = { receivedAt: 'created_at', expiresAt: 'expires_at', sizeBytes: 'size_bytes' } as const;

export interface ReceivedOrder {
  by: keyof typeof sortColumns;
  direction: 'asc' | 'desc';
}

export interface ReceivedMessage extends MessageHead {
  subject: string;
  fileCount: number;
  isDownloaded: boolean;
}

export async function listReceivedPage(
  db: Query,
  filter: ReceivedFilter,
  order: ReceivedOrder,
  page: { offset: number; limit: number },
): Promise<ReceivedMessage[]> {
  const rows = await withFilter(db, filter)
    .select([...headColumns, 'messages.subject_sealed'])
    .select((eb) => [
      eb
        .selectFrom('message_attachments')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('message_attachments.message_id', '=', 'messages.id')
        .as('files'),
      isDownloaded(eb, filter).as('is_downloaded'),
    ])
    .orderBy(`messages.${sortColumns[order.by]}`, order.direction)
    .orderBy('messages.id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map((row) => ({
    ...headOf(row),
    subject: openSubject(db.keys, row),
    fileCount: Number(row.files ?? 0),
    // SQLite returns 0 or 1, PostgreSQL false or true.
    isDownloaded: Boolean(row.is_downloaded),
  }));
}

export async function countReceived(db: Query, filter: ReceivedFilter): Promise<number> {
  const row = await withFilter(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
