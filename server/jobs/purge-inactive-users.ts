// Removes people nobody has seen for their group's number of days, with the brake on.
import { deleteIdleUser } from '../actions/users/users.ts';
import { countUsers, listIdleUsers } from '../db/users.ts';
import { isPrivileged } from '../domain/roles.ts';
import { applyBrake, watchClock } from './brake.ts';
import type { Job } from './job.ts';

const dayMs = 24 * 3_600_000;
const batchSize = 5000;

export const purgeInactiveUsers: Job = {
  name: 'purge-inactive-users',
  everyMs: 3_600_000,
  async run(ctx, options) {
    watchClock(ctx, 'purge-inactive-users', options);
    const now = ctx.clock.now();
    const candidates = await listIdleUsers(ctx.db.read, now - dayMs, batchSize);
    const due = candidates.filter(({ policy, role, lastSeenAt, createdAt }) => {
      const days = policy.delete_inactive_user;
      return days > 0 && !isPrivileged({ role }) && (lastSeenAt ?? createdAt) + days * dayMs < now;
    });
    applyBrake(options, 'people', due.length, await countUsers(ctx.db.read));
    for (const user of due) await deleteIdleUser(ctx, user.id);
    return `${due.length} people removed`;
  },
};
