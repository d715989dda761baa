// Moves a transfer, and the files that no other user's transfer shares, to another user.
import { sql } from 'kysely';
import type { TransferHead, TransferKind } from '../../domain/transfers.ts';
import { ownerIsUnderNoHold } from '../legal-holds/legal-holds.ts';
import type { Query, Tx } from '../schema/schema.ts';

const tableOf = (kind: TransferKind) =>
  kind === 'link' ? 'file_links' : kind === 'request' ? 'file_requests' : 'messages';

/** False when it has another owner by now. */
export async function changeOwner(
  tx: Tx,
  transfer: Pick<TransferHead, 'id' | 'kind' | 'ownerId'>,
  to: string,
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable(tableOf(transfer.kind))
    .set({ owner_id: to, updated_at: now })
    .where('id', '=', transfer.id)
    .where('owner_id', '=', transfer.ownerId)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Files of a transfer; of a file request those that wait to be delivered. */
export async function listTransferFiles(db: Query, { id, kind }: Pick<TransferHead, 'id' | 'kind'>): Promise<string[]> {
  if (kind === 'link') {
    const row = await db.selectFrom('file_links').select('attachment_id').where('id', '=', id).executeTakeFirst();
    return row === undefined ? [] : [row.attachment_id];
  }
  if (kind === 'request') {
    const rows = await db
      .selectFrom('attachments')
      .select('id')
      .where('source', '=', `request:${id}`)
      .where('source', '<>', '') // lets SQLite use the partial index
      .execute();
    return rows.map((row) => row.id);
  }
  const rows = await db
    .selectFrom('message_attachments')
    .select('attachment_id')
    .where('message_id', '=', id)
    .execute();
  return rows.map((row) => row.attachment_id);
}

/** Another user whose live message or link has this file; null when there is none. */
export async function findOtherHolder(db: Query, fileId: string, ownerId: string): Promise<string | null> {
  const message = await db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select('messages.owner_id')
    .where('attachment_id', '=', fileId)
    .where('messages.state', '=', 'active')
    .where('messages.owner_id', '<>', ownerId)
    .limit(1)
    .executeTakeFirst();
  if (message !== undefined) return message.owner_id;
  const link = await db
    .selectFrom('file_links')
    .select('owner_id')
    .where('attachment_id', '=', fileId)
    .where('state', '=', 'active')
    .where('owner_id', '<>', ownerId)
    .limit(1)
    .executeTakeFirst();
  return link?.owner_id ?? null;
}

/** From now on only a verdict that permits it makes it available. */
export async function markReceived(tx: Tx, fileId: string): Promise<void> {
  await tx.updateTable('attachments').set({ is_from_outside: 1 }).where('id', '=', fileId).execute();
}

/**
 * Moves the file and its storage to the new owner. Does nothing for a file that is theirs or erased, or while a legal
 * hold on its owner retains it. Files that wait to be delivered have no owner.
 */
export async function moveFile(tx: Tx, fileId: string, to: string): Promise<void> {
  const before = await tx
    .selectFrom('attachments')
    .select(['owner_id', 'size_bytes'])
    .where('id', '=', fileId)
    .executeTakeFirst();
  if (before === undefined || before.owner_id === to) return;
  const moved = await tx
    .updateTable('attachments')
    .set({ owner_id: to })
    .where('id', '=', fileId)
    .where('owner_id', '=', before.owner_id)
    .where('state', '<>', 'erased')
    .where((eb) => eb.or([eb('source', '<>', ''), ownerIsUnderNoHold]))
    .executeTakeFirst();
  if (Number(moved.numUpdatedRows) === 0) return;
  for (const [id, bytes] of [
    [before.owner_id, -before.size_bytes],
    [to, before.size_bytes],
  ] as const) {
    await tx
      .updateTable('users')
      .set({ stored_bytes: sql<number>`stored_bytes + ${bytes}` })
      .where('id', '=', id)
      .execute();
  }
}
