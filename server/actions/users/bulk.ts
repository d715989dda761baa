// One change to many people: a dry run that lists them, then a task. Each change has the checks of a single change.
import { countUserList, listUserPage, type UserFilter } from '../../db/users/user-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Task, TaskStep } from '../../domain/tasks.ts';
import { type Person, personOf, type User } from '../../domain/users.ts';
import { recordListView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { addRefusal, refusalOf, type TaskRefusal } from '../tasks/refusals.ts';
import { startTask } from '../tasks/tasks.ts';
import { readReason } from './addresses.ts';
import type { UserInput } from './input.ts';
import { type PeopleFilterInput, resolvePeople } from './lists.ts';
import { protectLastAdministrator, requireGroup } from './rights.ts';
import { changeUser } from './users.ts';

export interface PeopleBulk {
  action: 'move' | 'suspend' | 'reactivate';
  /** Null selects everyone who matches. */
  ids: string[] | null;
  wishes: PeopleFilterInput;
  /** The target group of `move`. */
  groupId: string;
  reason: string;
}

export interface PeoplePlan {
  count: number;
  sample: Person[];
  refused: TaskRefusal[];
}

const sampleSize = 50;

export async function planPeopleBulk(ctx: Ctx, caller: UserCaller, input: PeopleBulk): Promise<PeoplePlan> {
  const filter = await resolve(ctx, caller, input, ctx.clock.now());
  const page = { sort: 'email', isDescending: false, after: null, limit: sampleSize } as const;
  const sample = await listUserPage(ctx.db.read, filter, page);
  const refused = await refusedAmong(ctx, caller, input, filter);
  const isRefused = ({ id }: User) => refused.some((one) => one.id === id);
  const shown = sample.filter((user) => !isRefused(user));
  if (shown.length > 0) await recordListView(ctx, caller, 'people', {});
  return {
    count: (await countUserList(ctx.db.read, filter)) - refused.length,
    sample: shown.map(personOf),
    refused,
  };
}

export async function startPeopleBulk(ctx: Ctx, caller: UserCaller, input: PeopleBulk): Promise<Task> {
  const askedAt = ctx.clock.now();
  const filter = await resolve(ctx, caller, input, askedAt);
  const { action, ids, wishes, groupId } = input;
  const reason = readReason(input.reason);
  return startTask(ctx, caller, {
    kind: 'people',
    input: { action, ids, wishes, groupId, reason, askedAt },
    total: await countUserList(ctx.db.read, filter),
    about: {
      action,
      ...(ids === null ? { filter: wishes } : { people: ids }),
      ...(action === 'move' ? { group: groupId } : {}),
      ...(reason === '' ? {} : { reason }),
    },
  });
}

/** Excludes people in the target state already, because a change would sign them out. */
async function resolve(ctx: Ctx, caller: UserCaller, input: PeopleBulk, askedAt: number): Promise<UserFilter> {
  requireRight(caller, 'people.manage');
  const { action, ids, wishes, groupId } = input;
  readReason(input.reason);
  const { q, role, groupId: from, state, seen } = wishes;
  if (ids === null && q.trim() === '' && [role, from, state, seen].every((value) => value === null))
    throw invalid('user.bulk_everything', 'Choose people, or filter the list first.', 'filter');
  if (action === 'move') await ctx.db.write((tx) => requireGroup(tx, caller, groupId));
  const isnt = action === 'move' ? { groupId } : { state: action === 'suspend' ? 'disabled' : 'active' };
  return { ...(await resolvePeople(ctx, caller, wishes, askedAt)), ids, isnt } as UserFilter;
}

/** Only the caller can be refused in advance. */
async function refusedAmong(
  ctx: Ctx,
  caller: UserCaller,
  { action, groupId }: PeopleBulk,
  filter: UserFilter,
): Promise<TaskRefusal[]> {
  const ids = filter.ids === null || filter.ids.includes(caller.userId) ? [caller.userId] : [];
  const page = { sort: 'email', isDescending: false, after: null, limit: 1 } as const;
  const [self] = await listUserPage(ctx.db.read, { ...filter, ids }, page);
  if (self === undefined) return [];
  const refused: TaskRefusal[] = [];
  const problem = await refusalOf(() =>
    ctx.db.write(async (tx) => {
      const group = action === 'move' ? await requireGroup(tx, caller, groupId) : null;
      await protectLastAdministrator(tx, caller, self, {
        role: group?.role ?? self.role,
        isDisabled: action === 'suspend',
      });
    }),
  );
  if (problem !== null) addRefusal(refused, self.id, problem);
  return refused;
}

const batchSize = 25;

interface Progress {
  after: { value: string; id: string } | null;
  refused: TaskRefusal[];
}

/** Repeating a batch after a crash changes nothing: changed people no longer match. */
export async function stepPeopleBulk(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  const input = task.input as unknown as PeopleBulk & { askedAt: number };
  const progress: Progress = { after: null, refused: [], ...task.progress };
  const filter = await resolve(ctx, caller, input, input.askedAt);
  const page = { sort: 'email', isDescending: false, after: progress.after, limit: batchSize } as const;
  const batch = await listUserPage(ctx.db.read, filter, page);
  let { done, failed } = task;
  for (const { id } of batch) {
    const problem = await refusalOf(() => changeUser(ctx, caller, id, changeOf(input)));
    if (problem === null) done++;
    else {
      failed++;
      addRefusal(progress.refused, id, problem);
    }
  }
  const last = batch.at(-1);
  if (last !== undefined) progress.after = { value: last.email, id: last.id };
  return { progress: { ...progress }, total: task.total, done, failed, isDone: batch.length < batchSize };
}

function changeOf({ action, groupId, reason }: PeopleBulk): UserInput {
  return { ...(action === 'move' ? { groupId } : { isDisabled: action === 'suspend' }), note: reason };
}
