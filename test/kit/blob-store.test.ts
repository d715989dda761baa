import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blobStoreSuite, freshKey, putBlob } from '#server/blobs/blob-store.suite.ts';
import { StoreFull } from '#server/domain/ports.ts';
import { openMemoryStore } from './blob-store.ts';

blobStoreSuite('memory', async () => {
  const store = openMemoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
});

it('a memory store with a limit refuses what exceeds it, and has space again after a deletion', async () => {
  const store = openMemoryStore({ limitBytes: 10 });
  const key = freshKey();
  await putBlob(store, key, Buffer.alloc(10));
  assert.equal(await store.state(), 'no_uploads');
  const writer = await store.create(freshKey());
  await assert.rejects(writer.write(Buffer.alloc(1)), StoreFull);
  await writer.abort();
  await store.delete(key);
  assert.equal(await store.state(), 'healthy');
});
