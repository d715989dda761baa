// Records each file or folder that is synced, in order.
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { TestContext } from 'node:test';

export async function watchSyncs(t: TestContext): Promise<('file' | 'folder')[]> {
  const handle = await open(tmpdir(), 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: ('file' | 'folder')[] = [];
  const { sync } = prototype;
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    synced.push((await this.stat()).isDirectory() ? 'folder' : 'file');
    await sync.call(this);
  });
  return synced;
}
