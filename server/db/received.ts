// Queries on what came to a person: by their addresses, in answer to their requests, to their drop page.
import { type ExpressionBuilder, sql } from 'kysely';
import type { Query, Tables } from './schema.ts';

export type ReceivedState = 'new' | 'downloaded' | 'expired';

export interface ReceivedFilter {
  ownerId: string;
  addresses: string[];
  state: ReceivedState | null;
  origin: 'sent' | 'request' | 'filedrop' | null;
  sender: string | null;
  now: number;
}

/** Fetched whole by the person: under one of their addresses, or as the owner of what was handed in. */
const isDownloaded = (eb: ExpressionBuilder<Tables, 'messages'>, filter: ReceivedFilter) =>
  eb.exists(
    eb
      .selectFrom('downloads')
      .select(sql`1`.as('one'))
      .whereRef('downloads.message_id', '=', 'messages.id')
      .where('downloads.recipient', 'in', filter.addresses)
      .where('downloads.outcome', '=', 'complete'),
  );

/** The ids come first, from two indexes; withdrawn messages and withdrawn people are left out. */
const withFilter = (db: Query, filter: ReceivedFilter) => {
  let query = db
    .selectFrom('messages')
    .where('messages.id', 'in', (eb) =>
      eb
        .selectFrom('message_recipients')
        .select('message_recipients.message_id as id')
        .where('message_recipients.address', 'in', filter.addresses)
        .where('message_recipients.state', '=', 'active')
        .union(
          eb
            .selectFrom('messages as own')
            .select('own.id')
            .where('own.owner_id', '=', filter.ownerId)
            .where('own.origin', '<>', 'sent'),
        ),
    )
    .where('messages.state', '<>', 'revoked');
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

export function listReceivedPage(
  db: Query,
  filter: ReceivedFilter,
  order: { by: 'created_at' | 'expires_at' | 'size_bytes'; direction: 'asc' | 'desc' },
  page: { offset: number; limit: number },
) {
  return withFilter(db, filter)
    .select([
      'messages.id',
      'messages.origin',
      'messages.sender',
      'messages.sender_name',
      'messages.is_sender_confirmed',
      'messages.subject_sealed',
      'messages.size_bytes',
      'messages.created_at',
      'messages.expires_on',
      'messages.expires_at',
      'messages.is_private',
      'messages.state',
    ])
    .select((eb) => [
      eb
        .selectFrom('message_attachments')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('message_attachments.message_id', '=', 'messages.id')
        .as('files'),
      isDownloaded(eb, filter).as('is_downloaded'),
    ])
    .orderBy(`messages.${order.by}`, order.direction)
    .orderBy('messages.id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export type ReceivedRow = Awaited<ReturnType<typeof listReceivedPage>>[number];

export async function countReceived(db: Query, filter: ReceivedFilter): Promise<number> {
  const row = await withFilter(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
