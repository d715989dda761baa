import assert from 'node:assert/strict';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { watchSyncs } from '#test/kit/syncs.ts';
import { openBackupFolder, snapshotIdOf } from './backup-folder.ts';
import { collect, freshKey, putBlob } from './blob-store.suite.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const [first, second] = [snapshotIdOf(Date.UTC(2026, 10, 1)), snapshotIdOf(Date.UTC(2026, 10, 2))];

async function open(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'waybill-backups-'));
  t.after(() => rm(dir, { recursive: true }));
  return { dir, folder: await openBackupFolder(join(dir, 'backups'), 0), snapshots: join(dir, 'backups', 'snapshots') };
}

describe('a folder of backups', () => {
  test('is accessible to its owner only', async (t) => {
    const { dir, snapshots } = await open(t);
    for (const path of [join(dir, 'backups'), snapshots]) assert.equal((await stat(path)).mode & 0o7777, 0o700, path);
  });

  test('lists snapshots with a manifest, oldest first, and removes unfinished ones', async (t) => {
    const { dir, folder, snapshots } = await open(t);
    for (const id of [second, first]) {
      await folder.openTables(id);
      await folder.finish(id, `manifest of ${id}`);
    }
    const writer = await folder.files.create(freshKey());
    await writer.write(Buffer.from('half'));
    const killed = snapshotIdOf(Date.UTC(2026, 10, 3));
    await folder.openTables(killed);
    await mkdir(join(snapshots, 'notes of the operator'));
    assert.deepEqual(await folder.listIds(), [first, second]);
    assert.equal(await folder.readManifest(first), `manifest of ${first}`);
    const again = await openBackupFolder(join(dir, 'backups'), 0);
    await again.removeUnfinished();
    assert.deepEqual(await readdir(join(dir, 'backups', 'files', 'tmp')), []);
    assert.deepEqual((await readdir(snapshots)).sort(), [first, second, 'notes of the operator']);
    await writer.abort();
  });

  test('makes a snapshot durable: its manifest, its name, and its removal', async (t) => {
    const { folder, snapshots } = await open(t);
    await folder.openTables(first);
    const synced = await watchSyncs(t);
    await folder.finish(first, 'manifest');
    assert.deepEqual(synced, ['file', 'folder', 'folder']);
    await folder.remove(first);
    assert.deepEqual(synced.slice(3), ['folder']);
    assert.deepEqual(await readdir(snapshots), []);
  });

  test('keeps a snapshot whose removal is not certain', async (t) => {
    const { folder, snapshots } = await open(t);
    await folder.openTables(first);
    await folder.finish(first, 'manifest');
    const handle = await openFile(snapshots, 'r');
    await handle.close();
    t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', () =>
      Promise.reject(new Error('the disk failed')),
    );
    await assert.rejects(folder.remove(first), /the disk failed/);
    assert.deepEqual(await readdir(join(snapshots, first)), ['data']);
  });

  test('keeps what a snapshot needs on file systems with whole seconds or with local time', async (t) => {
    const { dir, folder } = await open(t);
    const madeAt = Date.UTC(2026, 10, 1, 2, 3, 5, 678);
    const key = freshKey();
    await putBlob(folder.files, key, Buffer.from('kept'));
    await folder.noteUse(key, madeAt);
    for (const early of [madeAt % 1000, madeAt % 2000, hourMs]) {
      const fileTime = new Date(madeAt - early);
      await utimes(join(dir, 'backups', 'files', key.slice(0, 2), key), fileTime, fileTime);
      assert.equal(await folder.removeFilesUnusedSince(madeAt), 0);
    }
    assert.equal(await folder.removeFilesUnusedSince(madeAt + hourMs + 1), 1, 'and not for ever');
  });

  test('removes a snapshot, even one that is gone already, and reports when it cannot', async (t) => {
    const { folder, snapshots } = await open(t);
    await folder.openTables(first);
    await folder.finish(first, 'manifest');
    for (const id of [first, first, second]) await folder.remove(id);
    assert.deepEqual(await folder.listIds(), []);
    assert.deepEqual(await readdir(snapshots), []);
    await rm(snapshots, { recursive: true });
    await writeFile(snapshots, 'no folder');
    await assert.rejects(folder.remove(first), { code: 'ENOTDIR' });
  });

  test('keeps only files that a snapshot of this instant or a later one needs', async (t) => {
    const { folder } = await open(t);
    const at = Date.UTC(2026, 10, 1);
    const [older, same, later] = [freshKey(), freshKey(), freshKey()];
    for (const [key, days] of [
      [older, -1],
      [same, 0],
      [later, 1],
    ] as const) {
      await putBlob(folder.files, key, Buffer.from('x'));
      await folder.noteUse(key, at + days * dayMs);
    }
    assert.equal(await folder.removeFilesUnusedSince(at), 1);
    const kept = (await collect(folder.files.list())).map(({ key }) => key);
    assert.deepEqual(kept.sort(), [same, later].sort());
    await assert.rejects(folder.noteUse('../../etc/passwd', at), TypeError);
  });
});
