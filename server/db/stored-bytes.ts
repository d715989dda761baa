// The exact accounting of the bytes people keep: what is stored for them, and what is promised to uploads in flight.
import { sql } from 'kysely';
import type { Query, Tx } from './schema.ts';

/** Moves the owner's byte count. False when bytes were to be added for somebody who is not active any more. */
export async function addStoredBytes(tx: Tx, userId: string, bytes: number): Promise<boolean> {
  let query = tx
    .updateTable('users')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', bytes) }))
    .where('id', '=', userId);
  if (bytes >= 0) query = query.where('state', '=', 'active');
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** Promises bytes to a request in flight, only if the quota has room for them: one conditional statement. */
export async function reserveBytes(
  tx: Tx,
  wanted: { id: string; ownerId: string; bytes: number; quotaBytes: number; expiresAt: number },
): Promise<boolean> {
  const reserved = await tx
    .updateTable('users')
    .set((eb) => ({ reserved_bytes: eb('reserved_bytes', '+', wanted.bytes) }))
    .where('id', '=', wanted.ownerId)
    .where(sql<boolean>`stored_bytes + reserved_bytes + ${wanted.bytes} <= ${wanted.quotaBytes}`)
    .executeTakeFirst();
  if (Number(reserved.numUpdatedRows) === 0) return false;
  await tx
    .insertInto('reservations')
    .values({ id: wanted.id, owner_id: wanted.ownerId, reserved_bytes: wanted.bytes, expires_at: wanted.expiresAt })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        reserved_bytes: (eb) => eb('reservations.reserved_bytes', '+', wanted.bytes),
        expires_at: wanted.expiresAt,
      }),
    )
    .execute();
  return true;
}

/** Takes a promise back, once: whoever deletes the row gives the bytes back. */
export async function releaseReservation(tx: Tx, id: string): Promise<void> {
  const row = await tx
    .deleteFrom('reservations')
    .where('id', '=', id)
    .returning(['owner_id', 'reserved_bytes'])
    .executeTakeFirst();
  if (row === undefined) return;
  await tx
    .updateTable('users')
    .set((eb) => ({ reserved_bytes: eb('reserved_bytes', '-', row.reserved_bytes) }))
    .where('id', '=', row.owner_id)
    .execute();
}

export async function listStaleReservations(db: Query, now: number, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('reservations').select('id').where('expires_at', '<', now).limit(limit).execute();
  return rows.map((row) => row.id);
}
