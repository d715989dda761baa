// Completes interrupted leaves.
import { resumeLeaves } from '../actions/statements/finish-leave.ts';
import type { Job } from './job.ts';

export const finishLeaving: Job = {
  name: 'finish-leaving',
  everyMs: 15_000,
  run: async (ctx) => `${await resumeLeaves(ctx)} interrupted leaves finished`,
};
