// Which people an administrator may see, change, and assign to groups.

import { findGroup, listGroups, lockGroup } from '../../db/groups/groups.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import {
  countSystemAdministrators,
  findUser,
  findUserByEmail,
  lockSystemAdministrators,
  lockUser,
} from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type Group, groupClaiming } from '../../domain/groups.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import {
  isAdministrator,
  isSystemAdministrator,
  mayAddTo,
  mayManage,
  type Role,
  requireRight,
} from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import type { UserInput } from './input.ts';

export function isVisible(caller: UserCaller, user: User): boolean {
  return user.id === caller.userId || mayManage(caller, user);
}

/** By id or address. A person outside the caller's reach is not found. */
export async function findVisible(db: Query, caller: UserCaller, id: string): Promise<User> {
  const user = await findPerson(db, id);
  if (user === undefined || !isVisible(caller, user)) throw notFound('user');
  return user;
}

/** Ignores the caller's reach. */
export function findPerson(db: Query, id: string): Promise<User | undefined> {
  const address = parseAddress(id, { allowSingleLabel: true });
  return address === null ? findUser(db, id) : findUserByEmail(db, address.address);
}

/** Locks the row first, so that the person's rank cannot change. */
export async function holdVisible(tx: Tx, caller: UserCaller, id: string): Promise<User> {
  await lockUser(tx, id);
  return findVisible(tx, caller, id);
}

/** The last System Administrator and the caller keep their rights. */
export async function protectLastAdministrator(
  tx: Tx,
  caller: UserCaller,
  user: User,
  after: { role: Role; isDisabled: boolean },
): Promise<void> {
  const losesRights = after.isDisabled || after.role !== user.role;
  if (!losesRights) return;
  if (user.id === caller.userId)
    throw invalid('user.self', 'You can’t switch off, delete or move your own account. Ask another administrator.');
  if (!isSystemAdministrator(user) || user.state !== 'active') return;
  await lockSystemAdministrators(tx);
  if ((await countSystemAdministrators(tx)) <= 1)
    throw invalid('user.last_administrator', 'This is the last System Administrator. Appoint another one first.');
}

/** Members of groups that may invite can only send an invitation. */
export function assertMayAdd(caller: UserCaller, input: UserInput): void {
  const { email: _, name: __, groupId: ___, reason: ____, isInvited, ...more } = input;
  const isInvitationAlone = isInvited === true && Object.values(more).every((value) => value === undefined);
  requireRight(caller, isInvitationAlone ? 'people.add' : 'people.manage');
}

/** Exact under concurrency; administrators are not limited. */
export async function requireInvitationAllowance(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<void> {
  if (isAdministrator(caller)) return;
  const attempt = await takeAttemptIn(ctx, tx, ['invitations'], { account: caller.userId });
  if (attempt.isAllowed) return;
  const { most } = attemptLimits.invitations;
  throw new Problem('rate_limited', 'user.invitation_limit', `You can invite ${most} people an hour.`, {
    retryAfterSeconds: Math.ceil(attempt.waitMs / 1000),
  }).withValues({ n: most });
}

/** The first reachable group that claims the domain of the address. */
export async function defaultGroup(
  db: Query,
  caller: UserCaller,
  email: string,
): Promise<{ groupId: string; rule: 'domain' | 'default' }> {
  const reachable = (await listGroups(db)).filter((group) => mayAddTo(caller, group));
  const claiming = groupClaiming(reachable, email);
  if (claiming !== undefined) return { groupId: claiming.id, rule: 'domain' };
  return { groupId: isAdministrator(caller) ? 'local-users' : 'external-users', rule: 'default' };
}

export async function requireGroup(tx: Tx, caller: UserCaller, groupId: string): Promise<Group> {
  await lockGroup(tx, groupId);
  const group = await findGroup(tx, groupId);
  if (group === undefined) throw invalid('user.unknown_group', 'There is no such group.', 'group');
  if (!mayAddTo(caller, group))
    throw new Problem('forbidden', 'user.group_not_permitted', 'You can’t put people into this group.');
  return group;
}
