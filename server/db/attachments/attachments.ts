// Queries on attachments. Destroying the wrapped data key erases a file.
import { sql } from 'kysely';
import type { StoredFile } from '../../domain/attachments.ts';
import type { ScanState } from '../../domain/scanning.ts';
import type { WrappedKey } from '../../lib/keyring.ts';
import { type Param, prepared, preparedList } from '../engine/prepared.ts';
import { lockRows } from '../engine/row-locks.ts';
import { isUnderNoHold } from '../legal-holds/legal-holds.ts';
import type { AttachmentsTable, Builder, Query, Sealer, Tx } from '../schema/schema.ts';
import { wrappedKeyOf } from '../system/wrapped-keys.ts';
import { defineTable } from '../table.ts';
import { type Checksums, checksumsToStore, openChecksums } from './checksums.ts';
import { openFileName } from './held-files.ts';

const files = defineTable<AttachmentsTable>()(({ plain, flags }) => ({
  ...plain(
    'id',
    'owner_id',
    'source',
    'size_bytes',
    'content_type',
    'state',
    'created_at',
    'processed_at',
    'scan_state',
  ),
  ...flags('is_from_outside'),
}));

/** Decrypts the name and the checksums only when they are read. */
export function storedFileOf(keys: Sealer, row: AttachmentsTable): StoredFile {
  let fileName: string | undefined;
  let checksums: Checksums | undefined;
  const opened = () => (checksums ??= openChecksums(keys, row, row.id));
  return {
    ...files.read(row),
    get fileName() {
      fileName ??= openFileName(keys, row);
      return fileName;
    },
    get sha256() {
      return opened().sha256;
    },
    get crc32() {
      return opened().crc32;
    },
    isHeld: row.reference_count > 0,
    dataKey: wrappedKeyOf(row),
  };
}

export interface NewFile {
  id: string;
  ownerId: string;
  source: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Null while it is being computed. */
  sha256: string | null;
  crc32: string;
  dataKey: WrappedKey;
  scanState: ScanState;
  /** True: a message shares it from the start. */
  isHeld: boolean;
  now: number;
  /** When it is erased if nothing shares it. */
  eraseAfterUptime: number;
}

export async function insertAttachment(tx: Tx, file: NewFile): Promise<void> {
  const isReady = file.sha256 !== null;
  const state = isReady ? 'ready' : 'sealing';
  await tx
    .insertInto('attachments')
    .values({
      ...files.write({
        ...file,
        state,
        isFromOutside: file.source !== '',
        createdAt: file.now,
        processedAt: isReady ? file.now : null,
      }),
      name_sealed: tx.keys.sealText('name', file.fileName, file.id),
      ...checksumsToStore(tx.keys, { sha256: file.sha256 ?? '', crc32: file.crc32 }, file.id),
      reference_count: file.isHeld ? 1 : 0,
      data_key_wrapped: file.dataKey.wrapped,
      key_encryption_key_id: file.dataKey.keyId,
      erase_after_uptime: file.isHeld ? null : file.eraseAfterUptime,
    })
    .execute();
}

const attachmentById = prepared((db: Builder, param: Param<{ id: string }>) =>
  db.selectFrom('attachments').selectAll().where('id', '=', param('id')),
);

export async function findAttachment(db: Query, id: string): Promise<StoredFile | null> {
  const [row] = await attachmentById(db, { id });
  return row === undefined ? null : storedFileOf(db.keys, row);
}

/** By id, also of erased files. */
export async function findFileNames(db: Query, ids: string[], ownerId?: string): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const query = db.selectFrom('attachments').select(['id', 'name_sealed']).where('id', 'in', ids);
  const rows = await (ownerId === undefined ? query : query.where('owner_id', '=', ownerId)).execute();
  return new Map(rows.map((row) => [row.id, openFileName(db.keys, row)]));
}

