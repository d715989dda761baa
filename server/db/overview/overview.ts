// Statistics of the installation, for administrators. Reads no file names and no texts.
import { sql } from 'kysely';
import { quarterMs } from '../../domain/download-sums.ts';
import { retiredBytes } from '../downloads/tickets.ts';
import { isInState, waitingStates } from '../mail/outbox.ts';
import type { Query, Tx } from '../schema/schema.ts';

/** Sums of a quarter of an hour since 1970; days of every time zone begin with one. */
export interface QuarterFigures {
  quarter: number;
  messages: number;
  downloads: number;
  bytes: number;
}

export async function listQuarterFigures(db: Query, since: number): Promise<QuarterFigures[]> {
  const quarterOf = (column: string) => sql<number>`${sql.ref(column)} / ${sql.lit(quarterMs)}`;
  const [messages, downloads, files] = await Promise.all([
    db
      .selectFrom('messages')
      .select([quarterOf('created_at').as('quarter'), sql<number>`count(*)`.as('amount')])
      .where('created_at', '>=', since)
      .where('origin', '=', 'sent')
      .groupBy('quarter')
      .execute(),
    db
      .selectFrom('downloads')
      .select([quarterOf('granted_at').as('quarter'), sql<number>`count(*)`.as('amount')])
      .where('granted_at', '>=', since)
      .where('kind', '=', 'visitor')
      .groupBy('quarter')
      .execute(),
    db
      .selectFrom('attachments')
      .select([quarterOf('created_at').as('quarter'), sql<number>`sum(size_bytes)`.as('amount')])
      .where('created_at', '>=', since)
      .groupBy('quarter')
      .execute(),
  ]);
  const quarters = new Map<number, QuarterFigures>();
  const add = (rows: { quarter: number; amount: number }[], name: 'messages' | 'downloads' | 'bytes') => {
    for (const row of rows) {
      const quarter = Number(row.quarter);
      const known = quarters.get(quarter) ?? { quarter, messages: 0, downloads: 0, bytes: 0 };
      quarters.set(quarter, { ...known, [name]: Number(row.amount) });
    }
  };
  add(messages, 'messages');
  add(downloads, 'downloads');
  add(files, 'bytes');
  return [...quarters.values()];
}

export interface ReadableBytes {
  files: number;
  bytes: number;
}

/** Files that a live message or link shares, created in this span. */
export async function sumReadable(db: Query, from: number, to: number): Promise<ReadableBytes> {
  const row = await db
    .selectFrom('attachments')
    .select([sql<number>`count(*)`.as('files'), sql<number>`coalesce(sum(size_bytes), 0)`.as('bytes')])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('state', '=', 'ready')
    .where('reference_count', '>', 0)
    .executeTakeFirstOrThrow();
  return { files: Number(row.files), bytes: Number(row.bytes) };
}

export async function sumKeptBytes(db: Query): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select(sql<number>`coalesce(sum(stored_bytes), 0)`.as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(row.bytes);
}

export async function countDamaged(db: Query): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select(sql<number>`count(*)`.as('files'))
    .where(sql<boolean>`state = 'damaged'`)
    .executeTakeFirstOrThrow();
  return Number(row.files);
}

export async function findMailQueue(db: Query): Promise<{ waiting: number; oldestAt: number | null }> {
  const row = await db
    .selectFrom('outbox')
    .select([sql<number>`count(*)`.as('waiting'), sql<number | null>`min(created_at)`.as('oldest_at')])
    .where(isInState(waitingStates))
    .executeTakeFirstOrThrow();
  return { waiting: Number(row.waiting), oldestAt: row.oldest_at === null ? null : Number(row.oldest_at) };
}

export interface Running {
  ownerId: string;
  /** Null for an upload. */
  download: { number: number; recipient: string } | null;
  uploadId: string | null;
  /** Moved so far. */
  bytes: number;
  /** Null where the client has not said how much will come. */
  totalBytes: number | null;
  startedAt: number;
  /** When bytes last moved. */
  activeAt: number;
}

