// Long tasks that administrators start.
import { refusalsIn, type TaskRefusal } from '../../../actions/tasks/refusals.ts';
import { getTask, listRecentTasks, stopTask } from '../../../actions/tasks/tasks.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Task } from '../../../domain/tasks.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { type Reader, refusalText } from '../../transport/refusal-texts.ts';

export function serveTasks(serve: Serve): void {
  serve('listTasks', async ({ deps, ctx, caller, raw }) => ({
    tasks: (await listRecentTasks(ctx, caller)).map((task) => withRefusals(task, readerOf(deps, raw))),
  }));
  serve('getTask', async ({ deps, ctx, caller, params, raw }) => ({
    task: withRefusals(await getTask(ctx, caller, params.id), readerOf(deps, raw)),
  }));
  serve('stopTask', async ({ deps, ctx, caller, params, raw }) => ({
    task: withRefusals(await stopTask(ctx, caller, params.id), readerOf(deps, raw)),
  }));
}

export function translateRefusal({ id, code, sentence, values = {} }: TaskRefusal, reader: Reader | null) {
  const problem = new Problem('invalid', code, sentence).withValues(values);
  return { id, code, sentence: reader === null ? sentence : refusalText(problem, reader) };
}

export function withRefusals(task: Task, reader: Reader | null = null) {
  return { ...task, refused: refusalsIn(task.progress).map((refusal) => translateRefusal(refusal, reader)) };
}
