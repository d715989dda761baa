// What receipts read besides the transfer itself: every line of the download log about it, and every event about it and
// its files.
import type { ReceiptDownload } from '../../domain/receipts.ts';
import { type RecordedEvent, recordedEventOf } from '../events/events.ts';
import type { Query } from '../schema/schema.ts';

/** Oldest first. Lines stay with the owner at that time, so the owner is no condition. */
export async function listReceiptDownloads(
  db: Query,
  target: { kind: 'message' | 'link'; id: string },
  limit: number,
): Promise<ReceiptDownload[]> {
  const rows = await db
    .selectFrom('downloads')
    .innerJoin('attachments', 'attachments.id', 'downloads.attachment_id')
    .select([
      'downloads.owner_id',
      'number',
      'attachment_id',
      'recipient',
      'kind',
      'granted_at',
      'finished_at',
      'sent_bytes',
      'remote_ip',
      'attachments.size_bytes',
    ])
    .where(target.kind === 'link' ? 'link_id' : 'message_id', '=', target.id)
    .where('outcome', '<>', 'refunded')
    .orderBy('granted_at')
    .orderBy('downloads.owner_id')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ownerId: row.owner_id,
    number: Number(row.number),
    attachmentId: row.attachment_id,
    recipient: row.recipient,
    isByOwner: row.kind === 'owner',
    at: Number(row.granted_at),
    endedAt: row.finished_at === null ? null : Number(row.finished_at),
    bytes: Number(row.sent_bytes),
    isWhole: Number(row.sent_bytes) >= Number(row.size_bytes),
    ip: row.remote_ip,
  }));
}

const batchSize = 500;

/** Events about these things, in order. */
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

/** What was handed in to a File Request. */
export async function listAnswersTo(
  db: Query,
  requestId: string,
  limit: number,
): Promise<{ id: string; sender: string; isSenderConfirmed: boolean; at: number; sizeBytes: number }[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['id', 'sender', 'is_sender_confirmed', 'created_at', 'size_bytes'])
    .where('request_id', '=', requestId)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    sender: row.sender,
    isSenderConfirmed: row.is_sender_confirmed === 1,
    at: Number(row.created_at),
    sizeBytes: Number(row.size_bytes),
  }));
}
