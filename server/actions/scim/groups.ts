// Directory groups that a SCIM client manages, and what they mean for the groups of their members.
import type { Tx } from '../../db/schema/schema.ts';
import {
  addMembers,
  deleteScimGroup,
  findScimGroup,
  insertScimGroup,
  isGroupNameTaken,
  listMembers,
  lockScimGroup,
  missingMembers,
  removeMembers,
  type ScimGroup,
  type ScimGroupQuery,
  scanScimGroups,
  updateScimGroup,
} from '../../db/scim/scim-groups.ts';
import { foldName } from '../../db/scim/scim-users.ts';
import type { ScimGroupInput, ScimMember } from '../../domain/scim.ts';
import { badScim, ScimFault } from '../../lib/scim/fault.ts';
import type { Ctx } from '../context.ts';
import { writeUnique } from '../unique.ts';
import type { Precondition } from './people.ts';
import { placeMembers } from './placing.ts';
import { recordScim, type ScimCaller } from './scim-identity.ts';

const noSuchGroup = () => new ScimFault(404, 'There is no such group.');

export type GroupResource = ScimGroup;

/** In pages. */
export async function* listGroupPages(ctx: Ctx, query: ScimGroupQuery): AsyncGenerator<GroupResource[]> {
  yield* scanScimGroups(ctx.db.read, query);
}

export function listGroupMembers(ctx: Ctx, id: string): Promise<ScimMember[]> {
  return listMembers(ctx.db.read, id);
}

export async function getGroup(ctx: Ctx, id: string): Promise<ScimGroup> {
  const group = await findScimGroup(ctx.db.read, id);
  if (group === undefined) throw noSuchGroup();
  return group;
}

async function assertPossible(tx: Tx, id: string, { displayName, members }: ScimGroupInput): Promise<void> {
  if (await isGroupNameTaken(tx, displayName, id))
    throw new ScimFault(409, 'There is a group with this displayName.', { type: 'uniqueness' });
  if (members.some((member) => member.kind === 'Group' && member.id === id))
    throw badScim('invalidValue', 'A group cannot be its own member.');
  const [missing] = await missingMembers(tx, members);
  if (missing !== undefined) throw badScim('invalidValue', `There is no user or group ${missing.slice(0, 100)}.`);
}

export async function createGroup(ctx: Ctx, caller: ScimCaller, input: ScimGroupInput): Promise<ScimGroup> {
  const id = ctx.random.id();
  const now = ctx.clock.now();
  await writeUnique(ctx, async (tx) => {
    const wanted = { ...input, members: await resolveKinds(tx, input.members) };
    await assertPossible(tx, id, wanted);
    const { displayName, externalId, members } = wanted;
    const displayNameFolded = foldName(displayName);
    const times = { version: 1, createdAt: now, updatedAt: now };
    await insertScimGroup(tx, { id, displayName, displayNameFolded, externalId, ...times });
    await addMembers(tx, id, members);
    await placeMembers(ctx, tx, caller, { groupId: id, names: [displayName], members });
    await recordScim(ctx, tx, caller, { change: 'group_created', name: displayName });
  });
  return getGroup(ctx, id);
}

/** Clients name members by id alone: a member that is no person is a group. */
async function resolveKinds(tx: Tx, members: readonly ScimMember[]): Promise<ScimMember[]> {
  const unique = [...new Map(members.map((member) => [member.id, member])).values()];
  const missing = new Set(await missingMembers(tx, unique));
  return unique.map((member) =>
    missing.has(member.id) ? { id: member.id, kind: member.kind === 'User' ? 'Group' : 'User' } : member,
  );
}

/** `change` gets the group as stored and returns what is wanted. */
export async function changeGroup(
  ctx: Ctx,
  caller: ScimCaller,
  id: string,
  { change, assertVersion }: { change: (before: ScimGroupInput) => ScimGroupInput; assertVersion: Precondition },
): Promise<ScimGroup> {
  await writeUnique(ctx, async (tx) => {
    await lockScimGroup(tx, id);
    const group = await findScimGroup(tx, id);
    if (group === undefined) throw noSuchGroup();
    assertVersion(group.version);
    const before = await listMembers(tx, id);
    const input = change({ displayName: group.displayName, externalId: group.externalId, members: before });
    const wanted = { ...input, members: await resolveKinds(tx, input.members) };
    await assertPossible(tx, id, wanted);
    const { displayName, externalId, members } = wanted;
    const added = without(members, before);
    const removed = without(before, members);
    await addMembers(tx, id, added);
    await removeMembers(tx, id, removed);
    const changes = { displayName, displayNameFolded: foldName(displayName), externalId };
    await updateScimGroup(tx, id, { ...changes, version: group.version + 1, updatedAt: ctx.clock.now() });
    const isRenamed = displayName !== group.displayName;
    const affected = isRenamed ? [...members, ...removed] : [...added, ...removed];
    const names = isRenamed ? [displayName, group.displayName] : [displayName];
    await placeMembers(ctx, tx, caller, { groupId: id, names, members: affected });
    await recordScim(ctx, tx, caller, { change: 'group_changed', name: displayName });
  });
  return getGroup(ctx, id);
}

function without(members: readonly ScimMember[], others: readonly ScimMember[]): ScimMember[] {
  const ids = new Set(others.map(({ id }) => id));
  return members.filter(({ id }) => !ids.has(id));
}

export async function removeGroup(
  ctx: Ctx,
  caller: ScimCaller,
  id: string,
  { assertVersion }: { assertVersion: Precondition },
): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockScimGroup(tx, id);
    const group = await findScimGroup(tx, id);
    if (group === undefined) throw noSuchGroup();
    assertVersion(group.version);
    const members = await listMembers(tx, id);
    const names = [group.displayName];
    await placeMembers(ctx, tx, caller, { groupId: id, names, members, before: () => deleteScimGroup(tx, id) });
    await recordScim(ctx, tx, caller, { change: 'group_deleted', name: group.displayName });
  });
}
