// Queries on API keys. The lookup by keyed hash is the most frequent query of the service, so it is prepared. Only
// `openApiKey` decrypts a key.
import { type ApiKey, type KeyHolder, prefixOf } from '../../domain/api-keys.ts';
import type { Role } from '../../domain/roles.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import { cached } from '../engine/query-cache.ts';
import { policyOf } from '../groups/groups.ts';
import type { ApiKeysTable, Builder, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { senderAddresses } from '../users/addresses.ts';

export interface NewApiKey extends Pick<ApiKey, 'id' | 'userId' | 'kind' | 'name' | 'createdAt' | 'expiresAt'> {
  key: string;
  /** Its keyed hash. */
  lookup: Buffer;
}

const apiKeys = defineTable<ApiKeysTable>()(({ plain, as }) => ({
  ...plain('id', 'user_id', 'kind', 'name', 'created_at', 'expires_at', 'last_used_at', 'replaced_at'),
  lastUsedAddress: as('last_used_ip'),
}));

/** A named key is stored as a keyed hash only, so it cannot be read back. */
export async function insertApiKey(tx: Tx, { key, lookup, ...added }: NewApiKey): Promise<void> {
  const { kind, userId, id } = added;
  const sealed = kind === 'named' ? Buffer.alloc(0) : tx.keys.sealText('api-key', key, `${userId}/${id}`);
  const row = apiKeys.write({ ...added, lastUsedAt: null, lastUsedAddress: '', replacedAt: null });
  await tx
    .insertInto('api_keys')
    .values({ ...row, lookup, sealed, prefix: prefixOf(key) })
    .execute();
}

/** The account's own key, which can be read back; not one that was replaced. */
export async function findApiKeyOf(db: Query, userId: string): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'account')
    .where('replaced_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : apiKeyOf(db, row);
}

export async function findApiKeysOf(db: Query, userIds: string[]): Promise<Map<string, ApiKey>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where('kind', '=', 'account')
    .where('replaced_at', 'is', null)
    .orderBy('created_at')
    .execute();
  return new Map(rows.map((row) => [row.user_id, apiKeyOf(db, row)]));
}

/** The account's own first, then newest first. */
export async function listApiKeysOf(db: Query, userId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('kind')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map((row) => apiKeyOf(db, row));
}

function apiKeyOf(db: Query, row: ApiKeysTable): ApiKey {
  // Prefixes of old keys are not stored.
  const prefix = row.prefix !== '' || row.sealed.length === 0 ? row.prefix : prefixOf(open(db, row));
  return { ...apiKeys.read(row), prefix };
}

/** Null for a named key and for a deleted one. */
export async function openApiKey(db: Query, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'user_id', 'sealed'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined || row.sealed.length === 0 ? null : open(db, row);
}

function open(db: Query, row: Pick<ApiKeysTable, 'id' | 'user_id' | 'sealed'>): string {
  return db.keys.openText('api-key', row.sealed, `${row.user_id}/${row.id}`);
}

/** Does not delete named keys. Returns the ids of those that still worked. */
export async function deleteAccountKeysOf(tx: Tx, userId: string, now: number): Promise<string[]> {
  const query = tx.deleteFrom('api_keys').where('user_id', '=', userId).where('kind', '=', 'account');
  return workingOf(await query.returning(['id', 'expires_at']).execute(), now);
}

/** Returns the ids of those that still worked. */
export async function deleteApiKeysOf(tx: Tx, userId: string, now: number): Promise<string[]> {
  const query = tx.deleteFrom('api_keys').where('user_id', '=', userId);
  return workingOf(await query.returning(['id', 'expires_at']).execute(), now);
}

function workingOf(rows: readonly Pick<ApiKeysTable, 'id' | 'expires_at'>[], now: number): string[] {
  return rows.filter(({ expires_at }) => expires_at === null || Number(expires_at) > now).map(({ id }) => id);
}

export async function deleteApiKey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('api_keys').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

/** True once; the key ends at this instant, or earlier if it was to end earlier. */
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

const holderByLookup = prepared((db: Builder, param: Param<{ lookup: Buffer }>) =>
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
      'users.sender_aliases',
      'users.recipient_aliases',
      'users.proven_addresses',
      'users.default_sender_alias',
      'users.name',
      'users.state',
      'users.group_id',
      'groups.name as group_name',
      'groups.is_local',
      'groups.role',
      'groups.policy',
    ])
    .where('api_keys.lookup', '=', param('lookup')),
);

const cachedHolder = cached(
  async (db: Query, params: { lookup: Buffer }): Promise<KeyHolder | null> => {
    const [row] = await holderByLookup(db, params);
    if (row === undefined) return null;
    return {
      userId: row.id,
      ...senderAddresses.read(row),
      name: row.name,
      isActive: row.state === 'active',
      groupId: row.group_id,
      groupName: row.group_name,
      isLocal: row.is_local === 1,
      role: row.role as Role,
      policy: policyOf(row),
      keyId: row.key_id,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    };
  },
  ({ lookup }) => lookup.toString('latin1'),
);

/** Callers share the result and MUST NOT change it. */
export function findKeyHolder(db: Query, lookup: Buffer): Promise<Readonly<KeyHolder> | null> {
  return cachedHolder(db, { lookup });
}
