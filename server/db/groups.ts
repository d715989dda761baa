// Queries on groups.
import type { Insertable, Updateable } from 'kysely';
import type { GroupsTable, Query, Tx } from './schema.ts';

export function listGroups(db: Query) {
  return db.selectFrom('groups').selectAll().orderBy('position').orderBy('id').execute();
}

export function findGroup(db: Query, id: string) {
  return db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Holds a group's row until the transaction ends: nobody joins it while it is deleted. */
export async function lockGroup(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('groups')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();
}

export async function insertGroup(tx: Tx, row: Insertable<GroupsTable>): Promise<void> {
  await tx.insertInto('groups').values(row).execute();
}

export async function updateGroup(tx: Tx, id: string, changes: Updateable<GroupsTable>): Promise<void> {
  await tx.updateTable('groups').set(changes).where('id', '=', id).execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

/** People who are not deleted; deleted ones keep their row for the log and are moved along. */
export async function countMembers(db: Query, groupId: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('group_id', '=', groupId)
    .where('state', '<>', 'deleted')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function moveDeletedMembers(tx: Tx, from: string, to: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ group_id: to })
    .where('group_id', '=', from)
    .where('state', '=', 'deleted')
    .execute();
}

export async function lastPosition(db: Query): Promise<number> {
  const row = await db
    .selectFrom('groups')
    .select((eb) => eb.fn.max('position').as('last'))
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
