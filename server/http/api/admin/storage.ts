// Room in the store, for System Administrators.
import type { StorageBody } from '#contract/admin/storage.ts';
import { getReadableByAge } from '../../../actions/storage/readable.ts';
import {
  getStorageOverview,
  type StorageOverview,
  startCheckingFiles,
  startDeletingExpired,
} from '../../../actions/storage/storage.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { taskBody } from './tasks.ts';

export function serveStorage(serve: Serve): void {
  serve('getStorageOverview', async ({ ctx, caller }) => ({
    storage: storageBody(await getStorageOverview(ctx, caller)),
  }));
  serve('getReadableBytes', async ({ ctx, caller }) => ({
    readable: (await getReadableByAge(ctx, caller)).map(({ upToDays, files, bytes }) => ({
      up_to_days: upToDays,
      files,
      bytes,
    })),
  }));
  serve('deleteExpired', async ({ ctx, caller }) => ({ task: taskBody(await startDeletingExpired(ctx, caller)) }));
  serve('checkFiles', async ({ ctx, caller }) => ({ task: taskBody(await startCheckingFiles(ctx, caller)) }));
}

function storageBody(storage: StorageOverview): StorageBody {
  return {
    files: storage.files,
    used: storage.bytes,
    free: storage.freeBytes,
    total: storage.totalBytes,
    full_on: storage.fullOn,
    days: storage.days.map(({ day, keptBytes, usedBytes }) => ({ date: day, kept: keptBytes, used: usedBytes })),
    waiting_files: storage.waitingFiles,
    waiting: storage.waitingBytes,
    unfinished_uploads: storage.unfinishedUploads,
    unfinished: storage.unfinishedBytes,
    groups: storage.groups.map(({ id, name, people, bytes }) => ({ id, name, people, used: bytes })),
    people: storage.people.map(({ id, name, email, bytes }) => ({ id, name, email, used: bytes })),
    by_age: storage.byAge.map(({ upToDays, files, bytes }) => ({ up_to_days: upToDays, files, used: bytes })),
    largest: storage.largest.map((file) => ({
      id: file.id,
      owner: file.ownerId,
      owner_email: file.ownerEmail,
      size: file.bytes,
      created_at: isoInstant(file.createdAt),
      shared: file.isShared,
    })),
  };
}
