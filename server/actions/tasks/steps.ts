// Runs long work one step at a time, with the current rights of the user who started it.
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
  /** Runs after the last step, also when the task was stopped. */
  finish?(ctx: Ctx, caller: UserCaller, task: Task): Promise<void>;
}

const kinds: Record<TaskKind, Work> = {
  transfers: { step: stepBulk, finish: finishBulk },
  people: { step: stepPeopleBulk },
  leaver: { step: stepLeaving, finish: finishLeaving },
  delete_expired: { step: stepDeletingExpired },
  check_files: { step: stepCheckingFiles },
};

export async function runNextStep(ctx: Ctx, task: Task): Promise<void> {
  const work = kinds[task.kind];
  const user = await findUser(ctx.db.read, task.startedBy);
  if (user === undefined || user.state !== 'active' || !isAdministrator(user)) return end(ctx, task, 'failed');
  const caller = callerOf(user, systemCaller.from);
  /** A refused finish fails the task: a retry would be refused again. */
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
