import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { watchSyncs } from '#test/kit/syncs.ts';
import { writeWhole } from './durable-files.ts';

async function openIn(folder: string): Promise<string[]> {
  const held = await readdir('/proc/self/fd');
  const paths = await Promise.all(held.map((one) => readlink(join('/proc/self/fd', one)).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-durable-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a file that is written whole', () => {
  test('replaces the previous one, for its owner only, and is flushed', async (t) => {
    const folder = await folderFor(t);
    const path = join(folder, 'one');
    await writeFile(path, 'a longer text than the next', { mode: 0o644 });
    const synced = await watchSyncs(t);
    await writeWhole(path, 'new');
    assert.deepEqual(await openIn(folder), []);
    assert.equal(await readFile(path, 'utf8'), 'new');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(synced, ['file']);
    assert.deepEqual(await readdir(folder), ['one']);
  });

  test('that cannot be renamed is an error, and leaves no temporary file', async (t) => {
    const folder = await folderFor(t);
    await mkdir(join(folder, 'taken', 'inside'), { recursive: true });
    await assert.rejects(writeWhole(join(folder, 'taken'), 'new'), { syscall: 'rename' });
    assert.deepEqual(await readdir(folder), ['taken']);
  });

  test('that cannot be flushed is an error too, and is not left open', async (t) => {
    const folder = await folderFor(t);
    const prototype = Object.getPrototypeOf(await open(folder, 'r').then((one) => one.close().then(() => one)));
    t.mock.method(prototype, 'sync', () => Promise.reject(new Error('the disk failed')));
    await assert.rejects(writeWhole(join(folder, 'one'), 'new'), /the disk failed/);
    assert.deepEqual(await readdir(folder), []);
    assert.deepEqual(await openIn(folder), []);
  });
});
