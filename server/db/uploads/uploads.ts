// Queries on uploads. Each race (who stores a part, who completes) is decided by one conditional statement.
import type { ExpressionBuilder } from 'kysely';
import type { Upload } from '../../domain/uploads.ts';
import type { WrappedKey } from '../../lib/keyring.ts';
import { toFlag } from '../flag.ts';
import type { Query, Sealer, Tables, Tx, UploadsTable } from '../schema/schema.ts';
import { wrappedKeyOf } from '../system/wrapped-keys.ts';
import { defineTable } from '../table.ts';

const uploads = defineTable<UploadsTable>()(({ plain, flags, sealedText, as }) => ({
  ...plain('id', 'owner_id', 'source', 'family', 'declared_type', 'detected_type', 'chunks', 'state', 'received_bytes'),
  ...plain('active_at'),
  ...flags('has_conflict'),
  fileName: sealedText('name_sealed', 'name', 'id'),
  begunAt: as('created_at'),
}));

function uploadOf(keys: Sealer, row: UploadsTable): Upload {
  return { ...uploads.read(row, keys), dataKey: wrappedKeyOf(row) };
}

export async function findUpload(db: Query, id: string): Promise<Upload | null> {
  const row = await db.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : uploadOf(db.keys, row);
}

/** Identifies an upload of clients that send no upload id. */
export interface UploadIdentity {
  ownerId: string;
  source: string;
  family: Upload['family'];
  nameLookup: Buffer;
  chunks: number;
}

const isNamedUploadOf = (identity: UploadIdentity) => (eb: ExpressionBuilder<Tables, 'uploads'>) =>
  eb.and({
    owner_id: identity.ownerId,
    source: identity.source,
    family: identity.family,
    name_lookup: identity.nameLookup,
    chunks: identity.chunks,
    is_named: 1,
  });

export async function findOpenUploadByName(db: Query, identity: UploadIdentity): Promise<Upload | null> {
  const row = await db
    .selectFrom('uploads')
    .selectAll()
    .where(isNamedUploadOf(identity))
    .where('state', '=', 'open')
    .executeTakeFirst();
  return row === undefined ? null : uploadOf(db.keys, row);
}

/** The last upload of this name that this chunk completed, if no other of that name has begun since. */
export async function findUploadCompletedBy(
  db: Query,
  identity: UploadIdentity,
  lastPart: number,
  activeAfter: number,
): Promise<Upload | null> {
  const row = await db
    .selectFrom('uploads')
    .selectAll()
    .where(isNamedUploadOf(identity))
    .where('last_part', '=', lastPart)
    .where('state', 'in', ['sealing', 'ready'])
    .where('active_at', '>', activeAfter)
    .executeTakeFirst();
  return row === undefined ? null : uploadOf(db.keys, row);
}

/** A client that begins the next upload of a name has received the previous answer. */
export async function forgetLastPart(tx: Tx, identity: UploadIdentity): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ last_part: null })
    .where(isNamedUploadOf(identity))
    .where('last_part', 'is not', null)
    .execute();
}

export interface NewUpload extends UploadIdentity {
  id: string;
  fileName: string;
  /** True: found by name; false: found by its id only. */
  isNamed: boolean;
  declaredType: string | null;
  dataKey: WrappedKey;
  now: number;
}

/** Null when another request opened the same named upload first. */
export async function insertUpload(tx: Tx, upload: NewUpload): Promise<Upload | null> {
  const { isNamed, nameLookup, dataKey, now, ...given } = upload;
  const row: UploadsTable = {
    ...uploads.write(
      {
        ...given,
        detectedType: null,
        state: 'open',
        receivedBytes: 0,
        hasConflict: false,
        begunAt: now,
        activeAt: now,
      },
      tx.keys,
    ),
    name_lookup: nameLookup,
    is_named: toFlag(isNamed),
    part_count: 0,
    last_part: null,
    data_key_wrapped: dataKey.wrapped,
    key_encryption_key_id: dataKey.keyId,
  };
  const inserted = await tx
    .insertInto('uploads')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1 ? uploadOf(tx.keys, row) : null;
}

