// Removes people who have not signed in for their group's number of days.
import type { Ctx } from '../actions/context.ts';
import { deleteIdleUser } from '../actions/users/users.ts';
import { listGroups } from '../db/groups/groups.ts';
import { countUsers, type IdleIn, listIdleUsers } from '../db/users/users.ts';
import { isPrivileged } from '../domain/roles.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';
import { applySafetyLimit, watchClock } from './safety-limit.ts';

const dayMs = 24 * 3_600_000;
const batchSize = 5000;

export const purgeInactiveUsers: Job = {
  name: 'purge-inactive-users',
  everyMs: 3_600_000,
  async run(ctx, options) {
    watchClock(ctx, 'purge-inactive-users', options);
    const due = await listDue(ctx);
    applySafetyLimit(options, 'people', due.length, await countUsers(ctx.db.read));
    let removed = 0;
    for (const { id, idle } of due) if (await deleteIdleUser(ctx, id, idle)) removed++;
    return `${counted(removed, 'person', 'people')} removed`;
  },
};

/** By group, so that people without a limit do not fill the batch. */
async function listDue(ctx: Ctx): Promise<{ id: string; idle: IdleIn }[]> {
  const due: { id: string; idle: IdleIn }[] = [];
  for (const { id: groupId, policy, role } of await listGroups(ctx.db.read)) {
    const days = policy.delete_inactive_user;
    if (days === 0 || isPrivileged({ role })) continue;
    const idle = { groupId, seenBefore: ctx.clock.now() - days * dayMs };
    const people = await listIdleUsers(ctx.db.read, { ...idle, limit: batchSize });
    due.push(...people.map(({ id }) => ({ id, idle })));
  }
  return due;
}
