// Queries on files that can be sent again.
import type { StoredFile } from '../../domain/attachments.ts';
import type { Query } from '../schema/schema.ts';
import { storedFileOf } from './attachments.ts';

export interface FileFilter {
  ownerId: string;
  /** The uptime of the service; files that are due for erasure are left out. */
  uptime: number;
}

const usable = (db: Query, { ownerId, uptime }: FileFilter) =>
  db
    .selectFrom('attachments')
    .where('owner_id', '=', ownerId)
    .where('source', '=', '')
    .where('state', '=', 'ready')
    .where((eb) => eb.or([eb('erase_after_uptime', 'is', null), eb('erase_after_uptime', '>', uptime)]));

const sortColumns = { createdAt: 'created_at', sizeBytes: 'size_bytes' } as const;

export interface FileOrder {
  by: keyof typeof sortColumns;
  direction: 'asc' | 'desc';
}

export async function listFilesPage(
  db: Query,
  filter: FileFilter,
  order: FileOrder,
  page: { offset: number; limit: number },
): Promise<StoredFile[]> {
  const rows = await usable(db, filter)
    .selectAll()
    .orderBy(sortColumns[order.by], order.direction)
    .orderBy('id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map((row) => storedFileOf(db.keys, row));
}

export async function countFiles(db: Query, filter: FileFilter): Promise<number> {
  const row = await usable(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface FileUse {
  attachmentId: string;
  kind: 'message' | 'link';
  id: string;
  /** Subject of the message; empty for a link. */
  title: string;
  expiresOn: string;
}

export async function listMessageUses(db: Query, attachmentIds: string[], now: number): Promise<FileUse[]> {
  if (attachmentIds.length === 0) return [];
  const rows = await db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select(['message_attachments.attachment_id', 'messages.id', 'messages.subject_sealed', 'messages.expires_on'])
    .where('message_attachments.attachment_id', 'in', attachmentIds)
    .where('messages.state', '=', 'active')
    .where('messages.expires_at', '>', now)
    .orderBy('messages.created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    kind: 'message',
    id: row.id,
    title: db.keys.openText('text', row.subject_sealed, `${row.id}/subject`),
    expiresOn: row.expires_on,
  }));
}

export async function listLinkUses(db: Query, attachmentIds: string[], now: number): Promise<FileUse[]> {
  if (attachmentIds.length === 0) return [];
  const rows = await db
    .selectFrom('file_links')
    .select(['attachment_id', 'id', 'expires_on'])
    .where('attachment_id', 'in', attachmentIds)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    kind: 'link',
    id: row.id,
    title: '',
    expiresOn: row.expires_on,
  }));
}
