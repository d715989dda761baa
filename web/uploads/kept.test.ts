import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createStore, type Kept } from './kept.ts';

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

function underWay(name: string, keptAt: number, nextPiece = 1): Kept {
  const upload = { name, sizeBytes: 30, modifiedAt: 1, pieceBytes: 10, uploadId: 'u1', nextPiece, crc: 7 };
  return { is: 'under-way', upload, keptAt };
}

it('survives storage that is missing, full or holds nonsense', () => {
  const full: Storage = {
    ...memory(),
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
  const broken = memory();
  broken.setItem('k', '{"not": "a list"');
  for (const storage of [null, full, broken]) {
    const store = createStore(storage, 'k', () => 0);
    assert.deepEqual(store.list(), []);
    store.keep(underWay('a', 0));
    store.clear();
  }
});

it('keeps one note for each file, the newest, in the order the files came', () => {
  const store = createStore(memory(), 'k', () => 0);
  store.keep(underWay('a', 0));
  store.keep(underWay('b', 0));
  store.keep(underWay('a', 0, 2));
  assert.deepEqual(store.list(), [underWay('a', 0, 2), underWay('b', 0)]);
  store.keep({ is: 'arrived', attachmentId: 'x', name: 'a', sizeBytes: 30, modifiedAt: 1, keptAt: 0 });
  assert.deepEqual(
    store.list().map(({ is }) => is),
    ['arrived', 'under-way'],
  );
  store.forget({ name: 'a', sizeBytes: 30, modifiedAt: 1 });
  assert.deepEqual(store.list(), [underWay('b', 0)]);
});

it('forgets what the server has forgotten, and leaves nothing behind when it is emptied', () => {
  const storage = memory();
  let now = 0;
  const store = createStore(storage, 'k', () => now);
  store.keep(underWay('a', 0));
  now = day - 1;
  assert.equal(store.list().length, 1);
  now = day;
  assert.deepEqual(store.list(), []);
  store.clear();
  assert.equal(storage.values.size, 0);
});
