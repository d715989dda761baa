// Queries on passkeys and their challenges.
import { sql } from 'kysely';
import type { Passkey, PasskeyHolder } from '../../domain/passkeys.ts';
import { toFlag } from '../flag.ts';
import type { LockedDb, PasskeysTable, Query, Tx } from '../schema/schema.ts';
import { escapeLike } from '../users/users.ts';
import { deleteRememberedBrowsersOf } from './second-steps.ts';

const batchSize = 1000;

function passkeyOf(row: PasskeysTable): Passkey {
  return {
    id: row.id,
    credentialId: row.credential_id,
    holder: row.user_id === '' ? { address: row.address } : { userId: row.user_id },
    name: row.name,
    publicKey: row.public_key,
    signCount: row.sign_count,
    transports: JSON.parse(row.transports) as string[],
    isBackedUp: row.is_backed_up === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_ip,
  };
}

const columnsOf = (holder: PasskeyHolder) =>
  'userId' in holder ? { user_id: holder.userId, address: '' } : { user_id: '', address: holder.address };

/** False if this credential exists. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<Passkey, 'lastUsedAt' | 'lastUsedAddress'>,
): Promise<boolean> {
  const added = await tx
    .insertInto('passkeys')
    .values({
      id: passkey.id,
      credential_id: passkey.credentialId,
      ...columnsOf(passkey.holder),
      name: passkey.name,
      public_key: passkey.publicKey,
      sign_count: passkey.signCount,
      transports: JSON.stringify(passkey.transports),
      is_backed_up: toFlag(passkey.isBackedUp),
      created_at: passkey.createdAt,
      last_used_at: null,
      last_used_ip: '',
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  await countPasskeys(tx, passkey.holder);
  return Number(added.numInsertedOrUpdatedRows) === 1;
}

async function countPasskeys(tx: Tx, holder: PasskeyHolder): Promise<void> {
  if (!('userId' in holder)) return;
  await tx
    .updateTable('users')
    .set((eb) => ({
      passkey_count: eb
        .selectFrom('passkeys')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('user_id', '=', holder.userId),
    }))
    .where('id', '=', holder.userId)
    .execute();
}

/** Newest last. */
export async function listPasskeys(db: Query, holder: PasskeyHolder): Promise<Passkey[]> {
  const [column, value] =
    'userId' in holder ? (['user_id', holder.userId] as const) : (['address', holder.address] as const);
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where(column, '=', value)
    .where(column, '<>', '')
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute();
  return rows.map(passkeyOf);
}

export async function findPasskeyByCredential(db: Query, credentialId: string): Promise<Passkey | null> {
  const row = await db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
  return row === undefined ? null : passkeyOf(row);
}

export async function findPasskey(db: Query, id: string): Promise<Passkey | null> {
  const row = await db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : passkeyOf(row);
}

/** Which of these addresses have one. */
export async function findEnrolledAddresses(db: Query, addresses: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let start = 0; start < addresses.length; start += batchSize) {
    const rows = await db
      .selectFrom('passkeys')
      .select('address')
      .distinct()
      .where('address', 'in', addresses.slice(start, start + batchSize))
      .where('address', '<>', '')
      .execute();
    for (const { address } of rows) found.add(address);
  }
  return found;
}

/** Of addresses, by address; `part` is in the address. */
export async function listRecipientPasskeys(
  db: Query,
  { part, limit }: { part: string; limit: number },
): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('address', '<>', '')
    .$if(part !== '', (query) => query.where(sql<boolean>`address like ${`%${escapeLike(part)}%`} escape '!'`))
    .orderBy('address')
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(passkeyOf);
}

export async function countPasskeyHolders(db: LockedDb['read']): Promise<{ people: number; addresses: number }> {
  const row = await db
    .selectFrom('passkeys')
    .select([
      sql<number>`count(distinct case when user_id <> '' then user_id end)`.as('people'),
      sql<number>`count(distinct case when address <> '' then address end)`.as('addresses'),
    ])
    .executeTakeFirstOrThrow();
  return { people: Number(row.people), addresses: Number(row.addresses) };
}

/** Whether there are at least this many of addresses. */
export async function hasRecipientPasskeys(db: Query, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('passkeys')
    .select('id')
    .where('address', '<>', '')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** False if it was used or removed concurrently. */
export async function noteUse(
  tx: Tx,
  { id, signCount: before }: Passkey,
  { signCount, now, address }: { signCount: number; now: number; address: string },
): Promise<boolean> {
  const updated = await tx
    .updateTable('passkeys')
    .set({ sign_count: signCount, last_used_at: now, last_used_ip: address })
    .where('id', '=', id)
    .where('sign_count', '=', before)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function renamePasskey(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('passkeys').set({ name }).where('id', '=', id).execute();
}

/** False if it was removed before. */
export async function deletePasskey(tx: Tx, { id, holder }: Pick<Passkey, 'id' | 'holder'>): Promise<boolean> {
  const deleted = await tx.deleteFrom('passkeys').where('id', '=', id).executeTakeFirst();
  // A change of the second step.
  if ('userId' in holder) await deleteRememberedBrowsersOf(tx, holder.userId);
  else await tx.deleteFrom('proofs').where('address', '=', holder.address).where('passkey_id', '=', id).execute();
  await countPasskeys(tx, holder);
  return Number(deleted.numDeletedRows) === 1;
}

/** Returns how many there were. */
export async function deletePasskeysOf(tx: Tx, userId: string): Promise<number> {
  const deleted = await tx.deleteFrom('passkeys').where('user_id', '=', userId).executeTakeFirst();
  await countPasskeys(tx, { userId });
  return Number(deleted.numDeletedRows);
}

/** False if it was used before. */
export async function markChallengeUsed(tx: Tx, hash: Buffer, now: number): Promise<boolean> {
  const added = await tx
    .insertInto('used_challenges')
    .values({ challenge_hash: hash, used_at: now })
    .onConflict((conflict) => conflict.column('challenge_hash').doNothing())
    .executeTakeFirst();
  return Number(added.numInsertedOrUpdatedRows) === 1;
}

export async function deleteOldChallenges(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('used_challenges').where('used_at', '<', before).execute();
}
