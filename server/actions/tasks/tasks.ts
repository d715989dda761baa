// Starts, reads and stops long work. A job runs it step by step from the database.
import type { Tx } from '../../db/schema/schema.ts';
import { askTaskToStop, findTask, insertTask, listTasks } from '../../db/system/tasks.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { isSystemAdministrator, requireRight } from '../../domain/roles.ts';
import type { Task, TaskKind } from '../../domain/tasks.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { referencesOf } from '../transfers/references.ts';
import { refusalsIn } from './refusals.ts';

export interface NewTask {
  kind: TaskKind;
  input: Record<string, unknown>;
  total: number | null;
  /** Facts for the audit log. */
  about: Record<string, unknown>;
}

/** The caller's right must have been checked. */
export function startTask(ctx: Ctx, caller: UserCaller, task: NewTask): Promise<Task> {
  return ctx.db.write((tx) => insertStartedTask(ctx, tx, caller, task));
}

export async function insertStartedTask(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { kind, input, total, about }: NewTask,
): Promise<Task> {
  const id = ctx.random.id();
  const createdAt = ctx.clock.now();
  const task = await insertTask(tx, { id, kind, input, total, startedBy: caller.userId, createdAt });
  await record(ctx, tx, caller, {
    action: 'task.started',
    object: { kind: 'task', id },
    ownerId: '',
    facts: { kind, total, ...about },
  });
  return task;
}

const maxListed = 50;

/** System Administrators see all tasks, other administrators their own; newest first. */
export async function listRecentTasks(ctx: Ctx, caller: UserCaller): Promise<Task[]> {
  requireRight(caller, 'console.change');
  return named(ctx, await listTasks(ctx.db.read, isSystemAdministrator(caller) ? null : caller.userId, maxListed));
}

/** Replaces the ids of refused transfers with references. */
async function named(ctx: Ctx, tasks: Task[]): Promise<Task[]> {
  const references = await referencesOf(
    ctx,
    tasks.flatMap(({ progress }) => refusalsIn(progress).map(({ id }) => id)),
  );
  return tasks.map(({ progress, ...task }) => {
    const refused = refusalsIn(progress).map((refusal) => ({
      ...refusal,
      id: references.get(refusal.id) ?? refusal.id,
    }));
    return { ...task, progress: { ...progress, refused } };
  });
}

export async function getTask(ctx: Ctx, caller: UserCaller, id: string): Promise<Task> {
  requireRight(caller, 'console.change');
  const task = await findTask(ctx.db.read, id);
  if (task === null || (task.startedBy !== caller.userId && !isSystemAdministrator(caller))) throw notFound('task');
  return (await named(ctx, [task]))[0]!;
}

/** The task ends before its next step; finished work stays. */
export async function stopTask(ctx: Ctx, caller: UserCaller, id: string): Promise<Task> {
  const { kind, total, done, failed } = await getTask(ctx, caller, id);
  await ctx.db.write(async (tx) => {
    if (!(await askTaskToStop(tx, id, ctx.clock.now()))) throw invalid('task.ended', 'This has ended already.');
    await record(ctx, tx, caller, {
      action: 'task.stopped',
      object: { kind: 'task', id },
      ownerId: '',
      facts: { kind, total, done, failed },
    });
  });
  return getTask(ctx, caller, id);
}
