// Queries on the download log. Downloads are numbered per owner, so a number reveals nothing about other owners.
import { sql } from 'kysely';
import type { Download, Ticket, Visitor } from '../../domain/downloads.ts';
import { coveredBy, formatIntervals, type Interval, joinInterval, parseIntervals } from '../../lib/intervals.ts';
import { type Checksums, checksumColumns, openChecksums } from '../attachments/checksums.ts';
import type { AttachmentsTable, DownloadsTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

/**
 * Reserves this many numbers of the owner's log and returns the first; the row lock serialises concurrent downloads.
 */
export async function takeDownloadNumbers(tx: Tx, ownerId: string, count: number): Promise<number> {
  const row = await tx
    .updateTable('users')
    .set((eb) => ({ download_number: eb('download_number', '+', count) }))
    .where('id', '=', ownerId)
    .returning('download_number')
    .executeTakeFirstOrThrow();
  return row.download_number - count + 1;
}

/** Rows per statement: a row has many columns, and databases limit the number of values. */
const batchSize = 200;

export interface NewDownloads {
  ticket: Ticket;
  /** Number of the first file; the others follow. */
  firstNumber: number;
  files: { attachmentId: string; bodyStart: number }[];
  visitor: Visitor;
  /** Empty when no API key was used. */
  apiKeyId: string;
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

/** Inserts a granted download: one row for each file. */
export async function insertDownloads(tx: Tx, granted: NewDownloads): Promise<void> {
  const rows = granted.files.map((_, position) => newRow(granted, position));
  for (let start = 0; start < rows.length; start += batchSize) {
    await tx
      .insertInto('downloads')
      .values(rows.slice(start, start + batchSize))
      .execute();
  }
}

function newRow(granted: NewDownloads, position: number): DownloadsTable {
  const { ticket, visitor, apiKeyId, servedBy, now } = granted;
  const { attachmentId, bodyStart } = granted.files[position]!;
  const number = granted.firstNumber + position;
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
    position,
    body_start: bodyStart,
  };
}

/** Stored instead of intervals once the whole body was delivered. */
export const wholeBody = 'all';

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

export async function refundLines(tx: Tx, lines: DownloadLines): Promise<void> {
  await linesOf(tx, lines).set({ outcome: 'refunded' }).execute();
}

/** Adds the host name of the visitor to rows that have none. */
export async function nameHosts(tx: Tx, lines: DownloadLines, host: string): Promise<void> {
  await linesOf(tx, lines).set({ remote_host: host }).where('remote_host', '=', '').execute();
}

/** Ends files that a finished request did not reach. */
export async function endWaiting(tx: Tx, lines: DownloadLines, outcome: 'partial' | 'cut', now: number): Promise<void> {
  await linesOf(tx, lines).set({ outcome, finished_at: now }).where('outcome', '=', 'granted').execute();
}

/** A process has died: lines that another one serves too go on there, the others end. */
export async function endCrashedLines(
  tx: Tx,
  lines: DownloadLines,
  now: number,
  servedBy: string | null,
): Promise<void> {
  const running = linesOf(tx, lines).where('outcome', '=', 'granted');
  if (servedBy === null) await running.set({ outcome: 'cut', is_crashed: 1, finished_at: now }).execute();
  else await running.set({ served_by: servedBy }).execute();
}

/**
 * Adds an interval of the body to those delivered and returns all of them. Requests that end together wait for each
 * other at the row of the first file.
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
  /** `running`: this process sends more bytes. */
  outcome: 'partial' | 'cut' | { running: string };
  now: number;
  /** Also records that the whole body was delivered, as `joinDelivered` would. */
  isWhole: boolean;
}

/**
 * Records how much of a file was delivered; complete when that is all. Never lowers it, because another request may
 * have delivered more.
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
        : incompleteState(progress)),
    }))
    .where('owner_id', '=', line.ownerId)
    .where('number', '=', line.number)
    .returning('outcome')
    .executeTakeFirst();
  return { isComplete: row?.outcome === 'complete' };
}

/**
 * The state of a download that is not complete. One that was closed because its process died runs again under another
 * process.
 */
function incompleteState({ outcome, now }: Progress) {
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

/** By id of the file, so that the name and checksums of a file are opened once. */
type Names = Map<string, OpenedFile>;

/**
 * Most downloads are of few files, and opened names use memory outside the heap, which is collected late: one map for
 * 1,000,000 rows took 92 MB instead of 13.
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

/** Small pages are garbage-collected early; larger ones would need more memory. */
const pageSize = 100;

/** The log, oldest first, in pages, so that its length needs no memory. */
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

export async function listDownloadsByNumber(db: Query, ownerId: string, numbers: number[]): Promise<Download[]> {
  if (numbers.length === 0) return [];
  const rows = await withFile(db)
    .where('downloads.owner_id', '=', ownerId)
    .where('downloads.number', 'in', numbers)
    .execute();
  const byNumber = new Map(describeAll(db.keys, rows).map((line) => [line.number, line]));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

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

/** The first number of a log restricted by time, so that paging does not read what came before. */
async function firstNumberSince(db: Query, ownerId: string, grantedAfter: number): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select((eb) => eb.fn.min('number').as('first'))
    .where('owner_id', '=', ownerId)
    .where('granted_at', '>=', grantedAfter)
    .executeTakeFirst();
  return row?.first === null || row?.first === undefined ? null : Number(row.first);
}

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
