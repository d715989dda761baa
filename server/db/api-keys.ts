// Queries on API keys. The look-up by keyed hash is the hottest query of the service, so its statement is kept.
import type { Insertable } from 'kysely';
import type { ApiKeysTable, Query, Tx } from './schema.ts';

export async function insertApiKey(tx: Tx, row: Insertable<ApiKeysTable>): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

/** The newest key of a person; older ones exist only while they are being replaced. */
export function findApiKeyOf(db: Query, userId: string) {
  return db.selectFrom('api_keys').selectAll().where('user_id', '=', userId).orderBy('created_at', 'desc').limit(1).executeTakeFirst();
}

export async function deleteApiKeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
}

export async function touchApiKey(tx: Tx, keyId: string, userId: string, now: number): Promise<void> {
  await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', keyId).execute();
  await tx.updateTable('users').set({ last_seen_at: now }).where('id', '=', userId).execute();
}
