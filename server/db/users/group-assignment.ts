// Whether an administrator assigned the group of an account; then no directory changes it.
import { toFlag } from '../flag.ts';
import type { Query, Tx } from '../schema/schema.ts';

const defaultGroups = ['local-users', 'external-users'];

export async function isGroupAssigned(db: Query, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select(['is_group_assigned', 'group_id'])
    .where('id', '=', userId)
    .executeTakeFirst();
  return row !== undefined && isAssigned(row);
}

/** Accounts that are older than the mark have one if their group is not a default. */
export function isAssigned(user: { is_group_assigned: number | null; group_id: string }): boolean {
  return user.is_group_assigned === null ? !defaultGroups.includes(user.group_id) : user.is_group_assigned === 1;
}

export async function setGroupAssigned(tx: Tx, userId: string, isAssigned: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({ is_group_assigned: toFlag(isAssigned) })
    .where('id', '=', userId)
    .execute();
}
