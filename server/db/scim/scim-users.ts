// Queries on people whom a SCIM client manages.
import type { Query, ScimUsersTable, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

const scimUsers = defineTable<ScimUsersTable>()(({ plain, mapped }) => ({
  ...plain('user_id', 'identity_id', 'user_name', 'user_name_folded', 'external_id', 'version', 'created_at'),
  ...plain('updated_at', 'moved_at'),
  attributes: mapped(
    'attributes',
    (stored): Record<string, unknown> => JSON.parse(stored),
    (value) => JSON.stringify(value),
  ),
}));

type ScimUserRow = ValuesOf<typeof scimUsers>;
export type ScimUser = ScimUserRow & { isActive: boolean };

const withState = (db: Query) =>
  db
    .selectFrom('scim_users')
    .innerJoin('users', 'users.id', 'scim_users.user_id')
    .selectAll('scim_users')
    .select('users.state')
    .where('users.state', '<>', 'deleted');

type Row = Awaited<ReturnType<ReturnType<typeof withState>['execute']>>[number];

const scimUserOf = ({ state, ...row }: Row): ScimUser => ({ ...scimUsers.read(row), isActive: state === 'active' });

export async function findScimUser(db: Query, userId: string): Promise<ScimUser | undefined> {
  const row = await withState(db).where('scim_users.user_id', '=', userId).executeTakeFirst();
  return row && scimUserOf(row);
}

export const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

export async function isScimNameTaken(db: Query, userName: string, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_users')
    .select('user_id')
    .where('user_name_folded', '=', foldName(userName))
    .where('user_id', '<>', except)
    .executeTakeFirst();
  return row !== undefined;
}

export interface ScimUserQuery {
  userName?: string | undefined;
  externalId?: string | undefined;
  id?: string | undefined;
}

/** In the order of ids, in pages. */
export async function* scanScimUsers(db: Query, query: ScimUserQuery, pageSize = 200): AsyncGenerator<ScimUser[]> {
  let after = '';
  for (;;) {
    let rows = withState(db).where('scim_users.user_id', '>', after);
    if (query.id !== undefined) rows = rows.where('scim_users.user_id', '=', query.id);
    if (query.userName !== undefined) rows = rows.where('user_name_folded', '=', foldName(query.userName));
    if (query.externalId !== undefined) rows = rows.where('external_id', '=', query.externalId);
    const page = (await rows.orderBy('scim_users.user_id').limit(pageSize).execute()).map(scimUserOf);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)!.userId;
  }
}

export async function insertScimUser(tx: Tx, row: ScimUserRow): Promise<void> {
  await tx.insertInto('scim_users').values(scimUsers.write(row)).execute();
}

/** Locks the row until the transaction ends. */
export async function lockScimUser(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('scim_users')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('user_id', '=', userId)
    .execute();
}

export async function updateScimUser(tx: Tx, userId: string, changes: Partial<ScimUserRow>): Promise<void> {
  await tx.updateTable('scim_users').set(scimUsers.changes(changes)).where('user_id', '=', userId).execute();
}

export async function deleteScimUser(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('scim_members').where('member_kind', '=', 'User').where('member_id', '=', userId).execute();
  await tx.deleteFrom('scim_users').where('user_id', '=', userId).execute();
}

export async function countScimUsers(db: Query): Promise<number> {
  const row = await db
    .selectFrom('scim_users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** People whom SCIM disabled or moved since a time. */
export async function countScimLosses(db: Query, service: string, since: number): Promise<number> {
  const disabled = await db
    .selectFrom('identities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('service', '=', service)
    .where('disabled_at', '>', since)
    .executeTakeFirstOrThrow();
  const moved = await db
    .selectFrom('scim_users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('moved_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(disabled.count) + Number(moved.count);
}
