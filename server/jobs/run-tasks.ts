// Runs one step of each unfinished task in turn, until none is left.
import { runNextStep } from '../actions/tasks/steps.ts';
import { listUnfinishedTasks } from '../db/system/tasks.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';
import { LeaseLost } from './lease.ts';

const mostAtOnce = 20;
const mostRounds = 1000;

export const runTasks: Job = {
  name: 'run-tasks',
  everyMs: 1000,
  async run(ctx) {
    let steps = 0;
    const failing = new Set<string>();
    for (let round = 0; round < mostRounds; round++) {
      const tasks = await listUnfinishedTasks(ctx.db.read, mostAtOnce);
      if (tasks.every(({ id }) => failing.has(id))) break;
      for (const task of tasks) {
        if (failing.has(task.id)) continue;
        try {
          await runNextStep(ctx, task);
          steps++;
        } catch (error) {
          if (error instanceof LeaseLost) throw error;
          // The next run retries it.
          failing.add(task.id);
          ctx.log.error({ task: task.id, err: String(error) }, 'a step of a task failed');
        }
      }
    }
    return `${counted(steps, 'step')} of tasks done`;
  },
};
