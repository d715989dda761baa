import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreUnavailable } from '#server/domain/ports.ts';
import { watchSyncs } from '#test/kit/syncs.ts';
import { evidenceFilesSuite } from './evidence-files.suite.ts';
import { openEvidenceFolder } from './evidence-folder.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'evidence-'));

evidenceFilesSuite('folder', async () => {
  const dir = await newFolder();
  return { files: openEvidenceFolder(join(dir, 'evidence')), dispose: () => rm(dir, { recursive: true }) };
});

test('the folder contains only the files themselves', async () => {
  const dir = await newFolder();
  const files = openEvidenceFolder(join(dir, 'evidence'));
  await files.put([{ path: 'tile/0/000.p/1', bytes: Buffer.from('1') }]);
  await files.put([{ path: 'tile/0/000', bytes: Buffer.from('2') }]);
  await files.remove(['tile/0/000.p/1']);
  assert.deepEqual(await readdir(join(dir, 'evidence'), { recursive: true }), ['tile', 'tile/0', 'tile/0/000']);
  await rm(dir, { recursive: true });
});

test('files are durable with their folders', async (t) => {
  const dir = await newFolder();
  const files = openEvidenceFolder(join(dir, 'evidence'));
  const synced = await watchSyncs(t);
  await files.put([{ path: 'tile/0/000', bytes: Buffer.from('1') }]);
  assert.deepEqual(synced.toSorted(), ['file', 'folder', 'folder', 'folder', 'folder']);
  synced.length = 0;
  await files.put([{ path: 'tile/0/001', bytes: Buffer.from('1') }]);
  assert.deepEqual(synced, ['file', 'folder']);
  await rm(dir, { recursive: true });
});

test('an unusable folder is an unreachable store, with the reason', async () => {
  const dir = await newFolder();
  await writeFile(join(dir, 'evidence'), 'a file in its place');
  const files = openEvidenceFolder(join(dir, 'evidence'));
  await assert.rejects(files.put([{ path: 'tile/0/000', bytes: Buffer.from('1') }]), (error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(error.message, /the folder of the log of evidence failed with E/);
    return true;
  });
  await rm(dir, { recursive: true });
});

test('anything but a file is neither overwritten, nor read, nor removed', async () => {
  const dir = await newFolder();
  const files = openEvidenceFolder(join(dir, 'evidence'));
  await files.put([{ path: 'tile/0/000', bytes: Buffer.from('1') }]);
  assert.equal((await stat(join(dir, 'evidence', 'tile'))).mode & 0o7777, 0o700);
  await mkdir(join(dir, 'evidence', 'checkpoint', 'inside'), { recursive: true });
  for (const work of [
    () => files.put([{ path: 'checkpoint', bytes: Buffer.from('1') }]),
    () => files.get('checkpoint'),
    () => files.remove(['checkpoint']),
  ])
    await assert.rejects(work, StoreUnavailable);
  assert.deepEqual(await readdir(join(dir, 'evidence', 'checkpoint')), ['inside']);
  await rm(dir, { recursive: true });
});
