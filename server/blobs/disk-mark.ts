// The file that names the installation of a folder of blobs. Replaced atomically.
import { join } from 'node:path';
import type { BlobStore } from '#server/domain/ports.ts';
import { codeOf, type DiskHealth, type Files } from './disk-health.ts';
import { syncFolder } from './disk-writer.ts';

export const markName = 'waybill-installation';

export function diskMark(files: Files, health: DiskHealth, dir: string): Pick<BlobStore, 'readMark' | 'writeMark'> {
  return {
    readMark: () => readDiskMark(files, health, dir),
    writeMark: (text) => writeDiskMark(files, health, dir, text),
  };
}

async function readDiskMark(files: Files, health: DiskHealth, dir: string): Promise<string | null> {
  const handle = await files.open(join(dir, markName), 'r').catch((error) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw health.failed(error);
  });
  if (handle === null) return null;
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function writeDiskMark(files: Files, health: DiskHealth, dir: string, text: string): Promise<void> {
  const tempPath = join(dir, 'tmp', `${markName}-${process.pid}`);
  try {
    const handle = await files.open(tempPath, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(tempPath, join(dir, markName));
  } catch (error) {
    throw health.failed(error);
  }
  await syncFolder(files, health, dir);
}
