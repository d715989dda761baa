// Queries on people, and the exact accounting of the bytes they keep.
import { type Insertable, sql, type Updateable } from 'kysely';
import { kept, type Param } from './engine/kept.ts';
import { remembered } from './engine/remembered.ts';
import type { Builder, Query, Tx, UsersTable } from './schema.ts';

const withGroup = (db: Query) =>
  db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .selectAll('users')
    .select(['groups.name as group_name', 'groups.is_local', 'groups.role', 'groups.policy']);

/** A person with what their group decides. Deleted people are found by no query here but `findAnyUser`. */
export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export function findUser(db: Query, id: string) {
  return withGroup(db).where('users.id', '=', id).where('users.state', '<>', 'deleted').executeTakeFirst();
}

export function findUserByEmail(db: Query, email: string) {
  return withGroup(db).where('users.email', '=', email).where('users.state', '<>', 'deleted').executeTakeFirst();
}

/** Pages through everybody, in order of address. */
export function listUsers(db: Query, afterEmail: string, limit: number) {
  return withGroup(db)
    .where('users.state', '<>', 'deleted')
    .where('users.email', '>', afterEmail)
    .orderBy('users.email')
    .limit(limit)
    .execute();
}

export async function isUserIdTaken(db: Query, id: string): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export async function countSystemAdministrators(db: Query): Promise<number> {
  const row = await db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('groups.role', '=', 'system_administrator')
    .where('users.state', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Holds a person's row until the transaction ends, so that what is read next stays true. */
export async function lockUser(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();
}

/** One at a time decides about the rights of System Administrators: two must not remove each other at once. */
export async function lockSystemAdministrators(tx: Tx): Promise<void> {
  await tx
    .updateTable('groups')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('role', '=', 'system_administrator')
    .execute();
}

export async function insertUser(tx: Tx, row: Insertable<UsersTable>): Promise<void> {
  await tx.insertInto('users').values(row).execute();
}

export async function updateUser(tx: Tx, id: string, changes: Updateable<UsersTable>): Promise<void> {
  await tx.updateTable('users').set(changes).where('id', '=', id).execute();
}

/** Lets one transaction after the other do something for this person, so that what it counts stays true until it ends. */
export async function holdUser(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .execute();
}

/** Moves the owner's byte count. False when bytes were to be added for somebody who is not active any more. */
export async function addStoredBytes(tx: Tx, userId: string, bytes: number): Promise<boolean> {
  let query = tx
    .updateTable('users')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', bytes) }))
    .where('id', '=', userId);
  if (bytes >= 0) query = query.where('state', '=', 'active');
  return Number((await query.executeTakeFirst()).numUpdatedRows) === 1;
}

/** Promises bytes to a request in flight, only if the quota has room for them: one conditional statement. */
export async function reserveBytes(
  tx: Tx,
  wanted: { id: string; ownerId: string; bytes: number; quotaBytes: number; expiresAt: number },
): Promise<boolean> {
  const reserved = await tx
    .updateTable('users')
    .set((eb) => ({ reserved_bytes: eb('reserved_bytes', '+', wanted.bytes) }))
    .where('id', '=', wanted.ownerId)
    .where(sql<boolean>`stored_bytes + reserved_bytes + ${wanted.bytes} <= ${wanted.quotaBytes}`)
    .executeTakeFirst();
  if (Number(reserved.numUpdatedRows) === 0) return false;
  await tx
    .insertInto('reservations')
    .values({ id: wanted.id, owner_id: wanted.ownerId, reserved_bytes: wanted.bytes, expires_at: wanted.expiresAt })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        reserved_bytes: (eb) => eb('reservations.reserved_bytes', '+', wanted.bytes),
        expires_at: wanted.expiresAt,
      }),
    )
    .execute();
  return true;
}

/** Takes a promise back, once: whoever deletes the row gives the bytes back. */
export async function releaseReservation(tx: Tx, id: string): Promise<void> {
  const row = await tx
    .deleteFrom('reservations')
    .where('id', '=', id)
    .returning(['owner_id', 'reserved_bytes'])
    .executeTakeFirst();
  if (row === undefined) return;
  await tx
    .updateTable('users')
    .set((eb) => ({ reserved_bytes: eb('reserved_bytes', '-', row.reserved_bytes) }))
    .where('id', '=', row.owner_id)
    .execute();
}

export function listStaleReservations(db: Query, now: number, limit: number) {
  return db.selectFrom('reservations').select('id').where('expires_at', '<', now).limit(limit).execute();
}

/** People of groups with an inactivity rule, oldest first; the caller applies each group's own number of days. */
export function listIdleUsers(db: Query, seenBefore: number, limit: number) {
  return withGroup(db)
    .where('users.state', '<>', 'deleted')
    .where((eb) => eb(eb.fn.coalesce('users.last_seen_at', 'users.created_at'), '<', seenBefore))
    .orderBy('users.id')
    .limit(limit)
    .execute();
}

export async function countUsers(db: Query): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The rest of what `GET /account` tells, beside what authentication read already. */
const accountFacts = remembered(
  kept((db: Builder, param: Param<{ id: string }>) =>
    db
      .selectFrom('users')
      .select(['sender_aliases', 'recipient_aliases', 'default_sender_alias', 'client_key_sealed', 'drop_name'])
      .where('id', '=', param('id')),
  ),
  ({ id }) => id,
);

export async function findAccountFacts(db: Query, id: string) {
  return (await accountFacts(db, { id }))[0];
}

const localAddress = kept((db: Builder, param: Param<{ address: string }>) =>
  db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select('users.email')
    .where('users.email', '=', param('address'))
    .where('users.state', '=', 'active')
    .where('groups.is_local', '=', 1),
);
/** Up to so many, asking for each with a kept statement is quicker than one statement made for their number. */
const fewAddresses = 4;

/** Which of these addresses belong to local users who are active. */
export async function findLocalAddresses(db: Query, addresses: string[]): Promise<Set<string>> {
  if (addresses.length <= fewAddresses) {
    const found = await Promise.all(addresses.map((address) => localAddress(db, { address })));
    return new Set(found.flat().map((row) => row.email));
  }
  const rows = await db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select('users.email')
    .where('users.email', 'in', addresses)
    .where('users.state', '=', 'active')
    .where('groups.is_local', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.email));
}

/** Somebody active of these groups with an address at this domain; always the same one while nobody comes or goes. */
export function findMemberAtDomain(db: Query, groupIds: string[], domain: string) {
  const pattern = `%@${domain.replace(/[!%_]/g, '!$&')}`;
  return withGroup(db)
    .where('users.group_id', 'in', groupIds)
    .where('users.state', '=', 'active')
    .where(sql<boolean>`users.email like ${pattern} escape '!'`)
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst();
}

/** Accepts a time step of the authenticator app once; a code that was used, or is older, is refused. */
export async function acceptTotpStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const updated = await tx
    .updateTable('users')
    .set({ totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_last_step', '<', step)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}
