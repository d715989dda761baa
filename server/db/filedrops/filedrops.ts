// Queries on drop pages: their random names, and the keys for deliveries.
import { sql } from 'kysely';
import type { DropKey, PendingDelivery } from '../../domain/submissions.ts';
import type { DropKeysTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';
import { defineTable } from '../table.ts';
import { sumOfWaiting, type Waiting, waitingUploads } from '../uploads/parts.ts';

const dropKeys = defineTable<DropKeysTable>()(({ plain }) =>
  plain('id', 'owner_id', 'drop_name', 'state', 'expires_at'),
);

function dropKeyOf(keys: Sealer, row: DropKeysTable): DropKey {
  const pending = row.pending_sealed === null ? null : keys.openText('text', row.pending_sealed, placeOf(row.id));
  return {
    ...dropKeys.read(row),
    pending: pending === null ? null : (JSON.parse(pending) as PendingDelivery),
    isOpened: row.opened_at !== null,
  };
}

function placeOf(keyId: string): string {
  return `drop/${keyId}`;
}

export interface NewDropKey {
  id: string;
  lookup: Buffer;
  ownerId: string;
  dropName: string;
  now: number;
  expiresAt: number;
}

export async function insertDropKey(tx: Tx, key: NewDropKey): Promise<void> {
  await tx
    .insertInto('drop_keys')
    .values({
      ...dropKeys.write({ ...key, state: 'open' }),
      lookup: key.lookup,
      pending_sealed: null,
      created_at: key.now,
      network: '',
      opened_at: null,
      active_at: 0,
    })
    .onConflict((conflict) => conflict.column('lookup').doNothing())
    .execute();
  await deleteSurplusRows(tx, rowLimits.drop_keys, key.id);
}

/** Keys of a page without uploads; counts no further than the limit. */
export async function countUnopenedDropKeys(db: Query, dropName: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('drop_keys')
    .select('id')
    .where('drop_name', '=', dropName)
    .where('opened_at', 'is', null)
    .limit(limit)
    .execute();
  return rows.length;
}

/** The first upload with a key. False when there was one before. */
export async function openDropKey(tx: Tx, id: string, network: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('drop_keys')
    .set({ network, opened_at: now, active_at: now })
    .where('id', '=', id)
    .where('opened_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Keys with a recent first upload, of one page or from one network. */
export async function countOpenedDropKeys(
  db: Query,
  of: { dropName: string } | { network: string },
  since: number,
): Promise<number> {
  const row = await db
    .selectFrom('drop_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('opened_at', '>', since)
    .where((eb) => ('dropName' in of ? eb('drop_name', '=', of.dropName) : eb('network', '=', of.network)))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Records an upload, or a delivery that waits for a confirmed address. */
export async function touchDropKey(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('drop_keys').set({ active_at: now }).where('id', '=', id).execute();
}

const keyOfSource = sql<string>`'drop:' || drop_keys.id`;

/** Undelivered files. Files of users have an empty source and are not in the index used here. */
function waitingFiles(db: Query) {
  return db
    .selectFrom('drop_keys')
    .innerJoin('attachments', (join) => join.on('attachments.source', '=', keyOfSource))
    .where('attachments.source', '<>', '')
    .where('attachments.state', '<>', 'erased');
}

function openUploads(db: Query) {
  return db
    .selectFrom('drop_keys')
    .innerJoin('uploads', (join) => join.on('uploads.source', '=', keyOfSource))
    .where('uploads.source', '<>', '')
    .where('uploads.state', '=', 'open');
}

/** Waiting bytes of a drop page under all of its keys, with those reserved for running uploads. */
export async function findDropReserve(db: Query, dropName: string): Promise<Waiting & { promisedBytes: number }> {
  const files = await waitingFiles(db)
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
    .where('drop_name', '=', dropName)
    .executeTakeFirstOrThrow();
  const uploads = await openUploads(db)
    .leftJoin('parts', 'parts.upload_id', 'uploads.id')
    .select(waitingUploads)
    .where('drop_name', '=', dropName)
    .executeTakeFirstOrThrow();
  const promised = await db
    .selectFrom('drop_keys')
    .innerJoin('reservations', (join) => join.on('reservations.source', '=', keyOfSource))
    .select((eb) => eb.fn.sum<number | null>('reserved_bytes').as('bytes'))
    .where('drop_name', '=', dropName)
    .executeTakeFirstOrThrow();
  return { ...sumOfWaiting(files, uploads), promisedBytes: Number(promised.bytes ?? 0) };
}

/** Undelivered files of keys without uploads since the instant and without running ones. */
export async function listSilentDropFiles(db: Query, activeBefore: number, limit: number): Promise<string[]> {
  const rows = await waitingFiles(db)
    .select('attachments.id')
    .where('active_at', '<', activeBefore)
    .where(isQuiet)
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export function listSilentDropUploads(
  db: Query,
  activeBefore: number,
  limit: number,
): Promise<{ id: string; ownerId: string; source: string }[]> {
  return openUploads(db)
    .select(['uploads.id', 'uploads.owner_id as ownerId', 'uploads.source'])
    .where('drop_keys.active_at', '<', activeBefore)
    .where(isQuiet)
    .limit(limit)
    .execute();
}

const isQuiet = sql<boolean>`not exists (select 1 from reservations where reservations.source = ${keyOfSource})`;

export async function findDropKey(db: Query, lookup: Buffer): Promise<DropKey | null> {
  const row = await db.selectFrom('drop_keys').selectAll().where('lookup', '=', lookup).executeTakeFirst();
  return row === undefined ? null : dropKeyOf(db.keys, row);
}

export async function findDropKeyById(db: Query, id: string): Promise<DropKey | null> {
  const row = await db.selectFrom('drop_keys').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : dropKeyOf(db.keys, row);
}

export async function savePending(tx: Tx, keyId: string, pending: PendingDelivery, now: number): Promise<void> {
  await tx
    .updateTable('drop_keys')
    .set({ pending_sealed: tx.keys.sealText('text', JSON.stringify(pending), placeOf(keyId)), active_at: now })
    .where('id', '=', keyId)
    .where('state', '=', 'open')
    .execute();
}

/** One delivery per key. */
export async function consumeDropKey(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('drop_keys')
    .set({ state: 'used' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function countUsedDropKeys(db: Query, dropName: string, since: number): Promise<number> {
  const row = await db
    .selectFrom('drop_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('drop_name', '=', dropName)
    .where('state', '=', 'used')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function deleteOldDropKeys(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('drop_keys')
    .where('expires_at', '<', now - 86_400_000)
    .execute();
}

/** The active owner of the drop page with this name, or null. */
export async function findDropOwnerId(db: Query, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('drop_name', '=', name)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Gives a user a drop name if they have none; returns the valid one. */
export async function claimDropName(tx: Tx, userId: string, name: string): Promise<string> {
  await tx
    .updateTable('users')
    .set({ drop_name: name })
    .where('id', '=', userId)
    .where('drop_name', 'is', null)
    .execute();
  const row = await tx.selectFrom('users').select('drop_name').where('id', '=', userId).executeTakeFirstOrThrow();
  return row.drop_name!;
}

/** Gives a user another drop name, which invalidates keys of the old one. */
export async function replaceDropName(tx: Tx, userId: string, name: string, now: number): Promise<void> {
  const before = await tx.selectFrom('users').select('drop_name').where('id', '=', userId).executeTakeFirst();
  await tx.updateTable('users').set({ drop_name: name, updated_at: now }).where('id', '=', userId).execute();
  if (before?.drop_name == null) return;
  const { drop_name: old } = before;
  await tx
    .deleteFrom('drop_keys')
    .where('owner_id', '=', userId)
    .where('drop_name', '=', old)
    .where('opened_at', 'is', null)
    .execute();
  // Keys with files become inactive, so that the job finds their files and erases them.
  await tx
    .updateTable('drop_keys')
    .set({ state: 'used', active_at: 0 })
    .where('owner_id', '=', userId)
    .where('drop_name', '=', old)
    .where('state', '=', 'open')
    .execute();
}
