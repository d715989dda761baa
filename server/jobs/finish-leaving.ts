// Resumes what was interrupted while a person left: the process died before everything they had shared was handed over or
// ended. The statement is made then, without a second call.
import { resumeLeaves } from '../actions/statements/finish-leave.ts';
import type { Job } from './job.ts';

export const finishLeaving: Job = {
  name: 'finish-leaving',
  everyMs: 15_000,
  run: async (ctx) => `${await resumeLeaves(ctx)} interrupted leaves finished`,
};
