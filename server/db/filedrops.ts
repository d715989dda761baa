// Queries on drop pages: their random names, and the keys that deliveries are made with (security D28).
import type { DropKey, PendingDelivery } from '../domain/submissions.ts';
import type { DropKeysTable, Query, Sealer, Tx } from './schema.ts';

function dropKeyOf(keys: Sealer, row: DropKeysTable): DropKey {
  return {
    id: row.id,
    ownerId: row.owner_id,
    dropName: row.drop_name,
    pending:
      row.pending_sealed === null
        ? null
        : (JSON.parse(keys.openText('text', row.pending_sealed, placeOf(row.id))) as PendingDelivery),
    state: row.state,
    expiresAt: row.expires_at,
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
      id: key.id,
      lookup: key.lookup,
      owner_id: key.ownerId,
      drop_name: key.dropName,
      pending_sealed: null,
      state: 'open',
      created_at: key.now,
      expires_at: key.expiresAt,
    })
    .execute();
}

export async function findDropKey(db: Query, lookup: Buffer): Promise<DropKey | null> {
  const row = await db.selectFrom('drop_keys').selectAll().where('lookup', '=', lookup).executeTakeFirst();
  return row === undefined ? null : dropKeyOf(db.keys, row);
}

export async function findDropKeyById(db: Query, id: string): Promise<DropKey | null> {
  const row = await db.selectFrom('drop_keys').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : dropKeyOf(db.keys, row);
}

export async function savePending(tx: Tx, keyId: string, pending: PendingDelivery): Promise<void> {
  await tx
    .updateTable('drop_keys')
    .set({ pending_sealed: tx.keys.sealText('text', JSON.stringify(pending), placeOf(keyId)) })
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

/** Whose drop page has this random name; null for nobody who is active. */
export async function findDropOwnerId(db: Query, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('drop_name', '=', name)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Gives a person a drop name if they have none; returns the one in force. */
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
