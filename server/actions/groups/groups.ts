// Reading groups (administrators) and changing what they decide (System Administrators).
import {
  countMembersByGroup,
  deleteGroup as deleteStored,
  findGroup,
  insertGroup,
  listGroups as listStored,
  lockGroup,
  moveDeletedMembers,
  updateGroup,
} from '../../db/groups.ts';
import type { Query } from '../../db/schema.ts';
import { demandAdministrator, demandSystemAdministrator, type UserCaller } from '../../domain/caller.ts';
import type { Group, Role } from '../../domain/groups.ts';
import { defaultPolicy, type Policy } from '../../domain/policy.ts';
import { changePolicy, settleExtensions } from '../../domain/policy-changes.ts';
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

/** A group as administrators see it. */
export interface ManagedGroup extends Group {
  memberCount: number;
}

export async function listGroups(ctx: Ctx, caller: UserCaller): Promise<ManagedGroup[]> {
  demandAdministrator(caller);
  const members = await countMembersByGroup(ctx.db.read);
  const groups = await listStored(ctx.db.read);
  return groups.map((group) => ({ ...group, memberCount: members.get(group.id) ?? 0 }));
}

export async function getGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<ManagedGroup> {
  demandAdministrator(caller);
  const group = await findKnown(ctx.db.read, id);
  const members = await countMembersByGroup(ctx.db.read);
  return { ...group, memberCount: members.get(id) ?? 0 };
}

export async function createGroup(ctx: Ctx, caller: UserCaller, input: GroupInput): Promise<ManagedGroup> {
  demandSystemAdministrator(caller);
  const name = readGroupName(input.name);
  const isLocal = input.isLocal ?? true;
  const role = input.role ?? 'user';
  const policy = settlePolicy(defaultPolicy(isLocal), input.policy, isLocal);
  demandLocalRights(role, isLocal);
  const id = await writeUnique(ctx, async (tx) => {
    const others = await listStored(tx);
    demandFreeName(others, name);
    const id = freeId(others, slugOf(name));
    const now = ctx.clock.now();
    await insertGroup(tx, { id, name, isLocal, role, policy, isShipped: false, createdAt: now, updatedAt: now });
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
export async function changeGroup(ctx: Ctx, caller: UserCaller, id: string, input: GroupInput): Promise<ManagedGroup> {
  demandSystemAdministrator(caller);
  const group = await findKnown(ctx.db.read, id);
  const name = input.name === undefined ? group.name : readGroupName(input.name);
  const isLocal = input.isLocal ?? group.isLocal;
  const role = input.role ?? group.role;
  demandLocalRights(role, isLocal);
  if (group.isShipped && (role !== group.role || isLocal !== group.isLocal)) {
    throw invalid(
      'group.shipped',
      "The kind and the rights of a shipped group can't be changed. Make a group of your own.",
    );
  }
  if (caller.groupId === id && role !== group.role)
    throw invalid('group.own', "You can't change the rights of your own group.");
  const policy = settlePolicy(group.policy, input.policy, isLocal);
  await ctx.db.write(async (tx) => {
    const others = (await listStored(tx)).filter((other) => other.id !== id);
    demandFreeName(others, name);
    await updateGroup(tx, { id, name, isLocal, role, policy, updatedAt: ctx.clock.now() });
    await record(ctx, tx, caller, {
      action: 'group.changed',
      object: { kind: 'group', id },
      ownerId: '',
      facts: differences(group.policy, policy),
    });
  });
  return getGroup(ctx, caller, id);
}

export async function deleteGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandSystemAdministrator(caller);
  if ((await findKnown(ctx.db.read, id)).isShipped) throw invalid('group.shipped', "A shipped group can't be deleted.");
  await ctx.db.write(async (tx) => {
    await lockGroup(tx, id);
    if ((await countMembersByGroup(tx)).has(id))
      throw invalid('group.has_members', 'Move its people to another group first.');
    await moveDeletedMembers(tx, id, 'external-users');
    await deleteStored(tx, id);
    await record(ctx, tx, caller, { action: 'group.deleted', object: { kind: 'group', id }, ownerId: '' });
  });
}

function demandLocalRights(role: Role, isLocal: boolean): void {
  if (role !== 'user' && !isLocal)
    throw invalid('group.outside_rights', 'A group of outside people can not have administrator rights.', 'role');
}

async function findKnown(db: Query, id: string): Promise<Group> {
  const group = await findGroup(db, id);
  if (group === undefined) throw notFound('group');
  return group;
}

function readGroupName(name: string | undefined): string {
  const trimmed = name?.trim().normalize('NFC') ?? '';
  if (trimmed === '' || trimmed.length > 100 || /[\u0000-\u001f\u007f]/.test(trimmed)) {
    throw invalid('group.bad_name', 'A group needs a name of at most 100 characters.', 'name');
  }
  return trimmed;
}

function demandFreeName(others: Group[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw invalid('group.name_taken', 'There is a group with this name already.', 'name');
}

/** Names in scripts without Latin letters, and names that differ in signs only, share a slug. */
function freeId(others: Group[], slug: string): string {
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
