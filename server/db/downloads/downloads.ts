// Queries on the download log. Lines are numbered per owner, so that a number tells nothing about others.
import { sql } from 'kysely';
import type { Download, Ticket, Visitor } from '../../domain/downloads.ts';
import { coveredBy, formatIntervals, type Interval, joinInterval, parseIntervals } from '../../lib/intervals.ts';
import { type Checksums, checksumColumns, openChecksums } from '../attachments/checksums.ts';
import type { AttachmentsTable, DownloadsTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

/** Takes this many numbers of the owner's log and returns the first; the row lock orders concurrent downloads. */
export async function takeDownloadNumbers(tx: Tx, ownerId: string, count: number): Promise<number> {
  const row = await tx
    .updateTable('users')
    .set((eb) => ({ download_number: eb('download_number', '+', count) }))
    .where('id', '=', ownerId)
    .returning('download_number')
    .executeTakeFirstOrThrow();
  return row.download_number - count + 1;
}

/** Lines per statement: a line has many columns, and engines limit the number of values. */
const batchSize = 200;

export interface NewDownloads {
  ticket: Ticket;
  /** Number of the first line; the others follow one by one. */
  firstNumber: number;
  attachmentIds: string[];
  visitor: Visitor;
  /** Empty when no API key fetches it. */
  apiKeyId: string;
  /** The process that serves it. */
  servedBy: string;
  now: number;
}

const lines = defineTable<DownloadsTable>()(({ plain, as }) => ({
  ...plain('owner_id', 'number', 'attachment_id', 'message_id', 'link_id', 'recipient', 'duration_ms', 'sent_bytes'),
  ...plain('browser', 'os', 'platform', 'location', 'longitude', 'latitude', 'country_code', 'country_name', 'city'),
  ...plain('region_code', 'region_name'),
  address: as('remote_ip'),
  host: as('remote_host'),
  agent: as('user_agent'),
  downloadedAt: as('granted_at'),
}));

/** The lines of a download that was granted: one for each file. */
export async function insertDownloads(tx: Tx, granted: NewDownloads): Promise<void> {
  const rows = granted.attachmentIds.map((id, index) => newRow(granted, id, granted.firstNumber + index));
  for (let start = 0; start < rows.length; start += batchSize) {
    await tx
      .insertInto('downloads')
      .values(rows.slice(start, start + batchSize))
      .execute();
  }
}

function newRow(
  { ticket, visitor, apiKeyId, servedBy, now }: NewDownloads,
  attachmentId: string,
  number: number,
): DownloadsTable {
  const { ownerId, messageId, linkId, recipient } = ticket;
  const line = { ...visitor, ownerId, number, attachmentId, messageId, linkId, recipient };
  return {
    ...lines.write({ ...line, downloadedAt: now, durationMs: 0, sentBytes: 0 }),
    kind: ticket.kind,
    api_key_id: apiKeyId,
    outcome: 'granted',
    finished_at: null,
    delivered: '',
    served_by: servedBy,
    is_crashed: 0,
  };
}

/** In place of intervals: the whole body has been delivered. */
export const wholeBody = 'all';

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

/** Nothing was delivered: the lines are no downloads any more. */
export async function refundLines(tx: Tx, lines: DownloadLines): Promise<void> {
  await linesOf(tx, lines).set({ outcome: 'refunded' }).execute();
}

/** Adds the name of the visitor's machine to lines that have none. */
export async function nameHosts(tx: Tx, lines: DownloadLines, host: string): Promise<void> {
  await linesOf(tx, lines).set({ remote_host: host }).where('remote_host', '=', '').execute();
}

/** A request has ended: files it did not get to are no longer on their way. */
export async function endWaiting(tx: Tx, lines: DownloadLines, outcome: 'partial' | 'cut', now: number): Promise<void> {
  await linesOf(tx, lines).set({ outcome, finished_at: now }).where('outcome', '=', 'granted').execute();
}

/**
 * Joins a stretch of the body to what a download has delivered, and returns all of it. Requests that end together wait
 * for each other at the row of the first line. `lines` are those of the download.
 */
export async function joinDelivered(
  tx: Tx,
  lines: DownloadLines,
  stretch: Interval,
  sizeBytes: number,
): Promise<Interval[]> {
  const first = { ...lines, count: 1 };
  if (coveredBy([stretch], { start: 0, end: sizeBytes }) === sizeBytes) {
    await linesOf(tx, first).set({ delivered: wholeBody }).execute();
    return [{ start: 0, end: sizeBytes }];
  }
  const held = await linesOf(tx, first)
    .set((eb) => ({ delivered: eb.ref('delivered') }))
    .returning('delivered')
    .executeTakeFirst();
  const earlier =
    held?.delivered === wholeBody ? [{ start: 0, end: sizeBytes }] : parseIntervals(held?.delivered ?? '');
  const all = joinInterval(earlier, stretch);
  const isWhole = coveredBy(all, { start: 0, end: sizeBytes }) === sizeBytes;
  await linesOf(tx, first)
    .set({ delivered: isWhole ? wholeBody : formatIntervals(all) })
    .execute();
  return all;
}

export interface Progress {
  deliveredBytes: number;
  durationMs: number;
  sizeBytes: number;
  /** `running`: more bytes follow, served by this process. */
  outcome: 'partial' | 'cut' | { running: string };
  now: number;
  /** Notes too that the whole body was delivered, as `joinDelivered` would. */
  isWhole: boolean;
}

/**
 * Notes on the line of one file how much of it has been delivered by now; the line is complete once that is all. Never
 * less than before: another request may have delivered more since.
 */
export async function logProgress(
  tx: Tx,
  line: { ownerId: string; number: number },
  progress: Progress,
): Promise<{ isComplete: boolean }> {
  const { deliveredBytes } = progress;
  const row = await tx
    .updateTable('downloads')
    .set((eb) => ({
      sent_bytes: sql<number>`case when sent_bytes < ${deliveredBytes} then ${deliveredBytes} else sent_bytes end`,
      duration_ms: eb('duration_ms', '+', progress.durationMs),
      ...(progress.isWhole ? { delivered: wholeBody } : {}),
      ...(deliveredBytes >= progress.sizeBytes
        ? { outcome: 'complete' as const, finished_at: progress.now, is_crashed: 0 as const }
        : standingOf(progress)),
    }))
    .where('owner_id', '=', line.ownerId)
    .where('number', '=', line.number)
    .returning('outcome')
    .executeTakeFirst();
  return { isComplete: row?.outcome === 'complete' };
}

/** What becomes of a line that is not complete. One that was closed because its process died runs again under another. */
function standingOf({ outcome, now }: Progress) {
  if (typeof outcome === 'string')
    return {
      outcome: sql<'complete' | 'partial' | 'cut'>`case when outcome = 'complete' then 'complete' else ${outcome} end`,
      finished_at: now,
      is_crashed: 0 as const,
    };
  return {
    outcome: sql<DownloadsTable['outcome']>`case when is_crashed = 1 then 'granted' else outcome end`,
    finished_at: sql<number | null>`case when is_crashed = 1 then null else finished_at end`,
    served_by: outcome.running,
    is_crashed: 0 as const,
  };
}

/** Which lines of the log. */
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
    .select(['attachments.name_sealed', 'attachments.size_bytes', 'attachments.content_type', ...checksumColumns]);

type LogRow = DownloadsTable &
  Pick<AttachmentsTable, 'name_sealed' | 'size_bytes' | 'content_type' | 'sha256' | 'crc32' | 'checksums_sealed'>;

type OpenedFile = Checksums & { fileName: string };

/** By the id of the file. One file is often downloaded many times: its name and checksums are opened once. */
type Names = Map<string, OpenedFile>;

/**
 * Most lines are about few files, and opening a name leaves memory outside the heap that the collector is slow to see:
 * one map for a whole log of 1,000,000 lines took 13 MB instead of 92.
 */
const mostNames = 1000;

function describeAll(keys: Sealer, rows: LogRow[], names: Names = new Map()): Download[] {
  return rows.map((row) => {
    const id = row.attachment_id;
    const file = names.get(id) ?? {
      fileName: keys.openText('name', row.name_sealed, id),
      ...openChecksums(keys, row, id),
    };
    if (names.size >= mostNames) names.clear();
    names.set(id, file);
    return describe(row, file);
  });
}

function describe(row: LogRow, file: OpenedFile): Download {
  return { ...lines.read(row), ...file, sizeBytes: row.size_bytes, contentType: row.content_type };
}

/** Small enough to be garbage before the collector looks twice: larger pages make a long log cost memory. */
const pageSize = 100;

/** The log, oldest first, a page at a time, so that a million lines need no memory. */
export async function* readDownloadPages(db: Query, scope: DownloadScope): AsyncGenerator<Download[]> {
  const names: Names = new Map();
  let last = 0;
  if (scope.grantedAfter !== undefined) {
    const first = await firstNumberSince(db, scope.ownerId, scope.grantedAfter);
    if (first === null) return;
    last = first - 1;
  }
  for (;;) {
    const lines = describeAll(db.keys, await readPage(db, scope, last), names);
    if (lines.length === 0) return;
    yield lines;
    last = lines.at(-1)!.number;
  }
}

function readPage(db: Query, scope: DownloadScope, afterNumber: number): Promise<LogRow[]> {
  let query = withFile(db)
    .where('downloads.owner_id', '=', scope.ownerId)
    .where('downloads.outcome', '<>', 'refunded')
    .where('downloads.number', '>', afterNumber);
  if (scope.linkId !== undefined) query = query.where('downloads.link_id', '=', scope.linkId);
  if (scope.messageId !== undefined) query = query.where('downloads.message_id', '=', scope.messageId);
  if (scope.grantedAfter !== undefined) query = query.where('downloads.granted_at', '>=', scope.grantedAfter);
  return query.orderBy('downloads.number').limit(pageSize).execute();
}

/** These lines of one owner, in this order. */
export async function listDownloadsByNumber(db: Query, ownerId: string, numbers: number[]): Promise<Download[]> {
  if (numbers.length === 0) return [];
  const rows = await withFile(db)
    .where('downloads.owner_id', '=', ownerId)
    .where('downloads.number', 'in', numbers)
    .execute();
  const byNumber = new Map(describeAll(db.keys, rows).map((line) => [line.number, line]));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

/** The newest lines of one link, newest first. */
export async function listNewestOfLink(db: Query, ownerId: string, linkId: string, limit: number): Promise<Download[]> {
  const rows = await withFile(db)
    .where('downloads.owner_id', '=', ownerId)
    .where('downloads.link_id', '=', linkId)
    .where('downloads.outcome', '<>', 'refunded')
    .orderBy('downloads.number', 'desc')
    .limit(limit)
    .execute();
  return describeAll(db.keys, rows);
}

/** Where a log restricted by time begins, so that paging does not walk over what came before. */
async function firstNumberSince(db: Query, ownerId: string, grantedAfter: number): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select((eb) => eb.fn.min('number').as('first'))
    .where('owner_id', '=', ownerId)
    .where('granted_at', '>=', grantedAfter)
    .executeTakeFirst();
  return row?.first === null || row?.first === undefined ? null : Number(row.first);
}

/** When one person last downloaded each file of a message completely. */
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
