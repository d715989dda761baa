import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { evidenceFilesSuite } from './evidence-files.suite.ts';
import { openEvidenceFolder } from './evidence-folder.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'evidence-'));

evidenceFilesSuite('folder', async () => {
  const dir = await newFolder();
  return { files: openEvidenceFolder(join(dir, 'evidence')), dispose: () => rm(dir, { recursive: true }) };
});

test('nothing but the files themselves is left in the folder', async () => {
  const dir = await newFolder();
  const files = openEvidenceFolder(join(dir, 'evidence'));
  await files.put([{ path: 'tile/0/000.p/1', bytes: Buffer.from('1') }]);
  await files.put([{ path: 'tile/0/000', bytes: Buffer.from('2') }]);
  await files.remove(['tile/0/000.p/1']);
  assert.deepEqual(await readdir(join(dir, 'evidence'), { recursive: true }), ['tile', 'tile/0', 'tile/0/000']);
  await rm(dir, { recursive: true });
});
