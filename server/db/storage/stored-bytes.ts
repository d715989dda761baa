// The exact accounting of the bytes people keep: what is stored for them, and what is promised to uploads in flight.
import { sql } from 'kysely';
import type { Query, Tx } from '../schema/schema.ts';

/** Whose bytes, and how they came: see `source` of attachments. */
export interface Charged {
  ownerId: string;
  source: string;
}

/** Files at a drop page have no owner until they are delivered; they have a reserve of their own. */
export function isReserve(source: string): boolean {
  return source.startsWith('drop:');
}

/**
 * Moves the owner's byte count, unless the bytes are in the reserve of a drop page. False when bytes were to be added for
 * a person who is no longer active.
 */
export async function addStoredBytes(tx: Tx, { ownerId, source }: Charged, bytes: number): Promise<boolean> {
  let query = tx
    .updateTable('users')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', isReserve(source) ? 0 : bytes) }))
    .where('id', '=', ownerId);
  if (bytes >= 0) query = query.where('state', '=', 'active');
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** Charges the owner for what is delivered, if the quota (null: none) has room for it; one conditional statement. */
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

/** Would a promise of these bytes be given now? */
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

/** Bytes stored for a person, or reserved for their uploads. */
export async function findUsedBytes(db: Query, userId: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select(['stored_bytes', 'reserved_bytes'])
    .where('id', '=', userId)
    .executeTakeFirst();
  return row === undefined ? 0 : row.stored_bytes + row.reserved_bytes;
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
  await noteReservation(tx, { ...wanted, source: '' });
  return true;
}

/** Writes a promise down, or makes it larger. */
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

/** Releases a reservation once: the caller that deletes the row returns the bytes. */
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
