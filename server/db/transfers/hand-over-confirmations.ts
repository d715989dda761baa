// Requests to hand transfers over to an account that an administrator could sign in to, and their confirmations.
import type { HandOverConfirmationsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

const confirmations = defineTable<HandOverConfirmationsTable>()(({ plain }) =>
  plain('id', 'asked_by', 'new_owner_id', 'reason', 'asked_at', 'confirmed_by', 'confirmed_at'),
);

export type HandOverConfirmation = ValuesOf<typeof confirmations>;

/** Replaces an earlier request of the same administrator for the same new owner. */
export async function replaceConfirmation(tx: Tx, confirmation: HandOverConfirmation): Promise<void> {
  await tx
    .deleteFrom('hand_over_confirmations')
    .where('asked_by', '=', confirmation.askedBy)
    .where('new_owner_id', '=', confirmation.newOwnerId)
    .execute();
  await tx.insertInto('hand_over_confirmations').values(confirmations.write(confirmation)).execute();
}

export async function findConfirmation(db: Query, id: string): Promise<HandOverConfirmation | null> {
  const row = await db.selectFrom('hand_over_confirmations').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : confirmations.read(row);
}

/** Newest first; all, or those of one administrator. */
export async function listConfirmations(
  db: Query,
  { askedBy, limit }: { askedBy: string | null; limit: number },
): Promise<HandOverConfirmation[]> {
  let query = db.selectFrom('hand_over_confirmations').selectAll();
  if (askedBy !== null) query = query.where('asked_by', '=', askedBy);
  return confirmations.readAll(await query.orderBy('asked_at', 'desc').orderBy('id').limit(limit).execute());
}

/** True for the one caller that confirms it. */
export async function confirm(tx: Tx, id: string, { by, now }: { by: string; now: number }): Promise<boolean> {
  const updated = await tx
    .updateTable('hand_over_confirmations')
    .set({ confirmed_by: by, confirmed_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** When this administrator's hand-over to this new owner was last confirmed. */
export async function findConfirmedAt(db: Query, askedBy: string, newOwnerId: string): Promise<number | null> {
  const row = await db
    .selectFrom('hand_over_confirmations')
    .select((eb) => eb.fn.max('confirmed_at').as('at'))
    .where('asked_by', '=', askedBy)
    .where('new_owner_id', '=', newOwnerId)
    .executeTakeFirst();
  return row === undefined || row.at === null ? null : Number(row.at);
}

export async function deleteOldConfirmations(tx: Tx, askedBefore: number): Promise<void> {
  await tx.deleteFrom('hand_over_confirmations').where('asked_at', '<', askedBefore).execute();
}
