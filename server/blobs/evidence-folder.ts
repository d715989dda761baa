// The files of the event log in the folder `data/evidence`. Each is replaced atomically: temporary name, flush, rename.
import { mkdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type EvidenceFiles, StoreUnavailable } from '#server/domain/ports.ts';
import { syncFolder, writeWhole } from '#server/lib/durable-files.ts';
import { codeOf } from './disk-health.ts';

export function openEvidenceFolder(dir: string): EvidenceFiles {
  return {
    async put(files) {
      await orUnavailable(async () => {
        const folders = new Set<string>();
        for (const { path, bytes } of files) {
          const place = join(dir, path);
          await writeWhole(place, bytes).catch(async (error) => {
            if (!isMissing(error)) throw error;
            await createFolder(dirname(place), dirname(dir), folders);
            await writeWhole(place, bytes);
          });
          folders.add(dirname(place));
        }
        for (const folder of folders) await syncFolder(folder);
      });
    },
    get: (path) =>
      orUnavailable(() =>
        readFile(join(dir, path)).catch((error) => {
          if (isMissing(error)) return null;
          throw error;
        }),
      ),
    async remove(paths) {
      await orUnavailable(async () => {
        for (const path of paths) {
          await unlink(join(dir, path)).catch(ignoreMissing);
          // The folder of a partial tile, once its last file is gone.
          if (path.includes('.p/')) await rmdir(join(dir, dirname(path))).catch(() => {});
        }
      });
    },
    async close() {},
  };
}

/** Also collects the folders with a new entry, which must be flushed. */
async function createFolder(folder: string, top: string, changed: Set<string>): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length && at !== top; at = dirname(at)) changed.add(dirname(at));
}

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new StoreUnavailable(`the folder of the log of evidence failed with ${codeOf(error)}`);
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
