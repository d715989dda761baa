// Sums over the download log. Each statement uses an index and reads a bounded number of rows, because SQLite runs in
// the process that serves all requests.
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { quarterMs } from '../../domain/download-sums.ts';
import type { Query, Tables } from '../schema/schema.ts';

export const dayMs = 86_400_000;

export interface LogFilter {
  ownerId: string;
  from: number;
  /** First instant after the span. */
  to: number;
  attachmentId: string | null;
  /** Part of an address; '' for downloads without a known one. */
  recipient: string | null;
  messageId: string | null;
  linkId: string | null;
  /** '' for downloads without a location. */
  countryCode: string | null;
  platform: string | null;
}

/** A part of the rows of a filter, small enough for one statement. */
export interface LogSlice extends LogFilter {
  afterNumber: number;
  /** Null: no end. */
  toNumber: number | null;
}

/** True when nothing but the time is filtered. */
export function isWholeLog(filter: LogFilter): boolean {
  const { attachmentId, recipient, messageId, linkId, countryCode, platform } = filter;
  return [attachmentId, recipient, messageId, linkId, countryCode, platform].every((wish) => wish === null);
}

/** Downloads of one message or link are found, counted and split by number; all others by time. */
export function isNarrow(filter: LogFilter): boolean {
  return filter.messageId !== null || filter.linkId !== null;
}

export interface LinkDownloads {
  count: number;
  lastAt: number | null;
}

