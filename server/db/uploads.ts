// Queries on uploads and their parts. The statements that decide races (who stores a part, who seals) are here, each a
// single conditional one (state machine SM1).
import type { Insertable } from 'kysely';
import type { PartsTable, Query, Tx, UploadsTable } from './schema.ts';

export function findUpload(db: Query, id: string) {
  return db.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findOpenUploadByName(
  db: Query,
  identity: { ownerId: string; source: string; family: 'message' | 'link'; nameLookup: Buffer; chunks: number },
) {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('owner_id', '=', identity.ownerId)
    .where('source', '=', identity.source)
    .where('family', '=', identity.family)
    .where('name_lookup', '=', identity.nameLookup)
    .where('chunks', '=', identity.chunks)
    .where('state', '=', 'open')
    .where('is_named', '=', 1)
    .executeTakeFirst();
}

/** False when another request opened the same named upload first. */
export async function insertUpload(tx: Tx, row: Insertable<UploadsTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('uploads')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export function findPart(db: Query, uploadId: string, number: number) {
  return db
    .selectFrom('parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('number', '=', number)
    .executeTakeFirst();
}

export function listParts(db: Query, uploadId: string) {
  return db.selectFrom('parts').selectAll().where('upload_id', '=', uploadId).orderBy('number').execute();
}

/** False when the number is taken: the caller compares the bytes then. */
export async function insertPart(tx: Tx, row: Insertable<PartsTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto('parts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['upload_id', 'number']).doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function deletePart(tx: Tx, uploadId: string, number: number): Promise<void> {
  await tx.deleteFrom('parts').where('upload_id', '=', uploadId).where('number', '=', number).execute();
}

/** The row, held until the transaction ends: what is decided by it stays true. */
export function lockUpload(tx: Tx, uploadId: string) {
  return tx
    .updateTable('uploads')
    .set((eb) => ({ part_count: eb.ref('part_count') }))
    .where('id', '=', uploadId)
    .returningAll()
    .executeTakeFirst();
}

/** Counts a stored part, but only while the upload is open, undisputed, and the same try as when the part was begun. */
export async function countPart(
  tx: Tx,
  upload: { id: string; begunAt: number },
  sizeBytes: number,
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('uploads')
    .set((eb) => ({
      part_count: eb('part_count', '+', 1),
      received_bytes: eb('received_bytes', '+', sizeBytes),
      active_at: now,
    }))
    .where('id', '=', upload.id)
    .where('state', '=', 'open')
    .where('has_conflict', '=', 0)
    .where('created_at', '=', upload.begunAt)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** The one statement that closes an upload: succeeds at most once (invariant I4). */
export async function sealUpload(tx: Tx, uploadId: string): Promise<boolean> {
  const updated = await tx
    .updateTable('uploads')
    .set({ state: 'sealing' })
    .where('id', '=', uploadId)
    .where('state', '=', 'open')
    .where('has_conflict', '=', 0)
    .whereRef('part_count', '=', 'chunks')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function setUploadState(
  tx: Tx,
  uploadId: string,
  from: UploadsTable['state'][],
  to: UploadsTable['state'],
): Promise<boolean> {
  const erasesKey = to === 'ready' || to === 'abandoned' || to === 'failed';
  const updated = await tx
    .updateTable('uploads')
    .set(erasesKey ? { state: to, data_key_wrapped: null } : { state: to })
    .where('id', '=', uploadId)
    .where('state', 'in', from)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function markConflict(tx: Tx, uploadId: string): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ has_conflict: 1 })
    .where('id', '=', uploadId)
    .where('state', '=', 'open')
    .execute();
}

export async function touchUpload(tx: Tx, uploadId: string, now: number): Promise<void> {
  await tx.updateTable('uploads').set({ active_at: now }).where('id', '=', uploadId).execute();
}

/** Starts an upload over; its blobs are the caller's to erase. The new beginning tells this try from the last one. */
export async function resetUpload(tx: Tx, uploadId: string, now: number): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ part_count: 0, received_bytes: 0, has_conflict: 0, created_at: now, active_at: now })
    .where('id', '=', uploadId)
    .where('state', '=', 'open')
    .execute();
}

export async function setTypes(
  tx: Tx,
  uploadId: string,
  types: { declared?: string; detected?: string },
): Promise<void> {
  const changes = {
    ...(types.declared === undefined ? {} : { declared_type: types.declared }),
    ...(types.detected === undefined ? {} : { detected_type: types.detected }),
  };
  if (Object.keys(changes).length > 0)
    await tx.updateTable('uploads').set(changes).where('id', '=', uploadId).execute();
}

export async function deleteParts(tx: Tx, uploadId: string): Promise<void> {
  await tx.deleteFrom('parts').where('upload_id', '=', uploadId).execute();
}

/** Bytes of one upload that are stored. */
export async function sumPartBytes(db: Query, uploadId: string): Promise<number> {
  const row = await db
    .selectFrom('parts')
    .select((eb) => eb.fn.sum<number | null>('size_bytes').as('bytes'))
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
  return Number(row.bytes ?? 0);
}

/** Bytes that somebody outside handed in and that were not delivered: finished files and pieces. */
export async function sumWaitingBytes(db: Query, ownerId: string, source: string): Promise<number> {
  const files = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.sum<number | null>('size_bytes').as('bytes'))
    .where('owner_id', '=', ownerId)
    .where('source', '=', source)
    .where('state', '<>', 'erased')
    .executeTakeFirstOrThrow();
  const pieces = await db
    .selectFrom('uploads')
    .innerJoin('parts', 'parts.upload_id', 'uploads.id')
    .select((eb) => eb.fn.sum<number | null>('parts.size_bytes').as('bytes'))
    .where('uploads.owner_id', '=', ownerId)
    .where('uploads.source', '=', source)
    .where('uploads.state', '=', 'open')
    .executeTakeFirstOrThrow();
  return Number(files.bytes ?? 0) + Number(pieces.bytes ?? 0);
}

