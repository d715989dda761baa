// Queries on the installation's own facts: meta values, settings, key-encryption keys.
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

// These run before the keys are known, so nothing here is sealed by the connection.
type Query = Kysely<Tables>;
type Tx = Transaction<Tables>;

export async function findMeta(db: Query, key: string): Promise<string | null> {
  return (await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value ?? null;
}

export async function setMeta(tx: Tx, key: string, value: string): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

export async function deleteMeta(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('meta').where('key', '=', key).execute();
}

/** Takes a name for good: true for the one caller that was first, also among several processes. */
export async function claimMeta(tx: Tx, key: string, value: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** Moves a number kept under a name forward, never back. */
export async function raiseMeta(tx: Tx, key: string, value: number): Promise<number> {
  const current = Number((await findMeta(tx, key)) ?? 0);
  if (current >= value) return current;
  await setMeta(tx, key, String(value));
  return value;
}

export function findSettings(db: Query) {
  return db.selectFrom('settings').select(['document', 'version']).where('id', '=', 1).executeTakeFirst();
}

/** Reads the settings and keeps others from changing them until this transaction ends. */
export async function holdSettings(tx: Tx, now: number): Promise<string> {
  const row = await tx
    .insertInto('settings')
    .values({ id: 1, document: '{}', version: 1, updated_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ version: (eb) => eb.ref('settings.version') }))
    .returning('document')
    .executeTakeFirstOrThrow();
  return row.document;
}

export async function saveSettings(tx: Tx, document: string, now: number): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ id: 1, document, version: 1, updated_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ document, version: (eb) => eb('settings.version', '+', 1), updated_at: now }),
    )
    .execute();
}

export function listKeyEncryptionKeys(db: Query) {
  return db.selectFrom('key_encryption_keys').selectAll().orderBy('id').execute();
}

export async function insertKeyEncryptionKey(tx: Tx, id: number, wrapped: Buffer, now: number): Promise<void> {
  await tx.insertInto('key_encryption_keys').values({ id, wrapped, created_at: now }).execute();
}
