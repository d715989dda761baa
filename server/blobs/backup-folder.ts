// A folder of backups. All snapshots share the files; a snapshot is valid once its manifest exists. All content is encrypted.
//
//   files/               blobs, as in the store
//   snapshots/<id>/data  the tables of one snapshot
//   snapshots/<id>/manifest.json
import { access, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '#server/domain/ports.ts';
import { syncFolder, writeWhole } from '#server/lib/durable-files.ts';
import { createFolder } from '#server/lib/folders.ts';
import { assertBlobKey } from './blob-key.ts';
import { openDiskStore } from './disk.ts';
import { codeOf } from './disk-health.ts';
import { markName } from './disk-mark.ts';

export interface BackupFolder {
  /** Blobs of all snapshots. Its mark names the installation of the folder. */
  files: BlobStore;
  /** Ids of finished snapshots, oldest first. */
  listIds(): Promise<string[]>;
  readManifest(id: string): Promise<string>;
  openTables(id: string): Promise<BlobStore>;
  /** Makes the snapshot valid, durably. */
  finish(id: string, manifest: string): Promise<void>;
  /** The snapshot becomes invalid before anything of it is removed. */
  remove(id: string): Promise<void>;
  /** Removes remains of killed runs. No other process may be writing. */
  removeUnfinished(): Promise<void>;
  noteUse(key: string, at: number): Promise<void>;
  /** Removes blobs that no snapshot since this instant needs; returns how many. */
  removeFilesUnusedSince(at: number): Promise<number>;
}

/** Such as `20261116T190727123Z`, so that names sort by time. */
const idPattern = /^\d{8}T\d{9}Z$/;
const manifestName = 'manifest.json';
/**
 * Times of `noteUse` may read back earlier: file systems store whole or every other second, and those with local time
 * change by an hour when summer time ends.
 */
const imprecisionMs = 2 * 3_600_000;

export function snapshotIdOf(instant: number): string {
  return new Date(instant).toISOString().replaceAll(/[-:.]/g, '');
}

export function isSnapshotId(text: string): boolean {
  return idPattern.test(text);
}

export async function isBackupFolder(dir: string): Promise<boolean> {
  return access(join(dir, 'snapshots')).then(
    () => true,
    () => false,
  );
}

/** The installation of the folder; null if it has none. Changes nothing. */
export async function readBackupMark(dir: string): Promise<string | null> {
  return readFile(join(dir, 'files', markName), 'utf8').catch(() => null);
}

export async function openBackupFolder(dir: string, minFreeBytes: number): Promise<BackupFolder> {
  const snapshots = join(dir, 'snapshots');
  await createFolder(snapshots);
  const files = await openDiskStore({ dir: join(dir, 'files'), minFreeBytes });
  const manifestOf = (id: string) => join(snapshots, id, manifestName);

  async function listAll(): Promise<{ id: string; isFinished: boolean }[]> {
    const ids = (await readdir(snapshots)).filter(isSnapshotId).sort();
    return Promise.all(ids.map(async (id) => ({ id, isFinished: await exists(manifestOf(id)) })));
  }

  return {
    files,
    listIds: async () => (await listAll()).filter(({ isFinished }) => isFinished).map(({ id }) => id),
    readManifest: (id) => readFile(manifestOf(id), 'utf8'),
    openTables: (id) => openDiskStore({ dir: join(snapshots, id, 'data'), minFreeBytes }),
    async finish(id, manifest) {
      await writeWhole(manifestOf(id), manifest);
      await syncFolder(join(snapshots, id));
      await syncFolder(snapshots);
    },
    async remove(id) {
      await rm(manifestOf(id), { force: true });
      await syncFolder(join(snapshots, id)).catch(ignoreMissing);
      await rm(join(snapshots, id), { recursive: true, force: true });
    },
    async removeUnfinished() {
      for (const { id, isFinished } of await listAll())
        if (!isFinished) await rm(join(snapshots, id), { recursive: true, force: true });
      await files.removeUnfinished(Number.MAX_SAFE_INTEGER, async () => false);
    },
    async noteUse(key, at) {
      assertBlobKey(key);
      const instant = new Date(at);
      await utimes(join(dir, 'files', key.slice(0, 2), key), instant, instant);
    },
    async removeFilesUnusedSince(at) {
      let removed = 0;
      for await (const { key, modifiedAt } of files.list()) {
        if (modifiedAt >= at - imprecisionMs) continue;
        await files.delete(key);
        removed += 1;
      }
      return removed;
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
