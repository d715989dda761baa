// Queries on file requests and the answers to them, for their owner.
import { type ExpressionBuilder, sql } from 'kysely';
import type { StoredRequest } from '../../domain/file-requests.ts';
import type { OutboxTable, Query, Tables, Tx } from '../schema/schema.ts';
import { requests } from './file-requests.ts';

export type RequestState = 'waiting' | 'received' | 'open' | 'expired' | 'closed' | 'used';

export interface RequestFilter {
  ownerId: string;
  /** At an instant; null for all. */
  state: RequestState | null;
  now: number;
}

const answers = (eb: ExpressionBuilder<Tables, 'file_requests'>, liveAt: number | null) => {
  let query = eb
    .selectFrom('messages')
    .select(sql`1`.as('one'))
    .whereRef('messages.request_id', '=', 'file_requests.id');
  if (liveAt !== null) query = query.where('messages.state', '=', 'active').where('messages.expires_at', '>', liveAt);
  return query;
};

const withFilter = (db: Query, { ownerId, state, now }: RequestFilter) => {
  const query = db.selectFrom('file_requests').where('owner_id', '=', ownerId);
  const open = query.where('state', '=', 'open').where('expires_at', '>', now);
  switch (state) {
    case null:
      return query;
    case 'closed':
      return query.where('state', '=', 'closed');
    case 'expired':
      return query.where('state', '=', 'open').where('expires_at', '<=', now);
    case 'waiting':
      return open.where((eb) => eb.not(eb.exists(answers(eb, null))));
    case 'open':
      return open.where((eb) => eb.exists(answers(eb, null)));
    case 'received':
      return query.where('state', '=', 'used').where((eb) => eb.exists(answers(eb, now)));
    case 'used':
      return query.where('state', '=', 'used').where((eb) => eb.not(eb.exists(answers(eb, now))));
  }
};

const sortColumns = { createdAt: 'created_at', expiresAt: 'expires_at' } as const;

export interface RequestOrder {
  by: keyof typeof sortColumns;
  direction: 'asc' | 'desc';
}

export async function listFileRequestsPage(
  db: Query,
  filter: RequestFilter,
  order: RequestOrder,
  page: { offset: number; limit: number },
): Promise<StoredRequest[]> {
  const rows = await withFilter(db, filter)
    .selectAll()
    .orderBy(sortColumns[order.by], order.direction)
    .orderBy('id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return requests.readAll(rows, db.keys);
}

export async function countFileRequests(db: Query, filter: RequestFilter): Promise<number> {
  const row = await withFilter(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface RequestAnswers {
  deliveries: number;
  files: number;
  lastAt: number | null;
  hasLive: boolean;
}

export async function findRequestAnswers(db: Query, ids: string[], now: number): Promise<Map<string, RequestAnswers>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('messages')
    .select([
      'request_id',
      (eb) => eb.fn.countAll<number>().as('deliveries'),
      (eb) => eb.fn.max('created_at').as('last'),
      sql<number>`sum(case when state = 'active' and expires_at > ${now} then 1 else 0 end)`.as('live'),
      sql<number>`sum((select count(*) from message_attachments where message_attachments.message_id = messages.id))`.as(
        'files',
      ),
    ])
    .where('request_id', 'in', ids)
    .groupBy('request_id')
    .execute();
  return new Map(
    rows.map((row) => [
      row.request_id!,
      {
        deliveries: Number(row.deliveries),
        files: Number(row.files),
        lastAt: row.last === null ? null : Number(row.last),
        hasLive: Number(row.live) > 0,
      },
    ]),
  );
}

export interface RequestMail {
  recipient: string;
  state: OutboxTable['state'];
  serverText: string;
  createdAt: number;
  finishedAt: number | null;
}

export function listMailsOfRequest(db: Query, requestId: string, limit: number): Promise<RequestMail[]> {
  return db
    .selectFrom('outbox')
    .select(['recipient', 'state', 'server_text as serverText', 'created_at as createdAt', 'finished_at as finishedAt'])
    .where('request_id', '=', requestId)
    .where('kind', '=', 'file-request')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Cancels waiting mails of a closed request. */
export async function cancelMailsOfRequest(tx: Tx, requestId: string, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', finished_at: now })
    .where('request_id', '=', requestId)
    .where('state', '=', 'pending')
    .execute();
}
