import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { BlobMissing, type BlobStore } from '#server/domain/ports.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { blobStoreSuite, freshKey, putBlob } from './blob-store.suite.ts';
import { openEvidenceFolder } from './evidence-folder.ts';
import { openMovingEvidence, openMovingStore } from './moving-store.ts';

blobStoreSuite('two stores while files move', async () => {
  const store = openMovingStore(openMemoryStore(), openMemoryStore());
  return { store, reopen: async () => store, dispose: () => store.close() };
});

async function bytesOf(store: BlobStore, key: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(key, { start: 0, end: 100 })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('a blob in the former store is found there, even when it moves between two reads, and is deleted in both', async () => {
  const [current, former] = [openMemoryStore(), openMemoryStore()];
  const key = freshKey();
  await putBlob(former, key, Buffer.from('before'));
  const store = openMovingStore(current, former);
  assert.equal(await bytesOf(store, key), 'before');
  assert.equal((await store.stat(key))!.storedBytes, 6);
  const movingAway: BlobStore = {
    ...former,
    async *read() {
      await putBlob(current, key, Buffer.from('before'));
      yield* [] as Buffer[];
      throw new BlobMissing(key);
    },
  };
  assert.equal(await bytesOf(openMovingStore(current, movingAway), key), 'before');
  const listed: string[] = [];
  for await (const blob of store.list()) listed.push(blob.key);
  assert.deepEqual(listed, [key], 'each once');
  await store.delete(key);
  assert.deepEqual([await current.stat(key), await former.stat(key)], [null, null]);
});

it('the evidence log is read in both places, grows in the current one, and is removed in both', async (context) => {
  const dir = await mkdtemp(join(tmpdir(), 'waybill-moving-'));
  context.after(() => rm(dir, { recursive: true, force: true }));
  const [current, former] = [openEvidenceFolder(join(dir, 'current')), openEvidenceFolder(join(dir, 'former'))];
  await former.put([{ path: 'old', bytes: Buffer.from('of before') }]);
  const files = openMovingEvidence(current, former);
  await files.put([{ path: 'new', bytes: Buffer.from('of now') }]);
  assert.deepEqual([String(await files.get('old')), String(await files.get('new'))], ['of before', 'of now']);
  assert.deepEqual([await current.get('old'), await former.get('new')], [null, null]);
  await current.put([{ path: 'old', bytes: Buffer.from('moved') }]);
  await files.remove(['old', 'new']);
  for (const place of [current, former])
    assert.deepEqual([await place.get('old'), await place.get('new')], [null, null]);
  await files.close();
});