/** Uploads nobody has touched since the instant, and whose person may have been switched off. */
export function listIdleUploads(db: Query, activeBefore: number, limit: number) {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('state', '=', 'open')
    .where('active_at', '<', activeBefore)
    .orderBy('active_at')
    .limit(limit)
    .execute();
}

export function listOpenUploadsOf(db: Query, ownerId: string) {
  return db.selectFrom('uploads').selectAll().where('owner_id', '=', ownerId).where('state', '=', 'open').execute();
}

/** Uploads whose sealing was interrupted by a crash or handed to the background. */
export function listSealingUploads(db: Query, activeBefore: number, limit: number) {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('state', '=', 'sealing')
    .where('active_at', '<', activeBefore)
    .orderBy('active_at')
    .limit(limit)
    .execute();
}

/** Closed rows serve only the state read; they go after a while. */
export async function deleteClosedUploads(tx: Tx, activeBefore: number, limit: number): Promise<number> {
  const ids = await tx
    .selectFrom('uploads')
    .select('id')
    .where('state', 'in', ['ready', 'abandoned', 'failed'])
    .where('active_at', '<', activeBefore)
    .limit(limit)
    .execute();
  if (ids.length === 0) return 0;
  await tx
    .deleteFrom('uploads')
    .where(
      'id',
      'in',
      ids.map((row) => row.id),
    )
    .execute();
  return ids.length;
}

/** Hands blobs to the sweeper: rows are gone now, bytes follow (invariant 3 of the architecture). */
export async function queueErasures(tx: Tx, blobKeys: string[], eraseAfter: number): Promise<void> {
  for (let start = 0; start < blobKeys.length; start += 500) {
    const rows = blobKeys.slice(start, start + 500).map((key) => ({ blob_key: key, erase_after: eraseAfter }));
    await tx
      .insertInto('blob_erasures')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export function listDueErasures(db: Query, now: number, limit: number) {
  return db.selectFrom('blob_erasures').select('blob_key').where('erase_after', '<=', now).limit(limit).execute();
}

export async function forgetErasures(tx: Tx, blobKeys: string[]): Promise<void> {
  if (blobKeys.length > 0) await tx.deleteFrom('blob_erasures').where('blob_key', 'in', blobKeys).execute();
}
