// Explains the policy to administrators.
import { findGroup } from '../../db/groups/groups.ts';
import { findUserByEmail } from '../../db/users/users.ts';
import { switchedOff, type UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { readEmail } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import type { Verdict } from '../rules.ts';
import { callerOf } from '../sessions/identities.ts';
import { defaultGroup, findVisible, isVisible } from '../users/rights.ts';
import { dryRunMessage, type PlannedMessage } from './dry-runs.ts';

/** The user must be within the caller's reach. */
export async function explainMessage(
  ctx: Ctx,
  caller: UserCaller,
  userId: string,
  input: PlannedMessage,
): Promise<Verdict[]> {
  requireRight(caller, 'people.manage');
  const user = await findVisible(ctx.db.read, caller, userId);
  const verdicts = await dryRunMessage(ctx, callerOf(user, caller.from), input);
  return user.state === 'active' ? verdicts : [turnedAway(), ...verdicts];
}

function turnedAway(): Verdict {
  const { code, message } = switchedOff();
  return { code, source: 'installation', isAllowed: false, sentence: message };
}

export interface GroupOfAddress {
  email: string;
  group: { id: string; name: string };
  /**
   * `account`: a user of the group has the address. `domain`: the group claims the domain. `default`: no group does.
   */
  rule: 'account' | 'domain' | 'default';
}

export async function findGroupOfAddress(ctx: Ctx, caller: UserCaller, typed: string): Promise<GroupOfAddress> {
  requireRight(caller, 'people.manage');
  const email = readEmail(typed);
  const user = await findUserByEmail(ctx.db.read, email);
  if (user !== undefined) {
    if (!isVisible(caller, user)) throw notFound('user');
    return { email, group: { id: user.groupId, name: user.groupName }, rule: 'account' };
  }
  const { groupId, rule } = await defaultGroup(ctx.db.read, caller, email);
  const { id, name } = (await findGroup(ctx.db.read, groupId))!;
  return { email, group: { id, name }, rule };
}
