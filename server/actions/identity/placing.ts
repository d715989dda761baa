// Moves people into the groups that their directory groups give them.
import { listGroups, lockGroup } from '../../db/groups/groups.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { isGroupAssigned } from '../../db/users/group-assignment.ts';
import {
  countSystemAdministrators,
  findUser,
  lockSystemAdministrators,
  lockUser,
  updateUser,
} from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { groupFor } from '../../domain/directory-groups.ts';
import { isRaised, isSystemAdministrator } from '../../domain/roles.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import type { User } from '../../domain/users.ts';
import { renewAllKeys } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export type Placing = Pick<SignInService, 'id' | 'defaultGroupId'>;

/** The group a person would get. */
export async function decideGroup(
  db: Query,
  service: Placing,
  person: { address: string; directoryGroups: readonly string[] },
) {
  const groups = await listGroups(db);
  const { groupId, rule } = groupFor(groups, service, person);
  return { group: groups.find(({ id }) => id === groupId)!, rule };
}

/**
 * Groups that are absent (null) and a group assigned by an administrator change nothing. A change ends all sessions; a
 * rise in rank also renews the keys. The last System Administrator stays.
 */
export async function placeByDirectory(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { service, userId, directoryGroups }: { service: Placing; userId: string; directoryGroups: readonly string[] | null },
): Promise<boolean> {
  if (directoryGroups === null) return false;
  await lockUser(tx, userId);
  const user = await findUser(tx, userId);
  if (user === undefined || (await isGroupAssigned(tx, userId))) return false;
  const { group, rule } = await decideGroup(tx, service, { address: user.email, directoryGroups });
  if (group.id === user.groupId) return false;
  await lockGroup(tx, group.id);
  if (!isSystemAdministrator(group) && (await isLastAdministrator(tx, user))) return false;
  await updateUser(tx, user.id, { groupId: group.id }, ctx.clock.now());
  await deleteSessionsOf(tx, user.id);
  await record(ctx, tx, caller, {
    action: 'user.group_mapped',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: { service: service.id, from: user.groupId, to: group.id, rule },
  });
  if (isRaised(user, group)) await renewAllKeys(ctx, tx, caller, { ...user, policy: group.policy });
  return true;
}

export async function isLastAdministrator(tx: Tx, user: User): Promise<boolean> {
  if (!isSystemAdministrator(user) || user.state !== 'active') return false;
  await lockSystemAdministrators(tx);
  return (await countSystemAdministrators(tx)) <= 1;
}
