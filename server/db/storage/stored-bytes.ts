// Counts the bytes of users: stored, and reserved for running uploads.
import { sql } from 'kysely';
import type { Query, Tx } from '../schema/schema.ts';

/** The owner and the source of the bytes; see `source` of attachments. */
export interface Charged {
  ownerId: string;
  source: string;
}

/** Files at a drop page have no owner until they are delivered; they have a limit of their own. */
export function isReserve(source: string): boolean {
  return source.startsWith('drop:');
}

/**
 * Changes the owner's byte count, unless the bytes belong to the limit of a drop page. False when bytes would be added
 * for a user who is not active.
 */
export async function addStoredBytes(tx: Tx, { ownerId, source }: Charged, bytes: number): Promise<boolean> {
  let query = tx
    .updateTable('users')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', isReserve(source) ? 0 : bytes) }))
    .where('id', '=', ownerId);
  if (bytes >= 0) query = query.where('state', '=', 'active');
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** Charges the owner for a delivery if the quota (null: none) permits; one conditional statement. */
export async function chargeDelivered(
  tx: Tx,
  { ownerId, bytes, quotaBytes }: { ownerId: string; bytes: number; quotaBytes: number | null },
): Promise<boolean> {
  let query = tx
    .updateTable('users')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', bytes) }))
    .where('id', '=', ownerId);
  if (quotaBytes !== null) query = query.where(sql<boolean>`stored_bytes + reserved_bytes + ${bytes} <= ${quotaBytes}`);
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** Would `reserveBytes` succeed now? */
export async function hasFreeSpace(
  db: Query,
  { ownerId, bytes, quotaBytes }: { ownerId: string; bytes: number; quotaBytes: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', ownerId)
    .where(sql<boolean>`stored_bytes + reserved_bytes + ${bytes} <= ${quotaBytes}`)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findUsedBytes(db: Query, userId: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select(['stored_bytes', 'reserved_bytes'])
    .where('id', '=', userId)
    .executeTakeFirst();
  return row === undefined ? 0 : row.stored_bytes + row.reserved_bytes;
}

/** Reserves bytes for a running request if the quota permits; one conditional statement. */
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
  await noteReservation(tx, { ...wanted, source: '' });
  return true;
}

/** Inserts a reservation or increases it. */
export async function noteReservation(
  tx: Tx,
  { id, ownerId, bytes, source, expiresAt }: Charged & { id: string; bytes: number; expiresAt: number },
): Promise<void> {
  await tx
    .insertInto('reservations')
    .values({ id, owner_id: ownerId, reserved_bytes: bytes, expires_at: expiresAt, source })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        reserved_bytes: (eb) => eb('reservations.reserved_bytes', '+', bytes),
        expires_at: expiresAt,
      }),
    )
    .execute();
}

/** True for the one caller that deletes the row and returns the bytes. */
export async function releaseReservation(tx: Tx, id: string): Promise<void> {
  const row = await tx
    .deleteFrom('reservations')
    .where('id', '=', id)
    .returning(['owner_id', 'reserved_bytes', 'source'])
    .executeTakeFirst();
  if (row === undefined || isReserve(row.source)) return;
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
