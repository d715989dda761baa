// Queries on users. None finds deleted users.
import { sql } from 'kysely';
import type { Role } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { foldText } from '../../lib/text-search.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import { toFlag } from '../flag.ts';
import { policyOf } from '../groups/groups.ts';
import type { Builder, Query, Tx, UsersTable } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { emailActs, senderAddresses } from './addresses.ts';

export const withGroup = (db: Builder) =>
  db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .selectAll('users')
    .select(['groups.name as group_name', 'groups.is_local', 'groups.role', 'groups.policy'])
    .where('users.state', '<>', 'deleted');

type UserRow = Awaited<ReturnType<ReturnType<typeof withGroup>['executeTakeFirstOrThrow']>>;

const users = defineTable<UsersTable>()(({ plain, flags, mapped }) => ({
  ...plain('id', 'name', 'group_id', 'password_hash', 'stored_bytes', 'drop_name', 'language', 'created_at'),
  ...plain('last_seen_at', 'passkey_count'),
  ...flags('must_change_password'),
  state: mapped(
    'state',
    (state) => state as User['state'],
    (state) => state,
  ),
  totpState: mapped(
    'totp_state',
    (state) => (state === 'on' ? 'on' : 'off'),
    (state) => state,
  ),
  isDropOpen: mapped(
    'is_drop_closed',
    (isClosed) => isClosed === 0,
    (isOpen) => toFlag(!isOpen),
  ),
}));

export function userOf(row: UserRow): User {
  return {
    ...users.read(row),
    ...senderAddresses.read(row),
    groupName: row.group_name,
    isLocal: row.is_local === 1,
    role: row.role as Role,
    policy: policyOf(row),
  };
}

const byId = prepared((db: Builder, param: Param<{ id: string }>) => withGroup(db).where('users.id', '=', param('id')));

export async function findUser(db: Query, id: string): Promise<User | undefined> {
  const [row] = await byId(db, { id });
  return row === undefined ? undefined : userOf(row);
}

const byEmail = prepared((db: Builder, param: Param<{ email: string }>) =>
  withGroup(db).where('users.email', '=', param('email')),
);

export async function findUserByEmail(db: Query, email: string): Promise<User | undefined> {
  const [row] = await byEmail(db, { email });
  return row === undefined ? undefined : userOf(row);
}

/** As account address or alias, confirmed or not. */
export async function listHoldersOf(db: Query, address: string): Promise<User[]> {
  const has = (column: string) => sql<boolean>`${sql.ref(column)} like ${`%"${escapeLike(address)}"%`} escape '!'`;
  const rows = await withGroup(db)
    .where((eb) =>
      eb.or([eb('users.email', '=', address), has('users.sender_aliases'), has('users.recipient_aliases')]),
    )
    .execute();
  return rows.map(userOf);
}

export function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** In order of address. */
export async function listUsersAfter(db: Query, email: string, limit: number): Promise<User[]> {
  const rows = await withGroup(db).where('users.email', '>', email).orderBy('users.email').limit(limit).execute();
  return rows.map(userOf);
}

export async function listUserEmails(db: Query, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', ids)
    .where('state', '<>', 'deleted')
    .execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}

export async function isUserIdTaken(db: Query, id: string): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Active ones. */
export function listSystemAdministrators(db: Query): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select(['users.id', 'users.email'])
    .where('groups.role', '=', 'system_administrator')
    .where('users.state', '=', 'active')
    .orderBy('users.email')
    .execute();
}

/** Active ones, or those outside of one group. */
export async function countSystemAdministrators(
  db: Query,
  { outside = '' }: { outside?: string } = {},
): Promise<number> {
  const row = await db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('groups.role', '=', 'system_administrator')
    .where('groups.id', '<>', outside)
    .where('users.state', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Locks the row until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();
}

/** Serialises changes of System Administrators' rights: two must not remove each other. */
export async function lockSystemAdministrators(tx: Tx): Promise<void> {
  await tx
    .updateTable('groups')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('role', '=', 'system_administrator')
    .execute();
}

export interface NewUser
  extends Pick<
    User,
    | 'id'
    | 'email'
    | 'name'
    | 'groupId'
    | 'state'
    | 'passwordHash'
    | 'mustChangePassword'
    | 'senderAliases'
    | 'recipientAliases'
    | 'provenAddresses'
    | 'defaultSenderAlias'
    | 'createdAt'
  > {
  /** Encrypts what clients store on their machines; shown to the user only. */
  clientKey: string;
}

export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  const { clientKey, ...added } = user;
  const values = {
    storedBytes: 0,
    dropName: null,
    isDropOpen: true,
    totpState: 'off',
    passkeyCount: 0,
    language: null,
  } as const;
  await tx
    .insertInto('users')
    .values({
      ...users.write({ ...added, ...values, lastSeenAt: null }),
      ...senderAddresses.write(user),
      search_text: searchTextOf(user),
      client_key_sealed: tx.keys.sealText('client-key', clientKey, user.id),
      reserved_bytes: 0,
      download_number: 0,
      totp_sealed: null,
      totp_last_step: 0,
      updated_at: user.createdAt,
    })
    .execute();
}