/** Locks the upload until the transaction ends. */
export async function lockUpload(tx: Tx, uploadId: string): Promise<Upload | null> {
  const row = await tx
    .updateTable('uploads')
    .set((eb) => ({ part_count: eb.ref('part_count') }))
    .where('id', '=', uploadId)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : uploadOf(tx.keys, row);
}

/** Counts a stored part, if the upload is open, without conflict, and the same as when the part began. */
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

/** Closes an upload; succeeds at most once. */
export async function sealUpload(tx: Tx, uploadId: string, lastPart: number): Promise<boolean> {
  const updated = await tx
    .updateTable('uploads')
    .set({ state: 'sealing', last_part: lastPart })
    .where('id', '=', uploadId)
    .where('state', '=', 'open')
    .where('has_conflict', '=', 0)
    .whereRef('part_count', '=', 'chunks')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Destroys the key of the upload: the attachment has it, or it is not needed. */
export async function setUploadState(
  tx: Tx,
  uploadId: string,
  from: Upload['state'][],
  to: 'ready' | 'abandoned' | 'failed',
): Promise<boolean> {
  const updated = await tx
    .updateTable('uploads')
    .set({ state: to, data_key_wrapped: null })
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

export async function touchSealing(tx: Tx, uploadIds: string[], now: number): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ active_at: now })
    .where('id', 'in', uploadIds)
    .where('state', '=', 'sealing')
    .execute();
}

export async function touchUpload(tx: Tx, uploadId: string, now: number): Promise<void> {
  await tx.updateTable('uploads').set({ active_at: now }).where('id', '=', uploadId).execute();
}

/** Restarts an upload; the caller releases its parts. The creation time distinguishes it from the previous one. */
export async function resetUpload(tx: Tx, uploadId: string, now: number): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ part_count: 0, received_bytes: 0, has_conflict: 0, created_at: now, active_at: now })
    .where('id', '=', uploadId)
    .where('state', '=', 'open')
    .execute();
}

/** Null leaves a type as it is. */
export async function setTypes(
  tx: Tx,
  uploadId: string,
  types: { declared: string | null; detected: string | null },
): Promise<void> {
  const changes = {
    ...(types.declared === null ? {} : { declared_type: types.declared }),
    ...(types.detected === null ? {} : { detected_type: types.detected }),
  };
  if (Object.keys(changes).length > 0)
    await tx.updateTable('uploads').set(changes).where('id', '=', uploadId).execute();
}

type OpenUpload = Pick<Upload, 'id' | 'ownerId' | 'source'>;

/** Uploads without activity since the instant. */
export function listIdleUploads(db: Query, activeBefore: number, limit: number): Promise<OpenUpload[]> {
  return db
    .selectFrom('uploads')
    .select(['id', 'owner_id as ownerId', 'source'])
    .where('state', '=', 'open')
    .where('active_at', '<', activeBefore)
    .orderBy('active_at')
    .limit(limit)
    .execute();
}

export function listOpenUploadsOf(db: Query, ownerId: string): Promise<OpenUpload[]> {
  return db
    .selectFrom('uploads')
    .select(['id', 'owner_id as ownerId', 'source'])
    .where('owner_id', '=', ownerId)
    .where('state', '=', 'open')
    .execute();
}

/** Uploads whose completion was interrupted by a crash or passed to a job. */
export async function listSealingUploads(db: Query, activeBefore: number, limit: number): Promise<Upload[]> {
  const rows = await db
    .selectFrom('uploads')
    .selectAll()
    .where('state', '=', 'sealing')
    .where('active_at', '<', activeBefore)
    .orderBy('active_at')
    .limit(limit)
    .execute();
  return rows.map((row) => uploadOf(db.keys, row));
}

/** Closed rows only report the state to clients. */
export async function deleteClosedUploads(tx: Tx, activeBefore: number, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('uploads')
    .select('id')
    .where('state', 'in', ['ready', 'abandoned', 'failed'])
    .where('active_at', '<', activeBefore)
    .limit(limit)
    .execute();
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) await tx.deleteFrom('uploads').where('id', 'in', ids).execute();
  return ids.length;
}
