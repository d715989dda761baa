import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createUploadStore, type StoredFile } from './saved-uploads.ts';

const day = 24 * 3_600_000;

function memory(): Storage & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    length: 0,
    clear: () => values.clear(),
    getItem: (key) => values.get(key) ?? null,
    key: () => null,
    removeItem: (key) => void values.delete(key),
    setItem: (key, value) => void values.set(key, value),
  };
}

function unfinished(name: string, keptAt: number, nextPiece = 1): StoredFile {
  const upload = { name, sizeBytes: 30, modifiedAt: 1, pieceBytes: 10, uploadId: 'u1', nextPiece, crc: 7 };
  return { is: 'under-way', upload, keptAt };
}

it('survives storage that is missing, full or corrupt', () => {
  const full: Storage = {
    ...memory(),
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
  const broken = memory();
  broken.setItem('k', '{"not": "a list"');
  for (const storage of [null, full, broken]) {
    const store = createUploadStore(storage, 'k', () => 0);
    assert.deepEqual(store.list(), []);
    store.save(unfinished('a', 0));
    store.clear();
  }
});

it('keeps one entry per file, the newest, in the order the files were added', () => {
  const store = createUploadStore(memory(), 'k', () => 0);
  store.save(unfinished('a', 0));
  store.save(unfinished('b', 0));
  store.save(unfinished('a', 0, 2));
  assert.deepEqual(store.list(), [unfinished('a', 0, 2), unfinished('b', 0)]);
  store.save({ is: 'arrived', attachmentId: 'x', name: 'a', sizeBytes: 30, modifiedAt: 1, keptAt: 0 });
  assert.deepEqual(
    store.list().map(({ is }) => is),
    ['arrived', 'under-way'],
  );
  store.remove({ name: 'a', sizeBytes: 30, modifiedAt: 1 });
  assert.deepEqual(store.list(), [unfinished('b', 0)]);
});

it('drops entries older than the server keeps uploads, and removes its key when cleared', () => {
  const storage = memory();
  let now = 0;
  const store = createUploadStore(storage, 'k', () => now);
  store.save(unfinished('a', 0));
  now = day - 1;
  assert.equal(store.list().length, 1);
  now = day;
  assert.deepEqual(store.list(), []);
  store.clear();
  assert.equal(storage.values.size, 0);
});
