// Long work that administrators start.
import type { TaskBody } from '#contract/admin/tasks.ts';
import { getTask, listRecentTasks, stopTask } from '../../../actions/tasks/tasks.ts';
import type { Task } from '../../../domain/tasks.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

export function serveTasks(serve: Serve): void {
  serve('listTasks', async ({ ctx, caller }) => ({ tasks: (await listRecentTasks(ctx, caller)).map(taskBody) }));
  serve('getTask', async ({ ctx, caller, params }) => ({ task: taskBody(await getTask(ctx, caller, params.id!)) }));
  serve('stopTask', async ({ ctx, caller, params }) => ({ task: taskBody(await stopTask(ctx, caller, params.id!)) }));
}

export function taskBody(task: Task): TaskBody {
  const { refused = [] } = task.progress as { refused?: TaskBody['refused'] };
  return {
    id: task.id,
    kind: task.kind,
    state: task.state,
    started_by: task.startedBy,
    total: task.total,
    done: task.done,
    failed: task.failed,
    refused: refused.map(({ id, code, sentence }) => ({ id, code, sentence })),
    created_at: isoInstant(task.createdAt),
    finished_at: task.finishedAt === null ? null : isoInstant(task.finishedAt),
  };
}
