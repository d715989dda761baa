// Carries long work on, one step at a time, with the rights that whoever started it has now.
import { finishTask, saveTaskProgress } from '../../db/system/tasks.ts';
import { findUser } from '../../db/users/users.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { isAdministrator } from '../../domain/roles.ts';
import type { Task, TaskKind, TaskStep } from '../../domain/tasks.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { callerOf } from '../sessions/identities.ts';
import { stepCheckingFiles, stepDeletingExpired } from '../storage/storage.ts';
import { finishBulk, stepBulk } from '../transfers/bulk.ts';
import { stepPeopleBulk } from '../users/bulk.ts';
import { finishLeaving, stepLeaving } from '../users/leavers.ts';
import { refusalOf } from './refusals.ts';

interface Work {
  step(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep>;
  /** After the last step, also of a task that was stopped. */
  finish?(ctx: Ctx, caller: UserCaller, task: Task): Promise<void>;
}

const works: Record<TaskKind, Work> = {
  transfers: { step: stepBulk, finish: finishBulk },
  people: { step: stepPeopleBulk },
  leaver: { step: stepLeaving, finish: finishLeaving },
  delete_expired: { step: stepDeletingExpired },
  check_files: { step: stepCheckingFiles },
};

/** One step of a task that has not ended; ends it when it was the last, or somebody asked. */
export async function carryOn(ctx: Ctx, task: Task): Promise<void> {
  const work = works[task.kind];
  const user = await findUser(ctx.db.read, task.startedBy);
  // Who has lost the right to it finishes nothing in its name.
  if (user === undefined || user.state !== 'active' || !isAdministrator(user)) return end(ctx, task, 'failed');
  const caller = callerOf(user, systemCaller.from);
  /** What it was about is no longer there, or no longer within reach: trying again would change nothing. */
  const finish = async (last: Task, state: 'done' | 'stopped') => {
    const refusal = await refusalOf(async () => work.finish?.(ctx, caller, last));
    return end(ctx, last, refusal === null ? state : 'failed');
  };
  if (task.state === 'stopping') return finish(task, 'stopped');
  const step = await stepOrRefusal(work, ctx, caller, task);
  if (step instanceof Problem) return end(ctx, task, 'failed');
  await ctx.db.write((tx) => saveTaskProgress(tx, task.id, step, ctx.clock.now()));
  if (step.isDone) await finish({ ...task, ...step }, 'done');
}

async function stepOrRefusal(work: Work, ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep | Problem> {
  try {
    return await work.step(ctx, caller, task);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

async function end(ctx: Ctx, task: Task, state: 'done' | 'stopped' | 'failed'): Promise<void> {
  const { id, kind, total, done, failed } = task;
  await ctx.db.write(async (tx) => {
    if (!(await finishTask(tx, id, state, ctx.clock.now()))) return;
    await record(ctx, tx, systemCaller, {
      action: 'task.finished',
      object: { kind: 'task', id },
      ownerId: '',
      facts: { kind, total, done, failed },
    });
  });
}
