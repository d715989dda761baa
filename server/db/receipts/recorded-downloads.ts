// Lines of the download log with their requests, and the events about them, in pages, to compare each with the other.
import { type SqlBool, sql } from 'kysely';
import type { ComparedLine } from '../../domain/download-contradictions.ts';
import type { DownloadRequest } from '../../domain/downloads.ts';
import { downloadRequests } from '../downloads/download-requests.ts';
import { type SealableEvent, sealableOf } from '../events/sealable-events.ts';
import type { Query } from '../schema/schema.ts';

const selectLines = (db: Query) =>
  db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .select(['downloads.owner_id', 'number', 'attachment_id', 'message_id', 'link_id', 'recipient', 'outcome'])
    .select([
      'granted_at',
      'finished_at',
      'sent_bytes',
      'position',
      'body_start',
      'remote_ip',
      'attachments.size_bytes',
    ]);

type LineRow = Awaited<ReturnType<ReturnType<typeof selectLines>['executeTakeFirstOrThrow']>>;

export interface LineKey {
  ownerId: string;
  number: number;
}

/** In the order of the key. */
export async function listLinesAfter(db: Query, { ownerId, number }: LineKey, limit: number): Promise<ComparedLine[]> {
  const rows = await selectLines(db)
    .where(sql<SqlBool>`(downloads.owner_id, downloads.number) > (${ownerId}, cast(${number} as bigint))`)
    .orderBy('downloads.owner_id')
    .orderBy('number')
    .limit(limit)
    .execute();
  return withRequests(db, rows);
}

export interface Target {
  kind: string;
  id: string;
}

/** Lines of one transfer with these numbers; former owners count separately. */
export async function listLinesOfTarget(
  db: Query,
  { kind, id }: Target,
  numbers: readonly number[],
): Promise<ComparedLine[]> {
  if (numbers.length === 0) return [];
  const rows = await selectLines(db)
    .where(kind === 'link' ? 'link_id' : 'message_id', '=', id)
    .where('number', 'in', [...numbers])
    .execute();
  return withRequests(db, rows);
}

async function withRequests(db: Query, rows: readonly LineRow[]): Promise<ComparedLine[]> {
  const byOwner = Map.groupBy(rows, (row) => row.owner_id);
  const found = new Map<string, DownloadRequest[]>();
  for (const [ownerId, lines] of byOwner) {
    const first = [...new Set(lines.map((row) => Number(row.number) - row.position))];
    const requests = await db
      .selectFrom('download_requests')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where('number', 'in', first)
      .orderBy('request')
      .execute();
    for (const request of downloadRequests.readAll(requests)) {
      const key = `${ownerId} ${request.number}`;
      found.set(key, [...(found.get(key) ?? []), request]);
    }
  }
  return rows.map((row) => ({
    ownerId: row.owner_id,
    number: Number(row.number),
    attachmentId: row.attachment_id,
    target: row.link_id === null ? { kind: 'message', id: row.message_id ?? '' } : { kind: 'link', id: row.link_id },
    recipient: row.recipient,
    outcome: row.outcome,
    grantedAt: Number(row.granted_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    bytes: Number(row.sent_bytes),
    bodyStart: Number(row.body_start),
    sizeBytes: Number(row.size_bytes),
    ip: row.remote_ip,
    requests: found.get(`${row.owner_id} ${Number(row.number) - row.position}`) ?? [],
  }));
}

/** In order. */
export async function listEventsOfKind(
  db: Query,
  action: 'file.downloaded' | 'download.ended' | 'attachment.erased',
  afterSeq: number,
  limit: number,
): Promise<SealableEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('action', '=', action)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => sealableOf(db.keys, row));
}

/** Everything about one transfer, in order. */
export async function listEventsOfTarget(
  db: Query,
  { kind, id }: Target,
  afterSeq: number,
  limit: number,
): Promise<SealableEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('object_kind', '=', kind)
    .where('object_id', '=', id)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => sealableOf(db.keys, row));
}

/** All kinds, because the index is one by time. In order of time. */
export async function listEventsWithin(
  db: Query,
  span: { from: number; to: number },
  after: { at: number; seq: number },
  limit: number,
): Promise<SealableEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('at', '>=', Math.max(span.from, after.at))
    .where('at', '<=', span.to)
    .where((eb) => eb.or([eb('at', '>', after.at), eb('seq', '>', after.seq)]))
    .orderBy('at')
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => sealableOf(db.keys, row));
}

/** Files whose key is destroyed, by id. */
export async function listErasedFilesAfter(db: Query, id: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('id', '>', id)
    .where('state', '=', 'erased')
    .where('data_key_wrapped', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function listErasedAmong(db: Query, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('id', 'in', [...ids])
    .where('state', '=', 'erased')
    .where('data_key_wrapped', 'is', null)
    .execute();
  return rows.map((row) => row.id);
}

/** Those among these files that still have a key, or are not erased. */
export async function listReadableFiles(db: Query, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('id', 'in', [...ids])
    .where((eb) => eb.or([eb('state', '<>', 'erased'), eb('data_key_wrapped', 'is not', null)]))
    .execute();
  return rows.map((row) => row.id);
}

/** Those among these files whose erasure is recorded. */
export async function listRecordedErasures(db: Query, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('events')
    .select('object_id')
    .where('object_kind', '=', 'attachment')
    .where('object_id', 'in', [...ids])
    .where('action', '=', 'attachment.erased')
    .execute();
  return new Set(rows.map((row) => row.object_id));
}
