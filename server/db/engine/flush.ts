// One shared flush: all transactions that wait for durability share one asynchronous fsync of SQLite's `-wal` file,
// so a commit never stalls the event loop and a hundred commits cost two flushes (security D24).
//
// Why this is as durable as `synchronous=FULL`: in WAL mode the only sync that FULL adds to NORMAL is the one of the
// `-wal` file after the frames of a commit. We do that one ourselves, after COMMIT and before the answer, on the
// same inode. Everything else is synced by SQLite in NORMAL too: the WAL before a checkpoint copies from it, the
// database before the WAL is reused, the WAL's header when it starts over. A commit that was checkpointed before our
// flush began is in the database file already. Frames are chained by checksums and only ever appended, so a flush
// also covers every earlier commit, of this process and of others.
//
// What is weaker than FULL: others may see a commit a moment before it is durable. A writer that acts on it does
// so in a transaction of their own, whose flush covers what it saw; for this reason `write` flushes even when the
// transaction changed nothing.
//
// A failed fsync is never repeated: the kernel may have dropped the dirty pages and would report success the second
// time. The database then stays failed until the process restarts and SQLite recovers from what is on disk.
import { fdatasync, fsync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseUnavailable } from './errors.ts';

export interface SharedFlush {
  /** Resolves when a flush that began after this call has succeeded. Rejects for ever after a failure. */
  wait(): Promise<void>;
  /** Why durability is in doubt; null while all is well. */
  readonly failure: DatabaseUnavailable | null;
  /** Durability is in doubt for a reason found elsewhere, e.g. a failed fsync inside SQLite. */
  fail(cause: unknown): void;
}

/** `sync` makes everything written before the call durable. It is never called twice at a time. */
export function createSharedFlush(sync: () => Promise<void>): SharedFlush {
  let failure: DatabaseUnavailable | null = null;
  let isRunning = false;
  let next: PromiseWithResolvers<void> | null = null;

  function fail(cause: unknown): void {
    failure ??= new DatabaseUnavailable('a flush to disk failed; writing stops until a restart', cause);
  }

  async function run(round: PromiseWithResolvers<void>): Promise<void> {
    isRunning = true;
    try {
      await sync();
    } catch (cause) {
      fail(cause);
    }
    isRunning = false;
    const following = next;
    next = null;
    if (failure) {
      round.reject(failure);
      following?.reject(failure);
      return;
    }
    round.resolve();
    if (following) void run(following);
  }

  return {
    wait() {
      if (failure) return Promise.reject(failure);
      if (isRunning) {
        // The running flush may have begun before our commit: only the one after it counts.
        next ??= Promise.withResolvers<void>();
        return next.promise;
      }
      const round = Promise.withResolvers<void>();
      void run(round);
      return round.promise;
    },
    fail,
    get failure() {
      return failure;
    },
  };
}

export type SyncDescriptor = (descriptor: number) => Promise<void>;

export interface WalFile {
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The `-wal` file of a database that is open in this process, so that its inode stays. Descriptors of it may be closed
 * freely: SQLite's locks live on the database and the `-shm` file. Never open the database file itself this way;
 * closing any descriptor of it would drop the locks of the whole process.
 */
export async function openWalFile(
  walPath: string,
  syncDescriptor: SyncDescriptor = promisify(fdatasync),
): Promise<WalFile> {
  // Kept open from the start: Linux reports a write-back error only to descriptors that were open when it happened.
  const file = await open(walPath, 'r');
  try {
    // A synced file without a synced name is gone after a power cut. SQLite syncs the name when it begins a WAL, unless
    // the caller of this one has nothing to sync.
    const folder = await open(dirname(walPath), 'r');
    try {
      await promisify(fsync)(folder.fd);
    } finally {
      await folder.close();
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    sync: () => syncDescriptor(file.fd),
    close: () => file.close(),
  };
}
