// Moves the members of a SCIM group into the groups that their directory groups give them.

import { listGroups } from '../../db/groups/groups.ts';
import { findIdentity, noteIdentityUse } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { listGroupsOfMembers, listMembers } from '../../db/scim/scim-groups.ts';
import { updateScimUser } from '../../db/scim/scim-users.ts';
import { foldDirectoryName } from '../../domain/directory-groups.ts';
import type { ScimMember } from '../../domain/scim.ts';
import type { Ctx } from '../context.ts';
import { placeByDirectory } from '../identity/placing.ts';
import { assertFewLosses } from './brake.ts';
import { findScimService, type ScimCaller, scimIdentity } from './scim-identity.ts';

/** Levels of nested groups. */
const maxLevels = 10;

interface Affected {
  groupId: string;
  /** Of the group, now and before. */
  names: readonly string[];
  members: readonly ScimMember[];
  /** Runs once the groups above are known. */
  before?: () => Promise<void>;
}

/** Groups that no group of Waybill names move nobody. */
export async function placeMembers(ctx: Ctx, tx: Tx, caller: ScimCaller, affected: Affected): Promise<void> {
  const { groupId, names, members, before } = affected;
  const above = await groupsAbove(tx, 'Group', [groupId]);
  await before?.();
  const known = new Set((await listGroups(tx)).flatMap(({ matchGroups }) => matchGroups.map(foldDirectoryName)));
  const matters = [...names, ...above.values()].some((name) => known.has(foldDirectoryName(name)));
  if (!matters) return;
  const { service } = await findScimService(ctx);
  const placing = { id: scimIdentity, defaultGroupId: service?.defaultGroupId ?? '' };
  let losses = 0;
  for (const userId of await peopleIn(tx, members)) {
    const groups = [...(await groupsAbove(tx, 'User', [userId])).values()];
    const hadMatch = await hadGroups(tx, userId, known);
    const use = { now: ctx.clock.now(), directoryGroups: groups };
    const identity = await findIdentity(tx, scimIdentity, userId);
    if (identity !== undefined) await noteIdentityUse(tx, identity.id, use);
    const isMoved = await placeByDirectory(ctx, tx, caller, { service: placing, userId, directoryGroups: groups });
    // Somebody's first group is no loss.
    if (isMoved && hadMatch) losses += 1;
    if (isMoved && hadMatch) await updateScimUser(tx, userId, { movedAt: ctx.clock.now() });
  }
  // The people of this call are among those that are counted.
  if (losses > 0) await assertFewLosses(ctx, tx, 0);
}

async function hadGroups(tx: Tx, userId: string, known: ReadonlySet<string>): Promise<boolean> {
  const groups = (await findIdentity(tx, scimIdentity, userId))?.directoryGroups ?? [];
  return groups.some((name) => known.has(foldDirectoryName(name)));
}

/** Names by id, with the groups that contain them. */
async function groupsAbove(tx: Tx, kind: ScimMember['kind'], ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let level = await listGroupsOfMembers(tx, kind, ids);
  for (let depth = 0; depth < maxLevels && level.length > 0; depth++) {
    const added = level.filter(({ id }) => !found.has(id));
    for (const { id, displayName } of added) found.set(id, displayName);
    level = await listGroupsOfMembers(
      tx,
      'Group',
      added.map(({ id }) => id),
    );
  }
  return found;
}

/** Also members of the groups inside. */
async function peopleIn(tx: Tx, members: readonly ScimMember[]): Promise<Set<string>> {
  const people = new Set<string>();
  const seen = new Set<string>();
  let level = members;
  for (let depth = 0; depth <= maxLevels && level.length > 0; depth++) {
    const inner: ScimMember[] = [];
    for (const { id, kind } of level) {
      if (kind === 'User') people.add(id);
      else if (!seen.has(id)) inner.push(...(await listMembers(tx, id)));
      seen.add(id);
    }
    level = inner;
  }
  return people;
}
