// Queries on files that a verdict holds.
import type { FileVerdict } from '../../domain/scanning.ts';
import type { Query, Tx } from '../schema/schema.ts';

export async function listQuarantined(db: Query, limit: number) {
  const rows = await db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .leftJoin('users', 'users.id', 'attachments.owner_id')
    .selectAll('file_scans')
    .select(['attachments.size_bytes', 'attachments.is_from_outside', 'users.email'])
    .where('file_scans.quarantine_id', 'is not', null)
    .orderBy('file_scans.held_at', 'desc')
    .orderBy('file_scans.attachment_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    quarantineId: row.quarantine_id!,
    sizeBytes: row.size_bytes,
    // Only these hold a file.
    verdict: row.verdict as Exclude<FileVerdict, 'clean'>,
    reason: row.reason,
    signature: row.signature,
    heldAt: row.held_at!,
    isFromOutside: row.is_from_outside === 1,
    ownerEmail: row.email ?? '',
  }));
}

export async function countQuarantined(db: Query): Promise<number> {
  const row = await db
    .selectFrom('file_scans')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('quarantine_id', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function findQuarantined(
  db: Query,
  quarantineId: string,
): Promise<{ attachmentId: string; ownerId: string } | null> {
  const row = await db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .select(['file_scans.attachment_id as attachmentId', 'attachments.owner_id as ownerId'])
    .where('file_scans.quarantine_id', '=', quarantineId)
    .executeTakeFirst();
  return row ?? null;
}

/** The file is not scanned again. False if another administrator was faster. */
export async function endQuarantine(
  tx: Tx,
  quarantineId: string,
  { by, now }: { by: string; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('file_scans')
    .set({ quarantine_id: null, released_at: now, released_by: by, state: 'done' })
    .where('quarantine_id', '=', quarantineId)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function listUnscannable(db: Query, limit: number) {
  const rows = await db
    .selectFrom('file_scans')
    .innerJoin('attachments', 'attachments.id', 'file_scans.attachment_id')
    .select(['file_scans.attachment_id', 'attachments.size_bytes', 'file_scans.reason', 'file_scans.scanned_at'])
    .where('file_scans.verdict', '=', 'unscannable')
    .orderBy('file_scans.scanned_at', 'desc')
    .orderBy('file_scans.attachment_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    attachmentId: row.attachment_id,
    sizeBytes: row.size_bytes,
    reason: row.reason,
    scannedAt: row.scanned_at ?? 0,
  }));
}

export async function listHeldOfMessage(db: Query, messageId: string) {
  const rows = await db
    .selectFrom('file_scans')
    .innerJoin('message_attachments', 'message_attachments.attachment_id', 'file_scans.attachment_id')
    .select(['file_scans.attachment_id as attachmentId', 'file_scans.quarantine_id', 'file_scans.verdict'])
    .where('message_attachments.message_id', '=', messageId)
    .where('file_scans.quarantine_id', 'is not', null)
    .execute();
  return rows.map(({ quarantine_id, ...held }) => ({ ...held, quarantineId: quarantine_id! }));
}
