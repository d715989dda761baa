// Queries on leases of stored bytes that have no row yet. The order of the statements in `claimOrphans` separates the
// sweep from transactions that insert rows.
import type { Query, Tx } from '../schema/schema.ts';

interface Lease {
  holder: string;
  expiresAt: number;
}

export async function insertLeases(tx: Tx, blobKeys: string[], { holder, expiresAt }: Lease): Promise<void> {
  if (blobKeys.length === 0) return;
  const rows = blobKeys.map((key) => ({ blob_key: key, holder, expires_at: expiresAt }));
  await tx
    .insertInto('blob_leases')
    .values(rows)
    // An earlier attempt may have been committed although its answer was lost.
    .onConflict((conflict) => conflict.column('blob_key').doUpdateSet({ expires_at: expiresAt }))
    .execute();
}

/**
 * Returns the keys that still have a lease. One that the sweep has removed stays removed, because its bytes may be
 * gone.
 */
export async function renewLeases(tx: Tx, blobKeys: string[], { holder, expiresAt }: Lease): Promise<Set<string>> {
  if (blobKeys.length === 0) return new Set();
  const rows = await tx
    .updateTable('blob_leases')
    .set({ expires_at: expiresAt })
    .where('blob_key', 'in', blobKeys)
    .where('holder', '=', holder)
    .returning('blob_key')
    .execute();
  return new Set(rows.map((row) => row.blob_key));
}

/** False when the lease was lost. */
export async function deleteLease(tx: Tx, blobKey: string, holder: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('blob_leases')
    .where('blob_key', '=', blobKey)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

export async function isLeased(db: Query, blobKey: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('blob_leases')
    .select('blob_key')
    .where('blob_key', '=', blobKey)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findUsedBlobKeys(db: Query, blobKeys: string[]): Promise<Set<string>> {
  if (blobKeys.length === 0) return new Set();
  const rows = await db.selectFrom('parts').select('blob_key').where('blob_key', 'in', blobKeys).execute();
  return new Set(rows.map((row) => row.blob_key));
}

/**
 * Which of these blobs have neither a row nor a lease. Removes expired leases first, so that a late holder cannot
 * insert a row. Reads leases before parts: a transaction removes the lease and inserts the part together, so a reader
 * that misses the lease sees the part.
 */
export async function claimOrphans(tx: Tx, blobKeys: string[], now: number): Promise<string[]> {
  if (blobKeys.length === 0) return [];
  await tx.deleteFrom('blob_leases').where('blob_key', 'in', blobKeys).where('expires_at', '<=', now).execute();
  const leased = await tx.selectFrom('blob_leases').select('blob_key').where('blob_key', 'in', blobKeys).execute();
  const used = await findUsedBlobKeys(tx, blobKeys);
  for (const { blob_key: key } of leased) used.add(key);
  return blobKeys.filter((key) => !used.has(key));
}

/** Leases of processes that died after their bytes were erased or got a row. */
export async function deleteOldLeases(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom('blob_leases').where('expires_at', '<', expiredBefore).execute();
}
