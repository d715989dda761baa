// Blobs as files on a local disk: `<dir>/<first two characters>/<key>`, unfinished ones in `<dir>/tmp`.
import { randomBytes } from 'node:crypto';
import * as fileSystem from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobMissing, type BlobStore, type ByteRange, type Clock, type StoredBlob } from '#server/domain/ports.ts';
import { assertBlobKey, isBlobKey } from './blob-key.ts';
import { createDirectAccess } from './disk-file.ts';
import { codeOf, type DiskHealth, type Files, watchDisk } from './disk-health.ts';
import { diskMark } from './disk-mark.ts';
import { createDiskWriter, syncFolder } from './disk-writer.ts';
import { countTransfers, pieceBytes } from './transfers.ts';

export interface DiskStoreOptions {
  dir: string;
  /** No upload begins or continues with less free space. */
  minFreeBytes: number;
  clock?: Pick<Clock, 'now'>;
  files?: Files;
}

export async function openDiskStore(options: DiskStoreOptions): Promise<BlobStore> {
  const { dir, minFreeBytes, clock = { now: Date.now }, files = fileSystem } = options;
  const tempDir = join(dir, 'tmp');
  const health = watchDisk(files, dir, minFreeBytes, clock);
  const disk = { files, health, directAccess: createDirectAccess(files) };
  const reads = countTransfers();
  const folders = createFolders(files, health, dir);
  /** Keys whose bytes this process is receiving: never leftovers, however slow the client or wrong the clock. */
  const arriving = new Set<string>();

  await files.mkdir(tempDir, { recursive: true, mode: 0o700 });
  await syncFolder(files, health, dir);
  await syncFolder(files, health, dirname(dir));

  return {
    async create(key) {
      const finalPath = pathOf(dir, key);
      const tempPath = join(tempDir, `${key}.${randomBytes(6).toString('hex')}`);
      const folder = dirname(finalPath);
      const writer = await createDiskWriter(disk, {
        tempPath,
        finalPath,
        folder,
        prepareFolder: () => folders.prepare(folder),
      });
      arriving.add(key);
      const forget = () => void arriving.delete(key);
      return {
        write: writer.write,
        commit: () => writer.commit().then(forget),
        abort: () => writer.abort().finally(forget),
      };
    },
    async *read(key, range) {
      const over = reads.begin();
      try {
        yield* readFile({ files, health }, { key, path: pathOf(dir, key) }, range, () => pieceBytes(reads.active));
      } finally {
        over();
      }
    },
    stat: async (key) => statOf(files, health, key, pathOf(dir, key)),
    async delete(key) {
      const path = pathOf(dir, key);
      await files.unlink(path).catch((error) => {
        if (codeOf(error) !== 'ENOENT') throw health.failed(error);
      });
      // Also if the file was gone: an earlier attempt may have ended before this line.
      if (await folders.has(dirname(path))) await syncFolder(files, health, dirname(path));
    },
    list: () => listFiles(files, health, dir),
    removeUnfinished: (olderThan, isArriving) =>
      removeOldTemps(files, tempDir, olderThan, async (key) => arriving.has(key) || isArriving(key)),
    ...diskMark(files, health, dir),
    state: health.state,
    trouble: health.trouble,
    space: health.space,
    async close() {},
  };
}

function pathOf(dir: string, key: string): string {
  assertBlobKey(key);
  return join(dir, key.slice(0, 2), key);
}

/** The folders of keys. Each is created and flushed once; writers that need it wait for that. */
function createFolders(files: Files, health: DiskHealth, dir: string) {
  const ready = new Map<string, Promise<void>>();

  async function make(folder: string): Promise<void> {
    await files.mkdir(folder, { mode: 0o700 }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw health.failed(error);
    });
    // Also if it existed: another process may have created it and not flushed it yet.
    await syncFolder(files, health, dir);
  }

  return {
    prepare(folder: string): Promise<void> {
      const making = ready.get(folder) ?? make(folder);
      ready.set(folder, making);
      making.catch(() => ready.delete(folder));
      return making;
    },
    async has(folder: string): Promise<boolean> {
      if (ready.has(folder)) return true;
      return files.stat(folder).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Reads one chunk ahead. */
async function* readFile(
  { files, health }: { files: Files; health: DiskHealth },
  { key, path }: { key: string; path: string },
  range: ByteRange,
  pieceBytes: () => number,
): AsyncGenerator<Buffer> {
  const handle = await files.open(path, 'r').catch((error) => {
    throw codeOf(error) === 'ENOENT' ? new BlobMissing(key) : health.failed(error);
  });
  const readChunk = async (at: number): Promise<Buffer> => {
    const length = Math.min(pieceBytes(), range.end - at);
    if (length <= 0) return Buffer.alloc(0);
    const buffer = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await handle.read(buffer, 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  let next = readChunk(range.start);
  try {
    for (let at = range.start; ; ) {
      const piece = await next.catch((error) => {
        throw health.failed(error);
      });
      if (piece.length === 0) return;
      at += piece.length;
      next = readChunk(at);
      next.catch(() => {});
      yield piece;
    }
  } finally {
    await next.catch(() => {});
    await handle.close();
  }
}

async function statOf(files: Files, health: DiskHealth, key: string, path: string): Promise<StoredBlob | null> {
  try {
    const { size, mtimeMs } = await files.stat(path);
    return { key, storedBytes: size, modifiedAt: Math.floor(mtimeMs) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw health.failed(error);
  }
}

async function* listFiles(files: Files, health: DiskHealth, dir: string): AsyncGenerator<StoredBlob> {
  for await (const folder of await files.opendir(dir)) {
    if (!folder.isDirectory() || folder.name.length !== 2) continue;
    for await (const file of await files.opendir(join(dir, folder.name))) {
      if (!isBlobKey(file.name) || !file.name.startsWith(folder.name)) continue;
      const found = await statOf(files, health, file.name, join(dir, folder.name, file.name));
      if (found) yield found;
    }
  }
}

async function removeOldTemps(
  files: Files,
  tempDir: string,
  olderThan: number,
  isArriving: (key: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  for await (const entry of await files.opendir(tempDir)) {
    if (!entry.isFile()) continue;
    const path = join(tempDir, entry.name);
    try {
      if ((await files.stat(path)).mtimeMs >= olderThan || (await isArriving(entry.name.split('.')[0]!))) continue;
      await files.unlink(path);
      removed += 1;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return removed;
}
