// Queries on facts of the installation: named values, and key-encryption keys.
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import type { MetaKey } from './instants.ts';

// Used before the keys are known, so nothing here is encrypted by the connection.
type Query = Kysely<Tables>;
type Tx = Transaction<Tables>;

export async function findMeta(db: Query, key: string): Promise<string | null> {
  return (await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value ?? null;
}

export async function setMeta(tx: Tx, key: MetaKey, value: string): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

export async function deleteMeta(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('meta').where('key', '=', key).execute();
}

/** Claims a name: true for the first caller only, among all processes. */
export async function claimMeta(tx: Tx, key: MetaKey, value: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** A named number; 0 if there is none. */
export async function findMetaNumber(db: Query, key: string): Promise<number> {
  return Number((await findMeta(db, key)) ?? 0);
}

/** Increases a named number, never decreases it; returns the result. */
export async function raiseMeta(tx: Tx, key: MetaKey, value: number): Promise<number> {
  const current = await findMetaNumber(tx, key);
  if (current >= value) return current;
  await setMeta(tx, key, String(value));
  return value;
}

export interface WrappedKeyEncryptionKey {
  id: number;
  wrapped: Buffer;
  createdAt: number;
}

export async function listKeyEncryptionKeys(db: Query): Promise<WrappedKeyEncryptionKey[]> {
  const rows = await db.selectFrom('key_encryption_keys').selectAll().orderBy('id').execute();
  return rows.map(({ id, wrapped, created_at }) => ({ id, wrapped, createdAt: created_at }));
}

export async function rewrapKeyEncryptionKey(tx: Tx, id: number, wrapped: Buffer): Promise<void> {
  await tx.updateTable('key_encryption_keys').set({ wrapped }).where('id', '=', id).execute();
}

export async function insertKeyEncryptionKey(tx: Tx, id: number, wrapped: Buffer, now: number): Promise<void> {
  await tx.insertInto('key_encryption_keys').values({ id, wrapped, created_at: now }).execute();
}

/** The clock of the database server; PostgreSQL only. */
export async function readDatabaseTime(db: Query): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select floor(extract(epoch from clock_timestamp()) * 1000) as now`.execute(db);
  return Number(rows[0]!.now);
}

const installationKey = 'installation_id';

export async function findInstallationId(db: Query): Promise<string> {
  return (await findMeta(db, installationKey)) ?? '';
}

export async function claimInstallationId(tx: Tx, id: string): Promise<void> {
  await claimMeta(tx, installationKey, id);
}

/** The cluster, if readable, and the number of the database: a restored copy has others. */
export async function readPostgresPlace(db: Query): Promise<string> {
  const cluster = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`
    .execute(db)
    .then(({ rows }) => rows[0]!.id)
    .catch(() => '');
  const { rows } = await sql<{ oid: number }>`
    select oid::bigint as oid from pg_database where datname = current_database()`.execute(db);
  return `${cluster}/${rows[0]!.oid}`;
}

/** The creation of the first group: shipped groups are inserted at the first start. */
export async function findInstalledAt(db: Query): Promise<number> {
  const { at } = await db
    .selectFrom('groups')
    .select((eb) => eb.fn.min('created_at').as('at'))
    .executeTakeFirstOrThrow();
  return Number(at);
}
