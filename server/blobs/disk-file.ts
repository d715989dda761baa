// A file that is written from front to back. Large batches are written directly from memory to the disk (O_DIRECT),
// which takes half the processor time for 1 GiB (docs/adr/0104). Everything else uses the page cache, as do file
// systems without O_DIRECT.
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { codeOf, type DiskHealth, type Files } from './disk-health.ts';
import { blockBytes, isWholeBlocks } from './page-memory.ts';

export interface DiskFile {
  write(bytes: Buffer): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Whether a file system supports direct writes is determined once for all files of a store. */
export interface DirectAccess {
  /** Null without support. */
  open(path: string): Promise<FileHandle | null>;
  /** The file system accepted O_DIRECT but not the bytes, for example because its blocks are larger. */
  giveUp(): void;
}

export function createDirectAccess(files: Files): DirectAccess {
  let isRefused = constants.O_DIRECT === undefined;
  return {
    async open(path) {
      if (isRefused) return null;
      return files.open(path, constants.O_WRONLY | constants.O_DIRECT).catch((error) => {
        // Other errors may not affect the next file.
        isRefused = codeOf(error) === 'EINVAL';
        return null;
      });
    },
    giveUp() {
      isRefused = true;
    },
  };
}

export interface Disk {
  files: Files;
  health: DiskHealth;
  directAccess: DirectAccess;
}

/** After this many bytes, free space is checked again and an early flush begins. */
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

/** A second descriptor of the file, opened at the first whole blocks. */
function createDirectWrites({ health, directAccess }: Disk, path: string) {
  let opening: Promise<FileHandle | null> | null = null;
  return {
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

/** Flushes while the rest arrives, so that the last flush is short. */
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
          // The kernel reports this once: a later flush would succeed without the bytes.
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
