// Atomic file replacement that survives a power cut.
import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';

/** Fsyncs the contents; the directory entry becomes durable with `syncFolder`. */
export async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    await rename(temporary, path);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