function searchTextOf({ name, email, senderAliases, recipientAliases }: Searched): string {
  return foldText([...new Set([name, email, ...senderAliases, ...recipientAliases])].join('\n'));
}

type Searched = Pick<User, 'name' | 'email' | 'senderAliases' | 'recipientAliases'>;

type Changeable =
  | 'email'
  | 'name'
  | 'groupId'
  | 'state'
  | 'passwordHash'
  | 'mustChangePassword'
  | 'senderAliases'
  | 'recipientAliases'
  | 'provenAddresses'
  | 'defaultSenderAlias'
  | 'isDropOpen'
  | 'language';

/** Undefined values do not change. */
export type UserChanges = { [Field in Changeable]?: User[Field] | undefined };

export async function updateUser(tx: Tx, id: string, changes: UserChanges, now: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ ...users.changes(changes), ...senderAddresses.changes(changes), updated_at: now })
    .where('id', '=', id)
    .execute();
  const { name, email, senderAliases, recipientAliases } = changes;
  if (name === undefined && email === undefined && !senderAliases && !recipientAliases) return;
  const user = await findUser(tx, id);
  if (user === undefined) return;
  await tx
    .updateTable('users')
    .set({ search_text: searchTextOf(user) })
    .where('id', '=', id)
    .execute();
}

/** False when the password was changed meanwhile. */
export async function replacePasswordHash(
  tx: Tx,
  id: string,
  { from, to }: { from: string; to: string },
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('users')
    .set({ password_hash: to, updated_at: now })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** After a sign-in or an action. */
export async function noteSeen(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('users').set({ last_seen_at: now }).where('id', '=', id).execute();
}

/** Removes all personal values and credentials. The row stays for the log, and so that the id is not reused. */
export async function markUserDeleted(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      state: 'deleted',
      email: '',
      name: '',
      sender_aliases: '[]',
      recipient_aliases: '[]',
      default_sender_alias: '',
      proven_addresses: '[]',
      search_text: '',
      password_hash: null,
      client_key_sealed: null,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute();
}

/** Members of a group who were not seen since an instant, or never and are older; longest first. */
export interface IdleIn {
  groupId: string;
  seenBefore: number;
}

const idleIn = (db: Query, { groupId, seenBefore }: IdleIn) =>
  withGroup(db)
    .where('users.group_id', '=', groupId)
    .where((eb) => eb(eb.fn.coalesce('users.last_seen_at', 'users.created_at'), '<', seenBefore));

export async function listIdleUsers(db: Query, { limit, ...idle }: IdleIn & { limit: number }): Promise<User[]> {
  const rows = await idleIn(db, idle)
    .orderBy((eb) => eb.fn.coalesce('users.last_seen_at', 'users.created_at'))
    .orderBy('users.id')
    .limit(limit)
    .execute();
  return rows.map(userOf);
}

/** Locks the row, so that the user cannot return before the transaction ends. */
export async function isStillIdle(tx: Tx, id: string, idle: IdleIn): Promise<boolean> {
  await lockUser(tx, id);
  return (await idleIn(tx, idle).where('users.id', '=', id).executeTakeFirst()) !== undefined;
}

export async function countUsers(db: Query): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const localAddress = prepared((db: Builder, param: Param<{ address: string }>) =>
  db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select('users.email')
    .where('users.email', '=', param('address'))
    .where('users.state', '=', 'active')
    .where('groups.is_local', '=', 1)
    .where(emailActs),
);
/** Up to this number, a prepared statement for each is faster than one for all. */
const fewAddresses = 4;

/** Which of these belong to active local users. */
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
    .where(emailActs)
    .execute();
  return new Set(rows.map((row) => row.email));
}

/** An active user of these groups with an address at this domain; the same one while members do not change. */
export async function findMemberAtDomain(db: Query, groupIds: string[], domain: string): Promise<User | undefined> {
  const pattern = `%@${escapeLike(domain)}`;
  const row = await withGroup(db)
    .where('users.group_id', 'in', groupIds)
    .where('users.state', '=', 'active')
    .where(sql<boolean>`users.email like ${pattern} escape '!'`)
    .where(emailActs)
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : userOf(row);
}
