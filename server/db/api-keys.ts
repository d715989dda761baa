// Queries on API keys. The look-up by keyed hash is the hottest query of the service, so its statement is kept.
import type { Insertable } from 'kysely';
import { kept, type Param } from './kept.ts';
import { remembered } from './remembered.ts';
import type { ApiKeysTable, Query, Tx } from './schema.ts';

export async function insertApiKey(tx: Tx, row: Insertable<ApiKeysTable>): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

/** The newest key of a person; older ones exist only while they are being replaced. */
export function findApiKeyOf(db: Query, userId: string) {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function deleteApiKeysOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
}

export async function touchApiKey(tx: Tx, keyId: string, userId: string, now: number): Promise<void> {
  await tx.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', keyId).execute();
  await tx.updateTable('users').set({ last_seen_at: now }).where('id', '=', userId).execute();
}

/** Who holds a key, with their group, in one kept statement. */
const callerByKey = remembered(
  kept((db: Query, param: Param<{ lookup: Buffer }>) =>
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
