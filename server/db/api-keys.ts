// Queries on API keys. The look-up by keyed hash is the hottest query of the service, so its statement is kept.
import type { Insertable } from 'kysely';
import { kept, type Param } from './engine/kept.ts';
import { remembered } from './engine/remembered.ts';
import type { ApiKeysTable, Builder, Query, Tx } from './schema.ts';

export async function insertApiKey(tx: Tx, row: Insertable<ApiKeysTable>): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

/** The key a person's account has, the one that can be read back; a replaced one only lives out its last day. */
export function findApiKeyOf(db: Query, userId: string) {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'account')
    .where('replaced_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** All keys of a person, the account's own first, then newest first. */
export function listApiKeysOf(db: Query, userId: string) {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('kind')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

export type ApiKeyRow = Awaited<ReturnType<typeof listApiKeysOf>>[number];

/** With a new key of the account the old ones end; named ones are their owner's to end. */
export async function deleteAccountKeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).where('kind', '=', 'account').execute();
}

export async function deleteApiKeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
}

export async function deleteApiKey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('api_keys').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

/** Marks a key as replaced, once; it ends at this instant, or earlier if it was to end earlier. */
export async function markApiKeyReplaced(
  tx: Tx,
  key: { userId: string; id: string; now: number; endsAt: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('api_keys')
    .set((eb) => ({
      replaced_at: key.now,
      expires_at: eb
        .case()
        .when(eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', key.endsAt)]))
        .then(key.endsAt)
        .else(eb.ref('expires_at'))
        .end(),
    }))
    .where('user_id', '=', key.userId)
    .where('id', '=', key.id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function touchApiKey(
  tx: Tx,
  key: { id: string; userId: string; address: string; now: number },
): Promise<void> {
  const used = { last_used_at: key.now, last_used_ip: key.address };
  await tx.updateTable('api_keys').set(used).where('id', '=', key.id).execute();
  await tx.updateTable('users').set({ last_seen_at: key.now }).where('id', '=', key.userId).execute();
}

/** Who holds a key, with their group, in one kept statement. */
const callerByKey = remembered(
  kept((db: Builder, param: Param<{ lookup: Buffer }>) =>
    db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .innerJoin('groups', 'groups.id', 'users.group_id')
      .select([
        'api_keys.id as key_id',
        'api_keys.expires_at',
        'api_keys.last_used_at',
        'users.id',
        'users.email',
        'users.name',
        'users.state',
        'users.group_id',
        'groups.name as group_name',
        'groups.is_local',
        'groups.role',
        'groups.policy',
      ])
      .where('api_keys.lookup', '=', param('lookup')),
  ),
  ({ lookup }) => lookup.toString('latin1'),
);

export async function findCallerByKey(db: Query, lookup: Buffer) {
  return (await callerByKey(db, { lookup }))[0];
}
