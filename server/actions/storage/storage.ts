// Storage use, and tasks that delete expired files or check every file.
import {
  countFinishedFiles,
  type LargeFile,
  listFileIdsAfter,
  listLargestFiles,
  listStorageByAge,
  listStorageOfGroups,
  listStorageOfUsers,
  listUnsharedFiles,
  type StorageOf,
  type StorageOfAge,
  type StorageSums,
  sumStorage,
} from '../../db/storage/storage.ts';
import type { StorageDay } from '../../db/storage/storage-days.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Task, TaskStep } from '../../domain/tasks.ts';
import { eraseFile } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { startTask } from '../tasks/tasks.ts';
import { checkFile } from './checking.ts';
import { findFullDay, findStorageDays } from './history.ts';

const maxListed = 50;
const ages = [1, 7, 30, 90, 365];

export interface StorageOverview extends StorageSums {
  /** Null for buckets. */
  freeBytes: number | null;
  totalBytes: number | null;
  fullOn: string | null;
  days: StorageDay[];
  groups: StorageOf[];
  people: (StorageOf & { email: string })[];
  byAge: StorageOfAge[];
  largest: LargeFile[];
}

export async function getStorageOverview(ctx: Ctx, caller: UserCaller): Promise<StorageOverview> {
  requireRight(caller, 'system.read');
  const db = ctx.db.read;
  const space = await ctx.blobs.space();
  return {
    ...(await sumStorage(db)),
    freeBytes: space === null ? null : Math.max(0, space.totalBytes - space.usedBytes),
    totalBytes: space?.totalBytes ?? null,
    fullOn: space === null ? null : await findFullDay(ctx, space),
    days: await findStorageDays(ctx),
    groups: await listStorageOfGroups(db),
    people: await listStorageOfUsers(db, maxListed),
    byAge: await listStorageByAge(db, ages, ctx.clock.now()),
    largest: await listLargestFiles(db, maxListed),
  };
}

/** Skips the grace time. */
export async function startDeletingExpired(ctx: Ctx, caller: UserCaller): Promise<Task> {
  requireRight(caller, 'system.change');
  const { waitingFiles, waitingBytes } = await sumStorage(ctx.db.read);
  return startTask(ctx, caller, {
    kind: 'delete_expired',
    input: {},
    total: waitingFiles,
    about: { bytes: waitingBytes },
  });
}

export async function startCheckingFiles(ctx: Ctx, caller: UserCaller): Promise<Task> {
  requireRight(caller, 'system.change');
  return startTask(ctx, caller, {
    kind: 'check_files',
    input: {},
    total: await countFinishedFiles(ctx.db.read),
    about: {},
  });
}

const eraseBatch = 50;

export async function stepDeletingExpired(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  requireRight(caller, 'system.change');
  const { after = '' } = task.progress as { after?: string };
  const batch = await listUnsharedFiles(ctx.db.read, after, eraseBatch);
  let erased = 0;
  await ctx.db.write(async (tx) => {
    // It may be shared again.
    for (const id of batch) if (await eraseFile(ctx, tx, caller, id)) erased++;
  });
  return {
    progress: { after: batch.at(-1) ?? after },
    total: task.total,
    done: task.done + erased,
    failed: task.failed,
    isDone: batch.length < eraseBatch,
  };
}

/** Each file is read completely within one step. */
const checkBatch = 5;
const mostMismatches = 100;

interface Mismatch {
  id: string;
  code: string;
  sentence: string;
}

export async function stepCheckingFiles(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  requireRight(caller, 'system.change');
  const { after = '', refused = [] } = task.progress as { after?: string; refused?: Mismatch[] };
  const batch = await listFileIdsAfter(ctx.db.read, after, checkBatch);
  const found: Mismatch[] = [];
  for (const id of batch) {
    const verdict = await checkFile(ctx, caller, id);
    if (verdict === 'damaged')
      found.push({ id, code: 'attachment.damaged', sentence: 'This file does not match its checksum.' });
    if (verdict === 'missing')
      found.push({ id, code: 'attachment.missing', sentence: 'This file is not in the store.' });
  }
  return {
    progress: { after: batch.at(-1) ?? after, refused: [...refused, ...found].slice(0, mostMismatches) },
    total: task.total,
    done: task.done + batch.length - found.length,
    failed: task.failed + found.length,
    isDone: batch.length < checkBatch,
  };
}