export async function findLinkDownloads(db: Query, linkIds: string[]): Promise<Map<string, LinkDownloads>> {
  if (linkIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('downloads')
    .select(['link_id', (eb) => eb.fn.countAll<number>().as('count'), (eb) => eb.fn.max('granted_at').as('last')])
    .where('link_id', 'in', linkIds)
    .where('outcome', '<>', 'refunded')
    .groupBy('link_id')
    .execute();
  return new Map(rows.map((row) => [row.link_id!, { count: Number(row.count), lastAt: Number(row.last) }]));
}

/** Downloads of a link for each quarter of an hour since 1970 that had any; days of every time zone begin with one. */
export async function countPerQuarter(
  db: Query,
  linkId: string,
  since: number,
): Promise<{ quarter: number; downloads: number }[]> {
  const quarter = sql<number>`granted_at / ${sql.lit(quarterMs)}`;
  const rows = await db
    .selectFrom('downloads')
    .select([quarter.as('quarter'), (eb) => eb.fn.countAll<number>().as('count')])
    .where('link_id', '=', linkId)
    .where('outcome', '<>', 'refunded')
    .where('granted_at', '>=', since)
    .groupBy('quarter')
    .orderBy('quarter')
    .execute();
  return rows.map((row) => ({ quarter: Number(row.quarter), downloads: Number(row.count) }));
}

function contains(column: 'recipient', part: string) {
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

const lines = (db: Query, filter: LogFilter | LogSlice) => {
  // The plus prevents SQLite from using the index of times, where that of the message or link is far better.
  const granted = isNarrow(filter) ? sql<number>`+granted_at` : sql.ref<number>('granted_at');
  let query = db
    .selectFrom('downloads')
    .where('owner_id', '=', filter.ownerId)
    .where(granted, '>=', filter.from)
    .where(granted, '<', filter.to)
    .where('outcome', '<>', 'refunded');
  if (filter.attachmentId !== null) query = query.where('attachment_id', '=', filter.attachmentId);
  if (filter.recipient === '') query = query.where('recipient', '=', '');
  else if (filter.recipient !== null) query = query.where(contains('recipient', filter.recipient));
  if (filter.messageId !== null) query = query.where('message_id', '=', filter.messageId);
  if (filter.linkId !== null) query = query.where('link_id', '=', filter.linkId);
  if (filter.countryCode !== null) query = query.where('country_code', '=', filter.countryCode);
  if (filter.platform !== null) query = query.where('platform', '=', filter.platform);
  if ('afterNumber' in filter && isNarrow(filter)) {
    query = query.where('number', '>', filter.afterNumber);
    if (filter.toNumber !== null) query = query.where('number', '<=', filter.toNumber);
  }
  return query;
};

export async function countSlice(db: Query, slice: LogSlice): Promise<number> {
  const row = await lines(db, slice)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Numbers of the downloads of one page, newest or oldest first. Only their rows are read afterwards. */
export async function listLogNumbers(
  db: Query,
  filter: LogFilter,
  direction: 'asc' | 'desc',
  page: { offset: number; limit: number },
): Promise<number[]> {
  const query = lines(db, filter).select('number');
  const ordered = isNarrow(filter) ? query : query.orderBy('granted_at', direction);
  const rows = await ordered.orderBy('number', direction).limit(page.limit).offset(page.offset).execute();
  return rows.map((row) => row.number);
}

export async function listLogNumbersAfter(
  db: Query,
  filter: LogFilter,
  after: { grantedAt: number; number: number },
  limit: number,
): Promise<{ number: number; grantedAt: number }[]> {
  const query = lines(db, filter).select(['number', 'granted_at']);
  const rows = isNarrow(filter)
    ? await query.where('number', '>', after.number).orderBy('number').limit(limit).execute()
    : await query
        .where('granted_at', '>=', after.grantedAt)
        .where((eb) => eb.or([eb('granted_at', '>', after.grantedAt), eb('number', '>', after.number)]))
        .orderBy('granted_at')
        .orderBy('number')
        .limit(limit)
        .execute();
  return rows.map((row) => ({ number: row.number, grantedAt: row.granted_at }));
}

/** The instant of the download this many after the start of a filter; null when there are fewer. */
export async function findInstantAfter(db: Query, filter: LogFilter, size: number): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select('granted_at')
    .where('owner_id', '=', filter.ownerId)
    .where('granted_at', '>=', filter.from)
    .where('granted_at', '<', filter.to)
    .orderBy('granted_at')
    .limit(1)
    .offset(size)
    .executeTakeFirst();
  return row?.granted_at ?? null;
}

/** The number of the download this many after another one of the message or link; null when there are fewer. */
export async function findNumberAfter(
  db: Query,
  filter: LogFilter,
  afterNumber: number,
  size: number,
): Promise<number | null> {
  let query = db.selectFrom('downloads').select('number').where('number', '>', afterNumber);
  if (filter.linkId !== null) query = query.where('link_id', '=', filter.linkId);
  if (filter.messageId !== null) query = query.where('message_id', '=', filter.messageId);
  const row = await query.orderBy('number').limit(1).offset(size).executeTakeFirst();
  return row?.number ?? null;
}

const count = (eb: ExpressionBuilder<Tables, 'downloads'>) => eb.fn.countAll<number>().as('count');
const bytes = (eb: ExpressionBuilder<Tables, 'downloads'>) => eb.fn.sum<number>('sent_bytes').as('bytes');

/** One slice by day, country and kind of device. Days are those of a clock this far ahead of UTC. */
export async function sumSlice(db: Query, slice: LogSlice, offsetMs: number) {
  const rows = await lines(db, slice)
    .select([
      sql<number>`(granted_at + ${sql.lit(offsetMs)}) / ${sql.lit(dayMs)}`.as('day'),
      'country_code',
      'platform',
      count,
      bytes,
      sql<number>`count(latitude)`.as('located'),
      sql<number>`coalesce(sum(latitude), 0)`.as('latitude'),
      sql<number>`coalesce(sum(longitude), 0)`.as('longitude'),
    ])
    // The computed day last, because sorting by it first takes 1.5 times as long.
    .groupBy(['country_code', 'platform', 'day'])
    .execute();
  return rows.map((row) => ({
    day: Number(row.day),
    countryCode: row.country_code,
    platform: row.platform,
    downloads: Number(row.count),
    bytes: Number(row.bytes),
    located: Number(row.located),
    latitude: Number(row.latitude),
    longitude: Number(row.longitude),
  }));
}

export async function sumSliceByFile(db: Query, slice: LogSlice) {
  const rows = await lines(db, slice).select(['attachment_id', count, bytes]).groupBy('attachment_id').execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    downloads: Number(row.count),
    bytes: Number(row.bytes),
  }));
}

export async function listSlicePeople(db: Query, slice: LogSlice): Promise<string[]> {
  const rows = await lines(db, slice).select('recipient').where('recipient', '<>', '').distinct().execute();
  return rows.map((row) => row.recipient);
}
