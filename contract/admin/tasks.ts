// Long tasks started by administrators: progress and stopping.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { id, instantMs } from '../wire.ts';

export const taskRefusal = z
  .object({
    id: z.string().describe('Reference of a transfer, or id of a person or file.'),
    code: z.string(),
    sentence: z.string().describe('In the language of the caller.'),
  })
  .meta({ id: 'TaskRefusal' });

export const task = wire({
  id,
  kind: z.enum(['transfers', 'people', 'leaver', 'delete_expired', 'check_files']),
  state: z.enum(['waiting', 'running', 'stopping', 'done', 'stopped', 'failed']),
  started_by: z.string().describe('Id of the account whose rights it acts with.'),
  total: z.int().nullable().describe('null while not known.'),
  done: z.int(),
  failed: z.int().describe('Steps that were refused, or files that do not match; `refused` has the first 100.'),
  refused: z.array(taskRefusal),
  created_at: instantMs,
  finished_at: instantMs.nullable(),
}).meta({ id: 'Task' });

export const taskAnswer = z.object({ task });
export const tasksAnswer = z.object({ tasks: z.array(task) });

export const taskEndpoints = {
  listTasks: define({
    ...adminCall,
    right: 'console.change',
    method: 'GET',
    path: '/admin/tasks',
    summary: 'Long tasks, newest first; System Administrators see all',
    answer: tasksAnswer,
    origin: 'additive',
  }),
  getTask: define({
    ...adminCall,
    right: 'console.change',
    method: 'GET',
    path: '/admin/tasks/:id',
    summary: 'How far one task has come',
    answer: taskAnswer,
    origin: 'additive',
  }),
  stopTask: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/tasks/:id/stop',
    summary: 'End a task before its next step; what is done stays done',
    answer: taskAnswer,
    origin: 'additive',
  }),
} as const;
