// Writes one blob to disk so that a power cut cannot lose it once commit has resolved (security D24): temporary file,
// fsync, rename, fsync of the folder. Whatever goes wrong, no file stays behind.
import type { FileHandle } from 'node:fs/promises';
import { type BlobWriter, StoreUnavailable } from '#server/domain/ports.ts';
import { codeOf, type DiskHealth, type Files } from './disk-health.ts';

export interface DiskPlace {
  tempPath: string;
  finalPath: string;
  /** The folder of the final path. */
  folder: string;
  /** Makes the folder, durably. */
  prepareFolder(): Promise<void>;
}

/** After this many bytes the reserve of free space is looked at again, and what is written starts on its way to disk. */
const checkEveryBytes = 32 * 1024 * 1024;

export async function createDiskWriter(files: Files, health: DiskHealth, place: DiskPlace): Promise<BlobWriter> {
  await health.assertWritable();
  const handle = await files.open(place.tempPath, 'wx', 0o600).catch((error) => {
    throw health.failed(error);
  });
  const file = createFile(handle, health);
  let path: string | null = place.tempPath;
  let failure: Error | null = null;
  let working: Promise<void> = Promise.resolve();

  async function commit(): Promise<void> {
    await file.sync();
    await file.close();
    if (await exists(files, place.finalPath)) throw new StoreUnavailable('the key is taken');
    await place.prepareFolder();
    await files.rename(place.tempPath, place.finalPath).catch((error) => {
      throw health.failed(error);
    });
    path = place.finalPath;
    await syncFolder(files, health, place.folder);
    path = null;
    failure = new StoreUnavailable('the writer is closed');
  }

  /** One thing at a time; after a failure only abort is left. */
  function work(step: () => Promise<void>): Promise<void> {
    if (failure) return Promise.reject(failure);
    working = step().catch((error) => {
      failure ??= error;
      throw error;
    });
    return working;
  }

  return {
    write: (bytes) => work(() => file.write(bytes)),
    commit: () => work(commit),
    async abort() {
      failure ??= new StoreUnavailable('the writer is closed');
      await working.catch(() => {});
      await file.close();
      if (path) await files.unlink(path).catch(ignoreMissing);
      path = null;
    },
  };
}

/** An open file that is written from front to back. */
function createFile(handle: FileHandle, health: DiskHealth) {
  let writtenBytes = 0;
  let flushing: Promise<void> | null = null;
  let flushFailure: Error | null = null;
  let isClosed = false;

  /** The disk works while the rest still comes in, so that the last flush has little left to do. */
  function flushEarly(): void {
    flushing ??= handle.datasync().then(
      () => {
        flushing = null;
      },
      (error) => {
        // The kernel tells this once: a later flush would succeed without the bytes.
        flushFailure = health.syncFailed(error);
      },
    );
  }

  return {
    async write(bytes: Buffer): Promise<void> {
      if (flushFailure) throw flushFailure;
      if (Math.floor((writtenBytes + bytes.length) / checkEveryBytes) > Math.floor(writtenBytes / checkEveryBytes)) {
        await health.assertWritable();
        flushEarly();
      }
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, writtenBytes).catch((error) => {
          throw health.failed(error);
        });
        at += bytesWritten;
        writtenBytes += bytesWritten;
      }
    },
    async sync(): Promise<void> {
      await flushing;
      if (flushFailure) throw flushFailure;
      await sync(handle, health);
    },
    async close(): Promise<void> {
      await flushing;
      if (!isClosed) await handle.close();
      isClosed = true;
    },
  };
}

/** Makes the entries of a folder durable. */
export async function syncFolder(files: Files, health: DiskHealth, folder: string): Promise<void> {
  const handle = await files.open(folder, 'r').catch((error) => {
    throw health.syncFailed(error);
  });
  try {
    await sync(handle, health);
  } finally {
    await handle.close();
  }
}

async function sync(handle: FileHandle, health: DiskHealth): Promise<void> {
  await handle.sync().catch((error) => {
    throw health.syncFailed(error);
  });
}

async function exists(files: Files, path: string): Promise<boolean> {
  return files.stat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
