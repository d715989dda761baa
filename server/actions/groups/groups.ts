// Reading groups (administrators) and changing what they decide (System Administrators).
import {
  countMembers,
  deleteGroup,
  findGroup,
  insertGroup,
  lastPosition,
  listGroups,
  lockGroup,
  moveDeletedMembers,
  updateGroup,
} from '../../db/groups.ts';
import type { GroupsTable } from '../../db/schema.ts';
import { demandAdministrator, demandSystemAdministrator, type Role, type UserCaller } from '../../domain/caller.ts';
import type { Group } from '../../domain/groups.ts';
import { changePolicy, defaultPolicy, type Policy, readPolicy, settleExtensions } from '../../domain/policy.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { slugOf } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { writeUnique } from '../unique.ts';

export interface GroupInput {
  name?: string | undefined;
  isLocal?: boolean | undefined;
  role?: Role | undefined;
  /** Settings by their wire names. */
  policy: Record<string, unknown>;
}

export async function listAllGroups(ctx: Ctx, caller: UserCaller): Promise<Group[]> {
  demandAdministrator(caller);
  return Promise.all((await listGroups(ctx.db.read)).map((row) => describeGroup(ctx, row)));
}

export async function getGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<Group> {
  demandAdministrator(caller);
  return describeGroup(ctx, await findKnown(ctx, id));
}

export async function createGroup(ctx: Ctx, caller: UserCaller, input: GroupInput): Promise<Group> {
  demandSystemAdministrator(caller);
  const name = readGroupName(input.name);
  const isLocal = input.isLocal ?? true;
  const policy = settlePolicy(defaultPolicy(isLocal), input.policy, isLocal);
  demandLocalRights(input.role ?? 'user', isLocal);
  const id = await writeUnique(ctx, async (tx) => {
    const others = await listGroups(tx);
    demandFreeName(others, name);
    const id = freeId(others, slugOf(name));
    const now = ctx.clock.now();
    await insertGroup(tx, {
      id,
      name,
      is_local: isLocal ? 1 : 0,
      role: input.role ?? 'user',
      policy: JSON.stringify(policy),
      position: (await lastPosition(tx)) + 1,
      is_shipped: 0,
      created_at: now,
      updated_at: now,
    });
    await record(ctx, tx, caller, {
      action: 'group.created',
      object: { kind: 'group', id },
      ownerId: '',
      facts: { ...input.policy },
    });
    return id;
  });
  return getGroup(ctx, caller, id);
}

/** Changes what is given. The next request of every member sees it (invariant I17). */
export async function changeGroup(ctx: Ctx, caller: UserCaller, id: string, input: GroupInput): Promise<Group> {
  demandSystemAdministrator(caller);
  const row = await findKnown(ctx, id);
  const name = input.name === undefined ? row.name : readGroupName(input.name);
  const isLocal = input.isLocal ?? row.is_local === 1;
  const role = input.role ?? (row.role as Role);
  demandLocalRights(role, isLocal);
  if (row.is_shipped === 1 && (role !== row.role || isLocal !== (row.is_local === 1))) {
    throw invalid(
      'group.shipped',
      "The kind and the rights of a shipped group can't be changed. Make a group of your own.",
    );
  }
  if (caller.groupId === id && role !== row.role)
    throw invalid('group.own', "You can't change the rights of your own group.");
  const policy = settlePolicy(readPolicy(row.policy, isLocal), input.policy, isLocal);
  await ctx.db.write(async (tx) => {
    demandFreeName(
      (await listGroups(tx)).filter((other) => other.id !== id),
      name,
    );
    const changes = {
      name,
      is_local: isLocal ? (1 as const) : (0 as const),
      role,
      policy: JSON.stringify(policy),
      updated_at: ctx.clock.now(),
    };
    await updateGroup(tx, id, changes);
    await record(ctx, tx, caller, {
      action: 'group.changed',
      object: { kind: 'group', id },
      ownerId: '',
      facts: differences(readPolicy(row.policy, isLocal), policy),
    });
  });
  return getGroup(ctx, caller, id);
}

export async function removeGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandSystemAdministrator(caller);
  const row = await findKnown(ctx, id);
  if (row.is_shipped === 1) throw invalid('group.shipped', "A shipped group can't be deleted.");
  await ctx.db.write(async (tx) => {
    await lockGroup(tx, id);
    if ((await countMembers(tx, id)) > 0) throw invalid('group.has_members', 'Move its people to another group first.');
    await moveDeletedMembers(tx, id, 'external-users');
    await deleteGroup(tx, id);
    await record(ctx, tx, caller, { action: 'group.deleted', object: { kind: 'group', id }, ownerId: '' });
  });
}

function demandLocalRights(role: Role, isLocal: boolean): void {
  if (role !== 'user' && !isLocal)
    throw invalid('group.outside_rights', 'A group of outside people can not have administrator rights.', 'role');
}

async function findKnown(ctx: Ctx, id: string): Promise<GroupsTable> {
  const row = await findGroup(ctx.db.read, id);
  if (row === undefined) throw notFound('group');
  return row;
}

function readGroupName(name: string | undefined): string {
  const trimmed = name?.trim().normalize('NFC') ?? '';
  if (trimmed === '' || trimmed.length > 100 || /[\u0000-\u001f\u007f]/.test(trimmed)) {
    throw invalid('group.bad_name', 'A group needs a name of at most 100 characters.', 'name');
  }
  return trimmed;
}

function demandFreeName(others: GroupsTable[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw invalid('group.name_taken', 'There is a group with this name already.', 'name');
}

/** Names in scripts without Latin letters, and names that differ in signs only, share a slug. */
function freeId(others: GroupsTable[], slug: string): string {
  const taken = new Set(others.map((other) => other.id));
  let id = slug;
  for (let suffix = 2; taken.has(id); suffix++) id = `${slug}-${suffix}`;
  return id;
}

function settlePolicy(base: Policy, changes: Record<string, unknown>, isLocal: boolean): Policy {
  const { policy, refusals } = changePolicy(base, settleExtensions(changes), isLocal);
  const [first, ...others] = refusals;
  if (first === undefined) return policy;
  throw new Problem('invalid', first.code, first.message, {
    ...(first.field === undefined ? {} : { field: first.field }),
    others: others.map((other) => other.message),
  });
}

function differences(before: Policy, after: Policy): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(after)) {
    const old = before[key as keyof Policy];
    if (JSON.stringify(old) !== JSON.stringify(value)) changed[key] = { from: old, to: value };
  }
  return changed;
}

async function describeGroup(ctx: Ctx, row: GroupsTable): Promise<Group> {
  return {
    id: row.id,
    name: row.name,
    isLocal: row.is_local === 1,
    role: row.role as Role,
    policy: readPolicy(row.policy, row.is_local === 1),
    isShipped: row.is_shipped === 1,
    memberCount: await countMembers(ctx.db.read, row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
