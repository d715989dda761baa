// The order of groups decides which one a new user joins if several claim the domain.
import { listGroups, lockGroup, orderGroups } from '../../db/groups/groups.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** `position` counts from 1; beyond the end means last. */
export async function moveGroup(ctx: Ctx, caller: UserCaller, id: string, position: number): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    // Serializes concurrent moves.
    for (const group of await listGroups(tx)) await lockGroup(tx, group.id);
    const ids = (await listGroups(tx)).map((group) => group.id);
    const from = ids.indexOf(id);
    if (from < 0) throw notFound('group');
    const others = ids.toSpliced(from, 1);
    const to = Math.min(Math.max(position, 1), ids.length) - 1;
    if (to === from) return;
    await orderGroups(tx, others.toSpliced(to, 0, id));
    await record(ctx, tx, caller, {
      action: 'group.moved',
      object: { kind: 'group', id },
      ownerId: '',
      facts: { from: from + 1, to: to + 1 },
    });
  });
}
