// Copying a blob between stores: existing copies, wrong bytes, failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobMissing, type BlobStore, StoreUnavailable } from '../domain/ports.ts';
import { copyBlob } from './copying.ts';

const key = 'blob0001';

/**
 * A store in memory; `lies` replaces the next blob, `tells` adds to blob lengths, `hides` makes reading known blobs fail.
 */
function memoryStore(blobs: Record<string, string> = {}, { lies = '', tells = 0, hides = false } = {}) {
  const kept = new Map(Object.entries(blobs));
  const done: string[] = [];
  const store = {
    async stat(key: string) {
      const text = kept.get(key);
      return text === undefined ? null : { storedBytes: text.length + tells };
    },
    async *read(key: string, { start, end }: { start: number; end: number }) {
      if (hides) throw new BlobMissing(key);
      const text = kept.get(key)!.slice(start, end);
      for (const chunk of text.match(/.{1,4}/g) ?? []) yield Buffer.from(chunk);
    },
    async delete(key: string) {
      done.push('delete');
      kept.delete(key);
    },
    async create(key: string) {
      let text = '';
      return {
        async write(chunk: Buffer) {
          text += chunk.toString();
        },
        async commit() {
          done.push('commit');
          kept.set(key, lies || text);
        },
        async abort() {
          done.push('abort');
        },
      };
    },
  };
  return { store: store as unknown as BlobStore, kept, done };
}

test('a blob is copied completely, and its bytes are counted', async () => {
  const [from, to] = [memoryStore({ [key]: 'ten bytes.' }), memoryStore()];
  const counted: number[] = [];
  const onBytes = async (count: number) => void counted.push(count);
  const copied = await copyBlob({ from: from.store, to: to.store }, key, { onBytes, isVerified: true });
  assert.deepEqual(copied, { storedBytes: 10, wasThere: false });
  assert.deepEqual([to.kept.get(key), counted, to.done], ['ten bytes.', [4, 4, 2], ['commit']]);
});

test('an existing one is not changed, or is verified if requested; one of another length is replaced', async () => {
  const from = memoryStore({ [key]: 'ten bytes.' });
  const copyOver = async (there: string, isVerified: boolean) => {
    const to = memoryStore({ [key]: there });
    const { wasThere } = await copyBlob({ from: from.store, to: to.store }, key, { isVerified });
    return [wasThere, to.kept.get(key), to.done];
  };
  assert.deepEqual(await copyOver('ten bytes.', true), [true, 'ten bytes.', []]);
  assert.deepEqual(await copyOver('TEN BYTES.', false), [true, 'TEN BYTES.', []]);
  for (const wrong of ['TEN BYTES.', 'Ten bytes.', 'ten bytes!'])
    assert.deepEqual(await copyOver(wrong, true), [false, 'ten bytes.', ['delete', 'commit']], wrong);
  assert.deepEqual(await copyOver('half', false), [false, 'ten bytes.', ['delete', 'commit']]);
});

test('one that the source lacks, or has incompletely, is not stored', async () => {
  const to = memoryStore();
  await assert.rejects(copyBlob({ from: memoryStore().store, to: to.store }, key), BlobMissing);
  const short = memoryStore({ [key]: 'ten bytes.' }, { tells: 1 });
  await assert.rejects(copyBlob({ from: short.store, to: to.store }, key), StoreUnavailable);
  assert.deepEqual([[...to.kept], to.done], [[], ['abort']]);
});

test('a copy that reads back differently is deleted, if it is read back', async () => {
  const from = memoryStore({ [key]: 'ten bytes.' });
  const to = memoryStore({}, { lies: 'ten bytes?' });
  await assert.rejects(
    copyBlob({ from: from.store, to: to.store }, key, { isVerified: true }),
    /reads back differently/,
  );
  assert.deepEqual([[...to.kept], to.done], [[], ['commit', 'delete']]);
  assert.equal((await copyBlob({ from: from.store, to: to.store }, key)).wasThere, false);
});

test('a copy that cannot be read back is not reported as a missing source: a move would delete the original', async () => {
  const from = memoryStore({ [key]: 'ten bytes.' });
  for (const there of [[], [[key, 'ten bytes.']]]) {
    const to = memoryStore(Object.fromEntries(there), { hides: true });
    await assert.rejects(copyBlob({ from: from.store, to: to.store }, key, { isVerified: true }), (error) => {
      assert.ok(error instanceof StoreUnavailable && !(error instanceof BlobMissing), String(error));
      assert.match(error.message, /cannot be read back/);
      return true;
    });
  }
});
