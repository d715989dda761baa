// Legal holds, and the condition that a file is under none, which is part of the statement that destroys its key.
import { sql } from 'kysely';
import type { LegalHold } from '../../domain/legal-holds.ts';
import type { LegalHoldsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

/** For statements on `attachments`. Includes messages from which the file was removed. */
export const isUnderNoHold = sql<boolean>`not exists (select 1 from legal_holds as hold where hold.lifted_at is null and (
    (hold.target_kind = 'user' and hold.target_id = attachments.owner_id)
    or (hold.target_kind = 'link' and exists (select 1 from file_links
      where file_links.id = hold.target_id and file_links.attachment_id = attachments.id))
    or (hold.target_kind = 'message' and exists (select 1 from message_attachments
      where message_attachments.message_id = hold.target_id and message_attachments.attachment_id = attachments.id))
    or (hold.target_kind = 'message' and exists (select 1 from removed_message_files
      where removed_message_files.message_id = hold.target_id and removed_message_files.attachment_id = attachments.id))
    or (hold.target_kind = 'request' and (attachments.source = 'request:' || hold.target_id or exists (
      select 1 from message_attachments join messages on messages.id = message_attachments.message_id
      where messages.request_id = hold.target_id and message_attachments.attachment_id = attachments.id)))))`;

/**
 * Whether a hold covers the user, or something that is or was theirs, or the user from whom they received it: those
 * files stay with that user (db/transfers/transfer-owners.ts).
 */
export async function isPersonOnHold(db: Query, userId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from legal_holds as hold where hold.lifted_at is null and (
      hold.owner_id = ${userId}
      or exists (select 1 from messages where messages.id = hold.target_id and messages.owner_id = ${userId})
      or exists (select 1 from file_links where file_links.id = hold.target_id and file_links.owner_id = ${userId})
      or exists (select 1 from file_requests
        where file_requests.id = hold.target_id and file_requests.owner_id = ${userId})
      or exists (select 1 from messages
        join message_attachments on message_attachments.message_id = messages.id
        join attachments on attachments.id = message_attachments.attachment_id
        where messages.owner_id = ${userId} and attachments.owner_id = hold.target_id)
      or exists (select 1 from file_links join attachments on attachments.id = file_links.attachment_id
        where file_links.owner_id = ${userId} and attachments.owner_id = hold.target_id)) limit 1`.execute(db);
  return rows.length > 0;
}

/** For statements on `attachments`: no hold retains everything of the owner. */
export const ownerIsUnderNoHold = sql<boolean>`not exists (select 1 from legal_holds as hold
  where hold.lifted_at is null and hold.target_kind = 'user' and hold.target_id = attachments.owner_id)`;

const holds = defineTable<LegalHoldsTable>()(({ plain }) =>
  plain(
    'id',
    'target_kind',
    'target_id',
    'owner_id',
    'reason',
    'set_by',
    'set_at',
    'lift_reason',
    'lifted_by',
    'lifted_at',
  ),
);

/** False when one is in force. */
export async function insertHold(tx: Tx, hold: LegalHold): Promise<boolean> {
  const inserted = await tx
    .insertInto('legal_holds')
    .values(holds.write(hold))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows) === 1;
}

/** True for the one caller that lifts it. */
export async function liftHold(
  tx: Tx,
  id: string,
  lifted: { reason: string; by: string; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('legal_holds')
    .set({ lift_reason: lifted.reason, lifted_by: lifted.by, lifted_at: lifted.now })
    .where('id', '=', id)
    .where('lifted_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function findHold(db: Query, id: string): Promise<LegalHold | null> {
  const row = await db.selectFrom('legal_holds').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : holds.read(row);
}

/** Those in force first, then newest first. */
export async function listHolds(db: Query, limit: number): Promise<LegalHold[]> {
  const rows = await db
    .selectFrom('legal_holds')
    .selectAll()
    .orderBy(sql`case when lifted_at is null then 0 else 1 end`)
    .orderBy('set_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return holds.readAll(rows);
}
