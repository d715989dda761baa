// Queries on stored chunks, and on bytes without rows that must be removed.
import { type Kysely, sql } from 'kysely';
import type { Part } from '../../domain/uploads.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import { openChecksums, sealChecksums } from '../attachments/checksums.ts';
import type { PartsTable, Query, Sealer, Tables, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export const placeOfPart = (uploadId: string, number: number) => `${uploadId}/${number}`;

const parts = defineTable<PartsTable>()(({ plain }) => plain('upload_id', 'number', 'blob_key', 'size_bytes'));

function partOf(keys: Sealer, row: PartsTable): Part {
  const place = placeOfPart(row.upload_id, row.number);
  const { sha256, crc32 } = openChecksums(keys, { ...row, crc32: crc32Hex(row.crc32) }, place);
  return { ...parts.read(row), sha256, crc32: Number.parseInt(crc32, 16) };
}

/** False when the number is taken; the caller then compares the bytes. */
export async function insertPart(tx: Tx, part: Part): Promise<boolean> {
  const checksums = { sha256: part.sha256, crc32: crc32Hex(part.crc32) };
  const inserted = await tx
    .insertInto('parts')
    .values({
      ...parts.write(part),
      sha256: '',
      crc32: 0,
      checksums_sealed: sealChecksums(tx.keys, checksums, placeOfPart(part.uploadId, part.number)),
    })
    .onConflict((conflict) => conflict.columns(['upload_id', 'number']).doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function findPart(db: Query, uploadId: string, number: number): Promise<Part | null> {
  const row = await db
    .selectFrom('parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row === undefined ? null : partOf(db.keys, row);
}

/** In the order of the file. */
export async function listParts(db: Query, uploadId: string): Promise<Part[]> {
  const rows = await db.selectFrom('parts').selectAll().where('upload_id', '=', uploadId).orderBy('number').execute();
  return rows.map((row) => partOf(db.keys, row));
}

export async function deletePart(tx: Tx, uploadId: string, number: number): Promise<void> {
  await tx.deleteFrom('parts').where('upload_id', '=', uploadId).where('number', '=', number).execute();
}

/** Deletes the rows of all chunks and queues their bytes for removal; returns the number of bytes. */
export async function releaseParts(tx: Tx, uploadId: string, now: number): Promise<number> {
  const rows = await tx
    .deleteFrom('parts')
    .where('upload_id', '=', uploadId)
    .returning(['blob_key', 'size_bytes'])
    .execute();
  await queueErasures(
    tx,
    rows.map((row) => row.blob_key),
    now,
  );
  return rows.reduce((sum, row) => sum + row.size_bytes, 0);
}

export async function sumPartBytes(db: Query, uploadId: string): Promise<number> {
  const row = await db
    .selectFrom('parts')
    .select((eb) => eb.fn.sum<number | null>('size_bytes').as('bytes'))
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
  return Number(row.bytes ?? 0);
}

/** What an outside person uploaded and did not deliver. */
export interface Waiting {
  /** Includes unfinished uploads. */
  files: number;
  chunks: number;
  bytes: number;
}

export async function findWaiting(db: Query, ownerId: string, source: string): Promise<Waiting> {
  const files = await db
    .selectFrom('attachments')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
    .where('owner_id', '=', ownerId)
    .where('source', '=', source)
    .where('source', '<>', '') // lets SQLite use the partial index
    .where('state', '<>', 'erased')
    .executeTakeFirstOrThrow();
  const uploads = await db
    .selectFrom('uploads')
    .leftJoin('parts', 'parts.upload_id', 'uploads.id')
    .select(waitingUploads)
    .where('uploads.owner_id', '=', ownerId)
    .where('uploads.source', '=', source)
    .where('uploads.source', '<>', '')
    .where('uploads.state', '=', 'open')
    .executeTakeFirstOrThrow();
  return sumOfWaiting(files, uploads);
}

interface WaitingRow {
  count: number;
  bytes: number | null;
}

export const waitingUploads = [
  sql<number>`count(distinct uploads.id)`.as('count'),
  sql<number>`count(parts.upload_id)`.as('chunks'),
  sql<number | null>`sum(parts.size_bytes)`.as('bytes'),
] as const;

export function sumOfWaiting(files: WaitingRow, uploads: WaitingRow & { chunks: number }): Waiting {
  return {
    files: Number(files.count) + Number(uploads.count),
    chunks: Number(uploads.chunks),
    bytes: Number(files.bytes ?? 0) + Number(uploads.bytes ?? 0),
  };
}

const erasuresAtOnce = 500;

/** Rows are deleted before bytes. */
async function queueErasures(tx: Tx, blobKeys: string[], eraseAfter: number): Promise<void> {
  for (let start = 0; start < blobKeys.length; start += erasuresAtOnce) {
    const rows = blobKeys
      .slice(start, start + erasuresAtOnce)
      .map((key) => ({ blob_key: key, erase_after: eraseAfter }));
    await tx
      .insertInto('blob_erasures')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export async function listDueErasures(db: Query, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('blob_erasures')
    .select('blob_key')
    .where('erase_after', '<=', now)
    .limit(limit)
    .execute();
  return rows.map((row) => row.blob_key);
}

export async function forgetErasures(tx: Tx, blobKeys: string[]): Promise<void> {
  if (blobKeys.length > 0) await tx.deleteFrom('blob_erasures').where('blob_key', 'in', blobKeys).execute();
}

/** Some of the newest and the oldest. */
export async function listSomeBlobKeys(db: Kysely<Tables>, count: number): Promise<string[]> {
  const some = (order: 'asc' | 'desc') =>
    db
      .selectFrom('parts')
      .innerJoin('attachments', 'attachments.id', 'parts.upload_id')
      .select('parts.blob_key')
      .where('attachments.state', 'in', ['ready', 'damaged'])
      .orderBy('attachments.created_at', order)
      .limit(Math.ceil(count / 2))
      .execute();
  const rows = [...(await some('desc')), ...(await some('asc'))];
  return [...new Set(rows.map(({ blob_key }) => blob_key))];
}
