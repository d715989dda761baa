// Storage, for System Administrators.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { date, id, instantMs } from '../wire.ts';
import { taskAnswer } from './tasks.ts';

const bytes = z.int().min(0).describe('Bytes.');
const count = z.int().min(0);
const used = named('bytes', bytes);

export const storageAnswer = z.object({
  storage: wire({
    files: count,
    used,
    free: named('freeBytes', bytes.nullable().describe('null: the store does not say.')),
    total: named('totalBytes', bytes.nullable()),
    full_on: date.nullable().describe('The day it is full at the present rate; null when it does not grow.'),
    days: z
      .array(
        wire({
          date: named('day', date),
          kept: named('keptBytes', bytes.describe('Files of all people.')),
          used: named('usedBytes', bytes.nullable().describe('Disk.')),
        }),
      )
      .describe('Each of the last 90 days on which it was looked at, oldest first; today as it is now.'),
    waiting_files: count.describe('Nothing shares them any more; they are deleted after the grace time.'),
    waiting: named('waitingBytes', bytes),
    unfinished_uploads: count,
    unfinished: named('unfinishedBytes', bytes),
    groups: z.array(wire({ id: z.string(), name: z.string(), people: count, used })),
    people: z
      .array(wire({ id: z.string(), name: z.string(), email: z.string(), used }))
      .describe('The 50 who take the most.'),
    by_age: z
      .array(wire({ up_to_days: count.nullable(), files: count, used }))
      .describe('Everything that is stored, by age; the last entry is older than all others.'),
    largest: z
      .array(
        wire({
          id,
          owner: named('ownerId', z.string()),
          owner_email: z.string(),
          size: named('bytes', bytes),
          created_at: instantMs,
          shared: named('isShared', z.boolean()),
        }),
      )
      .describe('The 50 largest files, without their names.'),
  }).meta({ id: 'Storage' }),
});

export const readableBytes = z
  .array(wire({ up_to_days: count.nullable(), files: count, bytes }))
  .describe('Files that can be opened, by age; the last entry has everything older.')
  .meta({ id: 'ReadableBytes' });

export type StorageBody = z.input<typeof storageAnswer>['storage'];

export const storageEndpoints = {
  getStorageOverview: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/storage',
    summary: 'Who takes how much room, and what waits to be deleted',
    answer: storageAnswer,
    origin: 'additive',
  }),
  getReadableBytes: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/storage/readable',
    summary: 'Size of all files that can be opened now, by age',
    answer: z.object({ readable: readableBytes }),
    origin: 'additive',
  }),
  deleteExpired: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/storage/delete_expired',
    summary: 'Delete files that nothing shares any more, without waiting for the grace time; a task',
    answer: taskAnswer,
    origin: 'additive',
  }),
  checkFiles: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/storage/check',
    summary: 'Read every file back and compare it with its checksum; a task',
    answer: taskAnswer,
    origin: 'additive',
  }),
} as const;
