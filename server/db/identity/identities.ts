// Identities: who an account is at a sign-in service.
import type { IdentitiesTable, Query, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

const identities = defineTable<IdentitiesTable>()(({ plain, mapped }) => ({
  ...plain('id', 'service', 'subject', 'user_id', 'way', 'created_at', 'last_used_at', 'disabled_at'),
  directoryGroups: mapped(
    'directory_groups',
    (stored): readonly string[] | null => (stored === null ? null : (JSON.parse(stored) as string[])),
    (value) => (value === null ? null : JSON.stringify(value)),
  ),
}));

export type LinkedIdentity = ValuesOf<typeof identities>;

export async function findIdentity(db: Query, service: string, subject: string): Promise<LinkedIdentity | undefined> {
  const row = await db
    .selectFrom('identities')
    .selectAll()
    .where('service', '=', service)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row && identities.read(row);
}

/** Oldest first. */
export async function listIdentitiesOf(db: Query, userId: string): Promise<LinkedIdentity[]> {
  const rows = await db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute();
  return identities.readAll(rows);
}

/** Throws a unique violation if the identity is linked already. */
export async function insertIdentity(tx: Tx, identity: LinkedIdentity): Promise<void> {
  await tx.insertInto('identities').values(identities.write(identity)).execute();
}

export async function noteIdentityUse(
  tx: Tx,
  id: string,
  use: { directoryGroups?: readonly string[]; now: number },
): Promise<void> {
  const groups = use.directoryGroups === undefined ? {} : { directory_groups: JSON.stringify(use.directoryGroups) };
  await tx
    .updateTable('identities')
    .set({ last_used_at: use.now, ...groups })
    .where('id', '=', id)
    .execute();
}

export async function noteDirectoryGroups(tx: Tx, id: string, groups: readonly string[]): Promise<void> {
  const directory_groups = JSON.stringify(groups);
  await tx.updateTable('identities').set({ directory_groups }).where('id', '=', id).execute();
}

export async function noteIdentityDisabled(tx: Tx, id: string, disabledAt: number | null): Promise<void> {
  await tx.updateTable('identities').set({ disabled_at: disabledAt }).where('id', '=', id).execute();
}

/** False if the account has no such identity. */
export async function deleteIdentity(tx: Tx, userId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

export async function deleteIdentitiesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
}

/** Active System Administrators who have signed in through one of the services. */
export async function countAdministratorsSignedIn(db: Query, services: readonly string[]): Promise<number> {
  if (services.length === 0) return 0;
  const row = await db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select((eb) => eb.fn.count<number>('users.id').distinct().as('count'))
    .where('identities.service', 'in', services)
    .where('identities.last_used_at', 'is not', null)
    .where('users.state', '=', 'active')
    .where('groups.role', '=', 'system_administrator')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
