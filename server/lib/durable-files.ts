// Files that are there whole or not at all, also after a power cut: written next to their destination, flushed, and moved there.
import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';

/** Its content is durable; its name is with the next `syncFolder` of its folder. */
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

/** Without it a power cut could forget a new name. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
