// Writes one blob durably: temporary file, fsync, rename, fsync of the folder. On any error, no file remains.
import { type BlobWriter, StoreUnavailable } from '#server/domain/ports.ts';
import { createDiskFile, type Disk, syncHandle } from './disk-file.ts';
import { codeOf, type DiskHealth, type Files } from './disk-health.ts';

export interface DiskPlace {
  tempPath: string;
  finalPath: string;
  folder: string;
  prepareFolder(): Promise<void>;
}

export async function createDiskWriter(disk: Disk, place: DiskPlace): Promise<BlobWriter> {
  const { files, health } = disk;
  await health.assertWritable();
  const file = await createDiskFile(disk, place.tempPath);
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

  /** One step at a time; after a failure only abort is possible. */
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

/** Makes the entries of a folder durable. */
export async function syncFolder(files: Files, health: DiskHealth, folder: string): Promise<void> {
  const handle = await files.open(folder, 'r').catch((error) => {
    throw health.syncFailed(error);
  });
  try {
    await syncHandle(handle, health);
  } finally {
    await handle.close();
  }
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
