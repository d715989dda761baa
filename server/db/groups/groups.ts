// Queries on groups and their policies.
import type { Group } from '../../domain/groups.ts';
import { completePolicy, type Policy } from '../../domain/policy.ts';
import type { Flag } from '../flag.ts';
import type { GroupsTable, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export async function listGroups(db: Query): Promise<Group[]> {
  const rows = await db.selectFrom('groups').selectAll().orderBy('position').orderBy('id').execute();
  return rows.map(groupOf);
}

export async function findGroup(db: Query, id: string): Promise<Group | undefined> {
  const row = await db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : groupOf(row);
}

const groups = defineTable<GroupsTable>()(({ plain, flags, lists }) => ({
  ...plain('id', 'name', 'role', 'version', 'created_at', 'updated_at'),
  ...flags('is_local', 'is_shipped'),
  ...lists('domains', 'match_groups'),
}));

function groupOf(row: GroupsTable): Group {
  return { ...groups.read(row), policy: policyOf(row) };
}

// Each policy is parsed once, because parsing takes 18 µs: `GET /account` on PostgreSQL takes 979 µs of processor time
// with this cache and 1,170 to 1,260 without. The kind of group determines the defaults of a document.
const policies = { local: new Map<string, Policy>(), outside: new Map<string, Policy>() };
const maxPolicies = 200;

/** Returns the same object while document and kind of group are the same. */
export function policyOf({ policy: document, is_local }: { policy: string; is_local: Flag }): Policy {
  const isLocal = is_local === 1;
  const known = isLocal ? policies.local : policies.outside;
  const parsed = known.get(document);
  if (parsed !== undefined) return parsed;
  const policy = completePolicy(JSON.parse(document) as Partial<Policy>, isLocal);
  if (known.size >= maxPolicies) known.clear();
  known.set(document, policy);
  return policy;
}

/** Locks the row until the transaction ends, so that no user joins a group that is being deleted. */
export async function lockGroup(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('groups')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();
}

/** Adds a group at the end of the list. */
export async function insertGroup(tx: Tx, group: Group): Promise<void> {
  const { last } = await tx
    .selectFrom('groups')
    .select((eb) => eb.fn.max('position').as('last'))
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('groups')
    .values({ ...groups.write(group), policy: JSON.stringify(group.policy), position: Number(last ?? 0) + 1 })
    .execute();
}

export async function updateGroup(
  tx: Tx,
  {
    id,
    ...changes
  }: Pick<Group, 'id' | 'name' | 'isLocal' | 'role' | 'policy' | 'domains' | 'matchGroups' | 'version' | 'updatedAt'>,
): Promise<void> {
  await tx
    .updateTable('groups')
    .set({ ...groups.changes(changes), policy: JSON.stringify(changes.policy) })
    .where('id', '=', id)
    .execute();
}

export async function orderGroups(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const [position, id] of ids.entries())
    await tx.updateTable('groups').set({ position }).where('id', '=', id).execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

export function listMembersAfter(
  db: Query,
  groupId: string,
  afterId: string,
  limit: number,
): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('group_id', '=', groupId)
    .where('state', '<>', 'deleted')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Without deleted users, who keep their row for the log. */
export async function countMembersByGroup(db: Query): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('users')
    .select((eb) => ['group_id', eb.fn.countAll<number>().as('count')])
    .where('state', '<>', 'deleted')
    .groupBy('group_id')
    .execute();
  return new Map(rows.map((row) => [row.group_id, Number(row.count)]));
}

export async function moveDeletedMembers(tx: Tx, from: string, to: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ group_id: to })
    .where('group_id', '=', from)
    .where('state', '=', 'deleted')
    .execute();
}
