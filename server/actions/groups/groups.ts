// Groups: read by administrators, changed by System Administrators.

import {
  countMembersByGroup,
  deleteGroup as deleteStored,
  findGroup,
  insertGroup,
  listMembersAfter,
  listGroups as listStored,
  lockGroup,
  moveDeletedMembers,
  updateGroup,
} from '../../db/groups/groups.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { countSystemAdministrators, lockSystemAdministrators } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Group } from '../../domain/groups.ts';
import { requireVisible } from '../../domain/names.ts';
import { assertInside } from '../../domain/networks.ts';
import { defaultPolicy } from '../../domain/policy.ts';
import { readDomains } from '../../domain/policy-changes.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import {
  isRaised,
  isSystemAdministrator,
  type Role,
  type RoleInput,
  requireRight,
  resolveRole,
} from '../../domain/roles.ts';
import { slugOf } from '../../domain/users.ts';
import { renewAllKeys } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { writeUnique } from '../unique.ts';
import { changesSince } from './changes-since.ts';
import { differences, resolvePolicy } from './policies.ts';

export interface GroupInput {
  name?: string | undefined;
  isLocal?: boolean | undefined;
  rights: RoleInput;
  /** Domains that belong to the group, unparsed. */
  domains?: unknown;
  /** Directory groups that belong to the group, unparsed. */
  matchGroups?: unknown;
  /** The version on which the change is based; without one the last save wins. */
  version?: number | undefined;
  /** Settings by wire name. */
  policy: Record<string, unknown>;
}

export interface ManagedGroup extends Group {
  memberCount: number;
}

export async function listGroups(ctx: Ctx, caller: UserCaller): Promise<ManagedGroup[]> {
  requireRight(caller, 'console.read');
  const members = await countMembersByGroup(ctx.db.read);
  const groups = await listStored(ctx.db.read);
  return groups.map((group) => ({ ...group, memberCount: members.get(group.id) ?? 0 }));
}

export async function getGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<ManagedGroup> {
  requireRight(caller, 'console.read');
  const group = await findKnown(ctx.db.read, id);
  const members = await countMembersByGroup(ctx.db.read);
  return { ...group, memberCount: members.get(id) ?? 0 };
}

export async function createGroup(ctx: Ctx, caller: UserCaller, input: GroupInput): Promise<ManagedGroup> {
  requireRight(caller, 'system.change');
  const name = readGroupName(input.name);
  const isLocal = input.isLocal ?? true;
  const role = readRole('user', input.rights);
  const policy = resolvePolicy(defaultPolicy(isLocal), input.policy, isLocal);
  const domains = readGroupDomains(input.domains, []);
  const matchGroups = readMatchGroups(input.matchGroups, []);
  assertLocalRights(role, isLocal);
  const id = await writeUnique(ctx, async (tx) => {
    const others = await listStored(tx);
    assertFreeName(others, name);
    const id = freeId(others, slugOf(name));
    const now = ctx.clock.now();
    const created = { version: 1, isShipped: false, createdAt: now, updatedAt: now };
    await insertGroup(tx, { id, name, isLocal, role, policy, domains, matchGroups, ...created });
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

/** Fields that are left out do not change. Applies to the members' next request. */
export async function changeGroup(ctx: Ctx, caller: UserCaller, id: string, input: GroupInput): Promise<ManagedGroup> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    // The lock keeps new members out until the commit.
    await lockGroup(tx, id);
    const group = await findKnown(tx, id);
    if (input.version !== undefined && input.version !== group.version) throw await conflictOf(tx, id, input.version);
    const changed = resolveChange(caller, group, input);
    const others = (await listStored(tx)).filter((other) => other.id !== id);
    assertFreeName(others, changed.name);
    const changes = {
      ...differences(identityOf(group), identityOf(changed)),
      ...differences(group.policy, changed.policy),
    };
    const isDifferent = Object.keys(changes).length > 0;
    const version = group.version + (isDifferent ? 1 : 0);
    await updateGroup(tx, { ...changed, version, updatedAt: ctx.clock.now() });
    const hasNewRights = group.role !== changed.role || group.isLocal !== changed.isLocal;
    if (hasNewRights) await protectLastAdministrators(tx, group, changed);
    if (hasNewRights) await renewMembers(ctx, tx, caller, { before: group, after: changed });
    await record(ctx, tx, caller, {
      action: 'group.changed',
      object: { kind: 'group', id },
      ownerId: '',
      facts: isDifferent ? { version: { from: group.version, to: version }, ...changes } : {},
    });
  });
  return getGroup(ctx, caller, id);
}

