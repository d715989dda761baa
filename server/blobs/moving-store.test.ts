import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BlobMissing, type BlobStore } from '#server/domain/ports.ts';
import { blobStoreSuite, freshKey, putBlob } from './blob-store.suite.ts';
import { openMemoryStore } from './memory.ts';
import { openMovingStore } from './moving-store.ts';

blobStoreSuite('two stores while files move', async () => {
  const store = openMovingStore(openMemoryStore(), openMemoryStore());
  return { store, reopen: async () => store, dispose: () => store.close() };
});

async function bytesOf(store: BlobStore, key: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of store.read(key, { start: 0, end: 100 })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('what is in the former store is found there, also when it moves between two looks, and is deleted in both', async () => {
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
