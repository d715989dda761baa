// Queries on directory groups that a SCIM client manages.
import type { ScimMember } from '../../domain/scim.ts';
import type { Query, ScimGroupsTable, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';
import { foldName } from './scim-users.ts';

const scimGroups = defineTable<ScimGroupsTable>()(({ plain }) => ({
  ...plain('id', 'display_name', 'display_name_folded', 'external_id', 'version', 'created_at', 'updated_at'),
}));

export type ScimGroup = ValuesOf<typeof scimGroups>;

export async function findScimGroup(db: Query, id: string): Promise<ScimGroup | undefined> {
  const row = await db.selectFrom('scim_groups').selectAll().where('id', '=', id).executeTakeFirst();
  return row && scimGroups.read(row);
}

export async function isGroupNameTaken(db: Query, displayName: string, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('scim_groups')
    .select('id')
    .where('display_name_folded', '=', foldName(displayName))
    .where('id', '<>', except)
    .executeTakeFirst();
  return row !== undefined;
}

export interface ScimGroupQuery {
  displayName?: string | undefined;
  externalId?: string | undefined;
  id?: string | undefined;
}

/** In the order of ids, in pages. */
export async function* scanScimGroups(db: Query, query: ScimGroupQuery, pageSize = 200): AsyncGenerator<ScimGroup[]> {
  let after = '';
  for (;;) {
    let rows = db.selectFrom('scim_groups').selectAll().where('id', '>', after);
    if (query.id !== undefined) rows = rows.where('id', '=', query.id);
    if (query.displayName !== undefined) rows = rows.where('display_name_folded', '=', foldName(query.displayName));
    if (query.externalId !== undefined) rows = rows.where('external_id', '=', query.externalId);
    const page = scimGroups.readAll(await rows.orderBy('id').limit(pageSize).execute());
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)!.id;
  }
}

export async function insertScimGroup(tx: Tx, group: ScimGroup): Promise<void> {
  await tx.insertInto('scim_groups').values(scimGroups.write(group)).execute();
}

/** Locks the row until the transaction ends. */
export async function lockScimGroup(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('scim_groups')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('id', '=', id)
    .execute();
}

export async function updateScimGroup(tx: Tx, id: string, changes: Partial<ScimGroup>): Promise<void> {
  await tx.updateTable('scim_groups').set(scimGroups.changes(changes)).where('id', '=', id).execute();
}

export async function deleteScimGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('scim_members').where('group_id', '=', id).execute();
  await tx.deleteFrom('scim_members').where('member_kind', '=', 'Group').where('member_id', '=', id).execute();
  await tx.deleteFrom('scim_groups').where('id', '=', id).execute();
}

export async function listMembers(db: Query, groupId: string): Promise<ScimMember[]> {
  const rows = await db
    .selectFrom('scim_members')
    .select(['member_id as id', 'member_kind as kind'])
    .where('group_id', '=', groupId)
    .orderBy('member_kind')
    .orderBy('member_id')
    .execute();
  return rows;
}

const batchSize = 200;

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize);
}

export async function addMembers(tx: Tx, groupId: string, members: readonly ScimMember[]): Promise<void> {
  for (const batch of batches(members))
    await tx
      .insertInto('scim_members')
      .values(batch.map(({ id, kind }) => ({ group_id: groupId, member_id: id, member_kind: kind })))
      .onConflict((conflict) => conflict.columns(['group_id', 'member_kind', 'member_id']).doNothing())
      .execute();
}

export async function removeMembers(tx: Tx, groupId: string, members: readonly ScimMember[]): Promise<void> {
  for (const kind of ['User', 'Group'] as const) {
    const ids = members.filter((member) => member.kind === kind).map(({ id }) => id);
    for (const batch of batches(ids))
      await tx
        .deleteFrom('scim_members')
        .where('group_id', '=', groupId)
        .where('member_kind', '=', kind)
        .where('member_id', 'in', batch)
        .execute();
  }
}

/** Ids without a resource, of those given. */
export async function missingMembers(db: Query, members: readonly ScimMember[]): Promise<string[]> {
  const missing: string[] = [];
  for (const batch of batches(members)) {
    const ids = batch.map(({ id }) => id);
    const people = await db.selectFrom('scim_users').select('user_id as id').where('user_id', 'in', ids).execute();
    const groups = await db.selectFrom('scim_groups').select('id').where('id', 'in', ids).execute();
    const known = { User: new Set(people.map(({ id }) => id)), Group: new Set(groups.map(({ id }) => id)) };
    missing.push(...batch.filter(({ id, kind }) => !known[kind].has(id)).map(({ id }) => id));
  }
  return missing;
}

/** Groups by a member, directly. */
export async function listGroupsOfMembers(
  db: Query,
  kind: ScimMember['kind'],
  ids: readonly string[],
): Promise<{ memberId: string; id: string; displayName: string }[]> {
  const found: { memberId: string; id: string; displayName: string }[] = [];
  for (const batch of batches(ids))
    found.push(
      ...(await db
        .selectFrom('scim_members')
        .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
        .select(['scim_members.member_id as memberId', 'scim_groups.id', 'scim_groups.display_name as displayName'])
        .where('scim_members.member_kind', '=', kind)
        .where('scim_members.member_id', 'in', batch)
        .orderBy('scim_groups.id')
        .execute()),
    );
  return found;
}