function resolveChange(caller: UserCaller, group: Group, input: GroupInput): Group {
  const name = input.name === undefined ? group.name : readGroupName(input.name);
  const isLocal = input.isLocal ?? group.isLocal;
  const role = readRole(group.role, input.rights);
  assertLocalRights(role, isLocal);
  if (group.isShipped && (role !== group.role || isLocal !== group.isLocal)) {
    throw invalid(
      'group.shipped',
      'The kind and the rights of a built-in group can’t be changed. Create a group of your own.',
    );
  }
  if (caller.groupId === group.id && role !== group.role)
    throw invalid('group.own', 'You can’t change the rights of your own group.');
  const domains = readGroupDomains(input.domains, group.domains);
  const matchGroups = readMatchGroups(input.matchGroups, group.matchGroups);
  const policy = resolvePolicy(group.policy, input.policy, isLocal);
  if (caller.groupId === group.id) assertInside(policy.allowed_networks, caller.from.address, 'allowed_networks');
  return { ...group, name, isLocal, role, domains, matchGroups, policy };
}

const memberBatchSize = 200;

/** As when a user moves to a group: ends all sessions, and all keys if rights were added. */
async function renewMembers(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { before, after }: { before: Group; after: Group },
): Promise<void> {
  let last = '';
  for (;;) {
    const members = await listMembersAfter(tx, after.id, last, memberBatchSize);
    for (const member of members) {
      await deleteSessionsOf(tx, member.id);
      if (isRaised(before, after)) await renewAllKeys(ctx, tx, caller, { ...member, policy: after.policy });
    }
    if (members.length < memberBatchSize) return;
    last = members.at(-1)!.id;
  }
}

/** Two concurrent changes must not remove the last System Administrators. */
async function protectLastAdministrators(tx: Tx, before: Group, after: Group): Promise<void> {
  if (!isSystemAdministrator(before) || isSystemAdministrator(after)) return;
  await lockSystemAdministrators(tx);
  if ((await countSystemAdministrators(tx, { outside: before.id })) === 0)
    throw invalid('user.last_administrator', 'This is the last System Administrator. Appoint another one first.');
}

async function conflictOf(tx: Tx, id: string, version: number): Promise<Problem> {
  return new Problem(
    'conflict',
    'group.changed_meanwhile',
    'Someone else has changed this group since you opened it. Look at what is different, then save again.',
    { conflictingChanges: await changesSince(tx, id, version) },
  );
}

function readGroupDomains(value: unknown, present: readonly string[]): readonly string[] {
  if (value === undefined || value === null) return present;
  const read = readDomains('match_domains', value);
  if (read.refusal !== null) throw invalid('group.bad_setting', read.refusal, 'match_domains');
  return read.value as string[];
}

/** A list, or a text with one name a line: DNs contain commas. */
function readMatchGroups(value: unknown, present: readonly string[]): readonly string[] {
  if (value === undefined || value === null) return present;
  const list: unknown[] = Array.isArray(value) ? value : String(value).split('\n');
  const names = [...new Set(list.map((name) => String(name).trim().normalize('NFC')).filter((name) => name !== ''))];
  if (names.length > 100 || names.some((name) => name.length > 400 || /[\u0000-\u001f\u007f]/.test(name)))
    throw invalid(
      'group.bad_setting',
      'match_groups must be at most 100 names of directory groups, each of at most 400 characters.',
      'match_groups',
    );
  return names;
}

function readRole(present: Role, input: RoleInput): Role {
  const role = resolveRole(present, input);
  if (role === null)
    throw invalid('group.contradiction', 'role and the flags is_admin, is_sysadmin say different things.', 'role');
  return role;
}

function identityOf({ name, role, isLocal, domains, matchGroups }: Group): Record<string, unknown> {
  return { name, role, is_local: isLocal, match_domains: domains, match_groups: matchGroups };
}

export async function deleteGroup(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  if ((await findKnown(ctx.db.read, id)).isShipped)
    throw invalid('group.shipped', 'A built-in group can’t be deleted.');
  await ctx.db.write(async (tx) => {
    await lockGroup(tx, id);
    if ((await countMembersByGroup(tx)).has(id))
      throw invalid('group.has_members', 'Move its people to another group first.');
    await moveDeletedMembers(tx, id, 'external-users');
    await deleteStored(tx, id);
    await record(ctx, tx, caller, { action: 'group.deleted', object: { kind: 'group', id }, ownerId: '' });
  });
}

function assertLocalRights(role: Role, isLocal: boolean): void {
  if (role !== 'user' && !isLocal)
    throw invalid('group.outside_rights', 'A group of outside people cannot have administrator rights.', 'role');
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
  return requireVisible(trimmed, 'name');
}

function assertFreeName(others: Group[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw invalid('group.name_taken', 'There is a group with this name already.', 'name');
}

/** Names that differ only in signs or non-Latin letters share a slug. */
function freeId(others: Group[], slug: string): string {
  // `/groups/which` is an endpoint.
  const taken = new Set(['which', ...others.map((other) => other.id)]);
  let id = slug;
  for (let suffix = 2; taken.has(id); suffix++) id = `${slug}-${suffix}`;
  return id;
}