/** Uploads and downloads whose bytes have moved since then. */
export async function listRunning(db: Query, movedSince: number, limit: number): Promise<Running[]> {
  const [uploads, downloads] = await Promise.all([
    db
      .selectFrom('uploads')
      .select(['id', 'owner_id', 'received_bytes', 'chunks', 'part_count', 'created_at', 'active_at'])
      .where('state', '=', 'open')
      .where('active_at', '>=', movedSince)
      .orderBy('active_at', 'desc')
      .limit(limit)
      .execute(),
    listRunningDownloads(db, movedSince, limit),
  ]);
  return [
    ...uploads.map((row) => ({
      ownerId: row.owner_id,
      download: null,
      uploadId: row.id,
      bytes: row.received_bytes,
      totalBytes: row.part_count === 0 ? null : Math.round((row.received_bytes / row.part_count) * row.chunks),
      startedAt: row.created_at,
      activeAt: row.active_at,
    })),
    ...downloads,
  ].slice(0, limit);
}

/** A row per download, also of an archive. */
async function listRunningDownloads(db: Query, movedSince: number, limit: number): Promise<Running[]> {
  const movedAt = sql<number>`max(coalesce(requests.progress_at, requests.started_at))`;
  const rows = await db
    .selectFrom('downloads')
    .innerJoin('download_requests as requests', (join) =>
      join
        .onRef('requests.owner_id', '=', 'downloads.owner_id')
        .onRef('requests.number', '=', 'downloads.number')
        .on('requests.outcome', '=', 'running'),
    )
    .select(['downloads.owner_id', 'downloads.number', 'downloads.recipient', 'downloads.granted_at'])
    .select([
      sql<number>`sum(requests.taken_bytes)`.as('bytes'),
      sql<number>`sum(requests.range_end - requests.range_start)`.as('total_bytes'),
      movedAt.as('moved_at'),
    ])
    .where('downloads.outcome', '=', 'granted')
    .where('downloads.finished_at', 'is', null)
    .groupBy(['downloads.owner_id', 'downloads.number', 'downloads.recipient', 'downloads.granted_at'])
    .having(movedAt, '>=', movedSince)
    .orderBy('downloads.granted_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ownerId: row.owner_id,
    download: { number: row.number, recipient: row.recipient },
    uploadId: null,
    bytes: Number(row.bytes),
    totalBytes: Number(row.total_bytes),
    startedAt: row.granted_at,
    activeAt: Number(row.moved_at),
  }));
}

/** Ends the running requests of a download and refuses further ones. False when there is no such download. */
export async function retireDownload(tx: Tx, ownerId: string, number: number): Promise<boolean> {
  const updated = await tx
    .updateTable('tickets')
    .set({ served_bytes: retiredBytes })
    .where('owner_id', '=', ownerId)
    .where('download_number', '=', number)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) > 0;
}

/** What a running download belongs to, for its event; null for one that has ended. */
export async function findDownloadTarget(
  db: Query,
  ownerId: string,
  number: number,
): Promise<{ kind: 'message' | 'link'; id: string; recipient: string } | null> {
  const row = await db
    .selectFrom('downloads')
    .select(['message_id', 'link_id', 'recipient'])
    .where('owner_id', '=', ownerId)
    .where('number', '=', number)
    .where('outcome', '=', 'granted')
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { recipient } = row;
  if (row.message_id !== null) return { kind: 'message', id: row.message_id, recipient };
  return row.link_id === null ? null : { kind: 'link', id: row.link_id, recipient };
}

export async function findOpenUpload(
  db: Query,
  id: string,
): Promise<{ id: string; ownerId: string; source: string; bytes: number } | null> {
  const row = await db
    .selectFrom('uploads')
    .select(['id', 'owner_id', 'source', 'received_bytes'])
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return row === undefined
    ? null
    : { id: row.id, ownerId: row.owner_id, source: row.source, bytes: row.received_bytes };
}
