// Queries on File Requests and on the keys of drop pages (state machine SM6).
import { type Insertable, sql } from 'kysely';
import type { DropKeysTable, FileRequestsTable, Query, Tx } from './schema.ts';

export async function insertFileRequest(tx: Tx, row: Insertable<FileRequestsTable>): Promise<void> {
  await tx.insertInto('file_requests').values(row).execute();
}

export function findFileRequest(db: Query, id: string) {
  return db.selectFrom('file_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

export type FileRequestRow = NonNullable<Awaited<ReturnType<typeof findFileRequest>>>;

/**
 * Marks a request as answered. A single-use one flips for exactly one of any number of racing deliveries; a reusable one
 * stays open. False when it is closed, used or past its date.
 */
export async function answerFileRequest(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('file_requests')
    .set({
      state: sql<'open' | 'used'>`case when is_reusable = 1 then 'open' else 'used' end`,
      answered_at: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function insertDropKey(tx: Tx, row: Insertable<DropKeysTable>): Promise<void> {
  await tx.insertInto('drop_keys').values(row).execute();
}

export function findDropKey(db: Query, lookup: Buffer) {
  return db.selectFrom('drop_keys').selectAll().where('lookup', '=', lookup).executeTakeFirst();
}

export function findDropKeyById(db: Query, id: string) {
  return db.selectFrom('drop_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function savePending(tx: Tx, id: string, pending: Buffer): Promise<void> {
  await tx
    .updateTable('drop_keys')
    .set({ pending_sealed: pending })
    .where('id', '=', id)
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

/** Deliveries made lately under keys of one drop page. */
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

export function findUserByDropName(db: Query, name: string) {
  return db
    .selectFrom('users')
    .select('id')
    .where('drop_name', '=', name)
    .where('state', '=', 'active')
    .executeTakeFirst();
}

/** Gives a person a drop name if they have none; answers the one in force. */
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

/** Gives a person another drop name; keys handed out under the old one are worth nothing from now on. */
export async function replaceDropName(tx: Tx, userId: string, name: string, now: number): Promise<void> {
  const before = await tx.selectFrom('users').select('drop_name').where('id', '=', userId).executeTakeFirst();
  await tx.updateTable('users').set({ drop_name: name, updated_at: now }).where('id', '=', userId).execute();
  if (before?.drop_name == null) return;
  await tx
    .deleteFrom('drop_keys')
    .where('owner_id', '=', userId)
    .where('drop_name', '=', before.drop_name)
    .where('state', '=', 'open')
    .execute();
}
