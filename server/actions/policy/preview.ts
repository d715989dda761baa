// A group as it would be after a change. Saves nothing.
import { findGroup } from '../../db/groups/groups.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Group } from '../../domain/groups.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { type GroupChange, resolvePolicy } from '../groups/policies.ts';

export async function previewGroup(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { changes, isLocal }: GroupChange,
): Promise<Group> {
  requireRight(caller, 'system.read');
  const group = await findGroup(ctx.db.read, id);
  if (group === undefined) throw notFound('group');
  const kind = isLocal ?? group.isLocal;
  return { ...group, isLocal: kind, policy: resolvePolicy(group.policy, changes, kind) };
}
