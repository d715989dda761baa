// Downloads and events of a transfer, for its receipt.

import { requestedOf } from '../../domain/download-requests.ts';
import type { ReceiptDownload } from '../../domain/receipts.ts';
import { downloadLines } from '../downloads/download-lines.ts';
import { listRequestsOf } from '../downloads/download-requests.ts';
import { type RecordedEvent, recordedEventOf } from '../events/events.ts';
import type { MessagesTable, Query } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

/** Oldest first. Not filtered by owner, because downloads stay with the owner of that time. */
export async function listReceiptDownloads(
  db: Query,
  target: { kind: 'message' | 'link'; id: string },
  limit: number,
): Promise<ReceiptDownload[]> {
  const rows = await db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .select([...downloadLines.select('downloads'), 'kind', 'position', 'body_start', 'attachments.size_bytes'])
    .where(target.kind === 'link' ? 'link_id' : 'message_id', '=', target.id)
    .where('outcome', '<>', 'refunded')
    .orderBy('granted_at')
    .orderBy('downloads.owner_id')
    .orderBy('number')
    .limit(limit)
    .execute();
  const downloads: ReceiptDownload[] = [];
  // One by one, because a download may have thousands.
  for (const row of rows) {
    const line = downloadLines.read(row);
    const requests = await listRequestsOf(db, { ownerId: row.owner_id, number: row.number - row.position });
    const requested = requestedOf({ bodyStart: row.body_start, sizeBytes: row.size_bytes }, requests);
    const bytes = Math.max(line.bytes, requested.bytes);
    downloads.push({
      ...line,
      ...requested,
      bytes,
      totalBytes: Math.max(bytes, requested.totalBytes),
      endedAt: requests.some(({ outcome }) => outcome === 'running') ? null : line.endedAt,
      isByOwner: row.kind === 'owner',
      isWhole: bytes >= row.size_bytes,
    });
  }
  return downloads;
}

/** The number of a download of this file after an instant; null if there is none. */
export async function findDownloadAfter(
  db: Query,
  file: { id: string; ownerId: string },
  at: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('downloads')
    .select('number')
    .where('owner_id', '=', file.ownerId)
    .where('granted_at', '>', at)
    .where('attachment_id', '=', file.id)
    .where('outcome', '<>', 'refunded')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.number);
}

const batchSize = 500;

/** In order. */
export async function listEventsAbout(
  db: Query,
  objectKind: string,
  ids: readonly string[],
  limit: number,
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for (let start = 0; start < ids.length; start += batchSize) {
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('object_kind', '=', objectKind)
      .where('object_id', 'in', ids.slice(start, start + batchSize))
      .orderBy('seq')
      .limit(limit)
      .execute();
    found.push(...rows.map((row) => recordedEventOf(db.keys, row)));
  }
  return found;
}

const answers = defineTable<MessagesTable>()(({ plain, flags, as }) => ({
  ...plain('id', 'sender', 'size_bytes'),
  ...flags('is_sender_confirmed'),
  at: as('created_at'),
}));

/** Deliveries that answered a file request. */
export async function listAnswersTo(db: Query, requestId: string, limit: number): Promise<ValuesOf<typeof answers>[]> {
  const rows = await db
    .selectFrom('messages')
    .select(answers.select('messages'))
    .where('request_id', '=', requestId)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return answers.readAll(rows);
}