export async function listAttachments(
  db: Query,
  ownerId: string,
  after: { createdAt: number; id: string },
  limit: number,
): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('attachments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('source', '=', '')
    .where('state', 'in', ['ready', 'sealing'])
    .where((eb) =>
      eb.or([
        eb('created_at', '>', after.createdAt),
        eb.and([eb('created_at', '=', after.createdAt), eb('id', '>', after.id)]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => storedFileOf(db.keys, row));
}

export async function finishAttachment(tx: Tx, id: string, sha256: string, now: number): Promise<boolean> {
  const file = await findAttachment(tx, id);
  if (file === null) return false;
  const updated = await tx
    .updateTable('attachments')
    .set({ state: 'ready', ...checksumsToStore(tx.keys, { sha256, crc32: file.crc32 }, id), processed_at: now })
    .where('id', '=', id)
    .where('state', '=', 'sealing')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function setAttachmentState(tx: Tx, id: string, state: 'ready' | 'damaged' | 'failed'): Promise<void> {
  await tx.updateTable('attachments').set({ state }).where('id', '=', id).where('state', '<>', 'erased').execute();
}

const toBeHeld = preparedList((tx: Builder, ids) =>
  lockRows(tx, tx.selectFrom('attachments').selectAll().where('id', 'in', ids).orderBy('id')),
);
const hold = preparedList((tx: Builder, ids) =>
  tx
    .updateTable('attachments')
    .set((eb) => ({ reference_count: eb('reference_count', '+', 1), erase_after_uptime: null, source: '' }))
    .where('id', 'in', ids)
    .where('state', '=', 'ready'),
);

/**
 * Adds a message or link that shares these files, and returns them in no order. Skips those that belong to others, come
 * from another source, or are not ready. Reads first, by id alone: one statement with `returning` takes SQLite twice as
 * long as both, and one with the owner reads all files of the owner.
 */
export async function holdAttachments(
  tx: Tx,
  wanted: readonly string[],
  from: { ownerId: string; source: string },
): Promise<StoredFile[]> {
  const rows = (await toBeHeld(tx, wanted, {})).filter(
    (row) => row.owner_id === from.ownerId && row.source === from.source && row.state === 'ready',
  );
  const ids = rows.map(({ id }) => id);
  const changes = await hold(tx, ids, {});
  const held = changes.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
  if (held !== ids.length) return [];
  return rows.map((row) => storedFileOf(tx.keys, { ...row, reference_count: row.reference_count + 1, source: '' }));
}

/** For a message or link that had the file before; false when it is not ready any more. */
export async function holdAttachmentAgain(tx: Tx, id: string): Promise<boolean> {
  const updated = await tx
    .updateTable('attachments')
    .set((eb) => ({ reference_count: eb('reference_count', '+', 1), erase_after_uptime: null }))
    .where('id', '=', id)
    .where('source', '=', '')
    .where('state', '=', 'ready')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Removes a message or link that shared the file; after the last one, the file waits for its erasure. */
export async function releaseAttachment(tx: Tx, id: string, eraseAfterUptime: number): Promise<void> {
  await tx
    .updateTable('attachments')
    .set((eb) => ({
      reference_count: eb('reference_count', '-', 1),
      erase_after_uptime: eb.case().when('reference_count', '<=', 1).then(eraseAfterUptime).else(null).end(),
    }))
    .where('id', '=', id)
    .where('reference_count', '>', 0)
    .execute();
}

export async function listUndelivered(db: Query, ownerId: string, source: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('source', '=', source)
    .where('source', '<>', '') // lets SQLite use the partial index
    .where('state', '<>', 'erased')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export interface ErasedFile {
  ownerId: string;
  source: string;
  sizeBytes: number;
  /** A legal hold retains the key and the bytes. */
  isKept: boolean;
  /** As it was before; null if a legal hold keeps it. */
  destroyedKey: WrappedKey | null;
}

/**
 * Erases a file, for the one caller that does it. A shared file stays, unless it is erased with its owner. Destroys the
 * data key unless the file is under a legal hold.
 */
export async function eraseAttachment(tx: Tx, id: string, evenIfHeld: boolean): Promise<ErasedFile | null> {
  const before = await findAttachment(tx, id);
  let query = tx
    .updateTable('attachments')
    .set({
      state: 'erased',
      data_key_wrapped: sql<Buffer | null>`case when ${isUnderNoHold} then null else data_key_wrapped end`,
      erase_after_uptime: null,
    })
    .where('id', '=', id)
    .where('state', '<>', 'erased');
  if (!evenIfHeld) query = query.where('reference_count', '=', 0);
  const row = await query.returning(['owner_id', 'source', 'size_bytes', 'data_key_wrapped']).executeTakeFirst();
  return row === undefined ? null : erasedFileOf(row, before!.dataKey);
}

function erasedFileOf(
  row: Pick<AttachmentsTable, 'owner_id' | 'source' | 'size_bytes' | 'data_key_wrapped'>,
  dataKey: WrappedKey | null,
): ErasedFile {
  const isKept = row.data_key_wrapped !== null;
  return {
    ownerId: row.owner_id,
    source: row.source,
    sizeBytes: row.size_bytes,
    isKept,
    destroyedKey: isKept ? null : dataKey,
  };
}

/** Destroys the data key of an erased file that no hold retains any more, for the one caller that does it. */
export async function destroyKeptKey(tx: Tx, id: string): Promise<ErasedFile | null> {
  const before = await findAttachment(tx, id);
  const row = await tx
    .updateTable('attachments')
    .set({ data_key_wrapped: null })
    .where('id', '=', id)
    .where(isKeptOnly)
    .where(isUnderNoHold)
    .returning(['owner_id', 'source', 'size_bytes', 'data_key_wrapped'])
    .executeTakeFirst();
  return row === undefined ? null : erasedFileOf(row, before!.dataKey);
}

/** The condition of the index `attachments_kept`. */
const isKeptOnly = sql<boolean>`state = 'erased' and data_key_wrapped is not null`;

export async function countReleasedFromHold(db: Query): Promise<number> {
  const query = db.selectFrom('attachments').select((eb) => eb.fn.countAll<number>().as('count'));
  const row = await query.where(isKeptOnly).where(isUnderNoHold).executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function listReleasedFromHold(db: Query, limit: number): Promise<string[]> {
  const query = db.selectFrom('attachments').select('id').where(isKeptOnly).where(isUnderNoHold);
  return (await query.orderBy('id').limit(limit).execute()).map((row) => row.id);
}

/** Longest due first. */
export async function listErasableAttachments(db: Query, uptime: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('erase_after_uptime', 'is not', null)
    .where('erase_after_uptime', '<=', uptime)
    .orderBy('erase_after_uptime')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function countErasableAttachments(db: Query, uptime: number): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('erase_after_uptime', 'is not', null)
    .where('erase_after_uptime', '<=', uptime)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Deleted users whose files a crash left behind. */
export async function listOwnersToPurge(db: Query, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('users', 'users.id', 'attachments.owner_id')
    .select('users.id')
    .distinct()
    .where('users.state', '=', 'deleted')
    .where('attachments.state', '<>', 'erased')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function listAttachmentIdsOf(db: Query, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('attachments')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'erased')
    .execute();
  return rows.map((row) => row.id);
}

export async function countAttachments(db: Query): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '<>', 'erased')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
