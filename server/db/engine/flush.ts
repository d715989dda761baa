// One shared flush: all transactions that wait for durability share one asynchronous fsync of SQLite's `-wal` file, so
// a commit never blocks the event loop and a hundred commits cost two flushes (docs/adr/0002).
// It is as durable as `synchronous=FULL`: in WAL mode, FULL adds to NORMAL only the sync of the `-wal` file after the
// frames of a commit, which happens here after COMMIT and before the answer. Frames are chained by checksums and only
// appended, so a flush also covers every earlier commit of any process.
// Unlike with FULL, others may see a commit a moment before it is durable. A writer that relies on it has a flush of
// its own, which covers it; so `write` flushes even if the transaction changed nothing.
// A failed fsync is never repeated: the kernel may have dropped the dirty pages and would report success. The database
// stays failed until the process restarts and SQLite recovers.
import { fdatasync, fsync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseUnavailable } from './errors.ts';

export interface SharedFlush {
  /** Resolves when a flush that began after this call has succeeded. Rejects for ever after a failure. */
  wait(): Promise<void>;
  readonly failure: DatabaseUnavailable | null;
  /** Reports a failed sync that happened elsewhere, such as inside SQLite. */
  fail(cause: unknown): void;
}

/** `sync` makes everything written before the call durable. It is never called concurrently. */
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
        // The running flush may have begun before this commit, so only the next one counts.
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
 * Opens the `-wal` file of a database that is open in this process, so that its inode stays. The database file itself
 * MUST NOT be opened this way: closing any descriptor of it would release the locks of the whole process.
 */
export async function openWalFile(
  walPath: string,
  syncDescriptor: SyncDescriptor = promisify(fdatasync),
): Promise<WalFile> {
  // Stays open, because Linux reports a write-back error only to descriptors that were open when it happened.
  const file = await open(walPath, 'r');
  try {
    // Syncs the name of the file too: without it, the file is gone after a power failure.
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
