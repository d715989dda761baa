// A file on a disk that is written from front to back. Large batches go past the page cache, straight from our memory to
// the disk (O_DIRECT): what is to be durable before the answer has to go there anyway, and 1 GiB costs half as much
// processor time this way (docs/adr/0104). Everything else, and everything on a file system that does not know this, is
// written through the page cache.
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { codeOf, type DiskHealth, type Files } from './disk-health.ts';
import { blockBytes, isWholeBlocks } from './page-memory.ts';

export interface DiskFile {
  write(bytes: Buffer): Promise<void>;
  /** Everything that was written is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Whether a file system takes bytes past the page cache is found out once, for all files of a store. */
export interface DirectAccess {
  /** Null when this has to do without. */
  open(path: string): Promise<FileHandle | null>;
  /** It took the file but not the bytes: its blocks are larger than ours, say. */
  giveUp(): void;
}

export function createDirectAccess(files: Files): DirectAccess {
  let isRefused = constants.O_DIRECT === undefined;
  return {
    async open(path) {
      if (isRefused) return null;
      return files.open(path, constants.O_WRONLY | constants.O_DIRECT).catch((error) => {
        // Anything else may be over when the next file comes.
        isRefused = codeOf(error) === 'EINVAL';
        return null;
      });
    },
    giveUp() {
      isRefused = true;
    },
  };
}

/** The disk of a store, shared by all its files. */
export interface Disk {
  files: Files;
  health: DiskHealth;
  directAccess: DirectAccess;
}

/** After this many bytes the reserve of free space is looked at again, and what is written starts on its way to disk. */
const checkEveryBytes = 32 * 1024 * 1024;

export async function createDiskFile(disk: Disk, path: string): Promise<DiskFile> {
  const { files, health } = disk;
  const handle = await files.open(path, 'wx', 0o600).catch((error) => {
    throw health.failed(error);
  });
  const flush = createEarlyFlush(handle, health);
  const direct = createDirectWrites(disk, path);
  let writtenBytes = 0;
  let isClosed = false;

  async function writeThroughCache(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, writtenBytes).catch((error) => {
        throw health.failed(error);
      });
      at += bytesWritten;
      writtenBytes += bytesWritten;
    }
  }

  return {
    async write(bytes) {
      flush.assertSucceeded();
      const isTime =
        Math.floor((writtenBytes + bytes.length) / checkEveryBytes) > Math.floor(writtenBytes / checkEveryBytes);
      if (isTime) await health.assertWritable();
      const directBytes = await direct.write(bytes, writtenBytes);
      writtenBytes += directBytes;
      if (directBytes === bytes.length) return;
      if (isTime) flush.start();
      await writeThroughCache(bytes.subarray(directBytes));
    },
    async sync() {
      await flush.ended();
      flush.assertSucceeded();
      await syncHandle(handle, health);
    },
    async close() {
      await flush.ended();
      if (isClosed) return;
      isClosed = true;
      await direct.close().finally(() => handle.close());
    },
  };
}

/** Another descriptor of the same file, opened when the first whole blocks come. */
function createDirectWrites({ health, directAccess }: Disk, path: string) {
  let opening: Promise<FileHandle | null> | null = null;
  return {
    /** How many of the bytes the disk has taken itself. */
    async write(bytes: Buffer, position: number): Promise<number> {
      if (position % blockBytes !== 0 || !isWholeBlocks(bytes)) return 0;
      opening ??= directAccess.open(path);
      const handle = await opening;
      if (handle === null) return 0;
      try {
        return (await handle.write(bytes, 0, bytes.length, position)).bytesWritten;
      } catch (error) {
        if (codeOf(error) !== 'EINVAL') throw health.failed(error);
        directAccess.giveUp();
        opening = Promise.resolve(null);
        await handle.close();
        return 0;
      }
    },
    async close(): Promise<void> {
      await (await opening)?.close();
    },
  };
}

/** The disk works while the rest still comes in, so that the last flush has little left to do. */
function createEarlyFlush(handle: FileHandle, health: DiskHealth) {
  let flushing: Promise<void> | null = null;
  let failure: Error | null = null;
  return {
    start(): void {
      flushing ??= handle.datasync().then(
        () => {
          flushing = null;
        },
        (error) => {
          // The kernel tells this once: a later flush would succeed without the bytes.
          failure = health.syncFailed(error);
        },
      );
    },
    ended: async () => flushing,
    assertSucceeded(): void {
      if (failure) throw failure;
    },
  };
}

export async function syncHandle(handle: FileHandle, health: DiskHealth): Promise<void> {
  await handle.sync().catch((error) => {
    throw health.syncFailed(error);
  });
}
