// Queries on the files of messages.
import type { HeldFile } from '../../domain/messages.ts';
import { heldFileColumns, heldFileOf, openFileName } from '../attachments/held-files.ts';
import { type Param, prepared, preparedRows } from '../engine/prepared.ts';
import type { Builder, MessageAttachmentsTable, Query, Tables, Tx } from '../schema/schema.ts';

const fileColumns: Record<keyof MessageAttachmentsTable, true> = {
  message_id: true,
  attachment_id: true,
  position: true,
};
const insertRows = preparedRows<Tables, MessageAttachmentsTable>(fileColumns, (tx: Builder, rows) =>
  tx.insertInto('message_attachments').values(rows),
);

export async function insertMessageFiles(tx: Tx, messageId: string, attachmentIds: string[]): Promise<void> {
  await insertRows(
    tx,
    attachmentIds.map((attachmentId, position) => ({ message_id: messageId, attachment_id: attachmentId, position })),
  );
}

const ofMessage = prepared((db: Builder, param: Param<{ messageId: string }>) =>
  db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .select(heldFileColumns)
    .where('message_attachments.message_id', '=', param('messageId'))
    .orderBy('message_attachments.position'),
);

export async function listMessageFiles(db: Query, messageId: string): Promise<HeldFile[]> {
  return (await ofMessage(db, { messageId })).map((row) => heldFileOf(db.keys, row));
}

export async function listMessageFileIds(db: Query, messageId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('message_attachments')
    .select('attachment_id')
    .where('message_id', '=', messageId)
    .orderBy('position')
    .execute();
  return rows.map((row) => row.attachment_id);
}

/** Removes a file from a message; the caller has locked the message and checked that it has the file. */
export async function removeMessageFile(
  tx: Tx,
  file: { messageId: string; attachmentId: string },
  now: number,
): Promise<void> {
  const row = await tx
    .deleteFrom('message_attachments')
    .where('message_id', '=', file.messageId)
    .where('attachment_id', '=', file.attachmentId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('removed_message_files')
    .values({ ...row, removed_at: now })
    .execute();
}

interface RemovedFile extends HeldFile {
  removedAt: number;
}

/** In the order they had in the message. */
export async function listRemovedFiles(db: Query, messageId: string): Promise<RemovedFile[]> {
  const rows = await db
    .selectFrom('removed_message_files')
    .innerJoin('attachments', 'attachments.id', 'removed_message_files.attachment_id')
    .select([...heldFileColumns, 'removed_message_files.removed_at'])
    .where('removed_message_files.message_id', '=', messageId)
    .orderBy('removed_message_files.position')
    .execute();
  return rows.map((row) => ({ ...heldFileOf(db.keys, row), removedAt: row.removed_at }));
}

/** Null when the message does not have the file. */
export async function findMessageFileSize(db: Query, messageId: string, attachmentId: string): Promise<number | null> {
  const row = await db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .select('attachments.size_bytes')
    .where('message_attachments.message_id', '=', messageId)
    .where('message_attachments.attachment_id', '=', attachmentId)
    .executeTakeFirst();
  return row?.size_bytes ?? null;
}

export async function listFilesOf(db: Query, messageIds: string[]): Promise<Map<string, HeldFile[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await ofMessages(db, messageIds).select(heldFileColumns).execute();
  const groups = Map.groupBy(rows, (row) => row.message_id);
  return new Map([...groups].map(([id, files]) => [id, files.map((row) => heldFileOf(db.keys, row))]));
}

/** The number of files of a message, and names of some. */
export interface FileNames {
  count: number;
  names: string[];
}

/** Names of files by message. Decrypting names takes time: lists need only the first. */
export async function listFileNamesOf(
  db: Query,
  messageIds: string[],
  { firstOnly }: { firstOnly: boolean },
): Promise<Map<string, FileNames>> {
  if (messageIds.length === 0) return new Map();
  const rows = await ofMessages(db, messageIds).select(['attachments.id', 'attachments.name_sealed']).execute();
  const groups = Map.groupBy(rows, (row) => row.message_id);
  return new Map(
    [...groups].map(([id, files]) => {
      const opened = firstOnly ? files.slice(0, 1) : files;
      return [id, { count: files.length, names: opened.map((file) => openFileName(db.keys, file)) }];
    }),
  );
}

function ofMessages(db: Query, messageIds: string[]) {
  return db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .select('message_attachments.message_id')
    .where('message_attachments.message_id', 'in', messageIds)
    .orderBy('message_attachments.message_id')
    .orderBy('message_attachments.position');
}

export interface MessageUse {
  id: string;
  expiresOn: string;
}

export async function findMessagesOfAttachments(
  db: Query,
  attachmentIds: string[],
): Promise<Map<string, MessageUse[]>> {
  const found = new Map<string, MessageUse[]>();
  if (attachmentIds.length === 0) return found;
  const rows = await db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select(['messages.id', 'messages.expires_on', 'message_attachments.attachment_id'])
    .where('message_attachments.attachment_id', 'in', attachmentIds)
    .where('messages.state', '=', 'active')
    .orderBy('messages.created_at')
    .execute();
  for (const row of rows) {
    found.set(row.attachment_id, [...(found.get(row.attachment_id) ?? []), { id: row.id, expiresOn: row.expires_on }]);
  }
  return found;
}
