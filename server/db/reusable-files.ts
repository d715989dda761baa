// Queries on files that are still stored, for using them again.
import type { Query } from './schema.ts';

export interface FileFilter {
  ownerId: string;
  /** The service's uptime: what nothing holds and is due for erasure is not offered any more. */
  uptime: number;
}

const usable = (db: Query, { ownerId, uptime }: FileFilter) =>
  db
    .selectFrom('attachments')
    .where('owner_id', '=', ownerId)
    .where('source', '=', '')
    .where('state', '=', 'ready')
    .where((eb) => eb.or([eb('erase_after_uptime', 'is', null), eb('erase_after_uptime', '>', uptime)]));

export function listFilesPage(
  db: Query,
  filter: FileFilter,
  order: { by: 'created_at' | 'size_bytes'; direction: 'asc' | 'desc' },
  page: { offset: number; limit: number },
) {
  return usable(db, filter)
    .select(['id', 'name_sealed', 'size_bytes', 'content_type', 'sha256', 'created_at'])
    .orderBy(order.by, order.direction)
    .orderBy('id', order.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export type FileRow = Awaited<ReturnType<typeof listFilesPage>>[number];

export async function countFiles(db: Query, filter: FileFilter): Promise<number> {
  const row = await usable(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Live messages that hold any of these files, newest first. */
export async function listMessageUses(db: Query, attachmentIds: string[], now: number) {
  if (attachmentIds.length === 0) return [];
  return db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select(['message_attachments.attachment_id', 'messages.id', 'messages.subject_sealed', 'messages.expires_on'])
    .where('message_attachments.attachment_id', 'in', attachmentIds)
    .where('messages.state', '=', 'active')
    .where('messages.expires_at', '>', now)
    .orderBy('messages.created_at', 'desc')
    .execute();
}

/** Live links to any of these files, newest first. */
export async function listLinkUses(db: Query, attachmentIds: string[], now: number) {
  if (attachmentIds.length === 0) return [];
  return db
    .selectFrom('file_links')
    .select(['attachment_id', 'id', 'expires_on'])
    .where('attachment_id', 'in', attachmentIds)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
}
