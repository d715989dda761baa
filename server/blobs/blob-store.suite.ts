// The contract of a blob store as tests, which every store runs.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { BlobMissing, type BlobStore, type ByteRange } from '#server/domain/ports.ts';

export interface StoreUnderTest {
  store: BlobStore;
  /** A second store over the same place, as in another process. */
  reopen(): Promise<BlobStore>;
  dispose(): Promise<void>;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function freshKey(): string {
  return Array.from(randomBytes(22), (byte) => alphabet[byte % alphabet.length]).join('');
}

export async function putBlob(store: BlobStore, key: string, ...chunks: Buffer[]): Promise<void> {
  const writer = await store.create(key);
  try {
    for (const chunk of chunks) await writer.write(chunk);
    await writer.commit();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

export async function readBlob(store: BlobStore, key: string, range?: ByteRange): Promise<Buffer> {
  return Buffer.concat(await collect(store.read(key, range ?? { start: 0, end: Number.MAX_SAFE_INTEGER })));
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function listKeys(store: BlobStore): Promise<string[]> {
  return (await collect(store.list())).map((blob) => blob.key);
}

export function blobStoreSuite(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a blob store`, () => {
    let place: StoreUnderTest;
    let store: BlobStore;
    before(async () => {
      place = await makeStore();
      store = place.store;
    });
    after(() => place.dispose());

    refusals(() => store);
    writing(() => store);
    written(
      () => store,
      () => place,
    );
    reading(() => store);
  });
}

function refusals(store: () => BlobStore): void {
  it('stores the mark of its owner, which is not a blob', async () => {
    assert.equal(await store().readMark(), null);
    for (const text of ['one', 'two']) {
      await store().writeMark(text);
      assert.equal(await store().readMark(), text);
    }
    assert.deepEqual(await listKeys(store()), []);
    assert.deepEqual([await store().state(), store().trouble()], ['healthy', '']);
  });

  it('refuses a name that is not a key', async () => {
    for (const name of ['', '../../../../etc/passwd', 'short', `${freshKey()}x`, `${freshKey().slice(1)}/`]) {
      await assert.rejects(async () => store().create(name), TypeError);
      await assert.rejects(readBlob(store(), name), TypeError);
    }
  });

  it('reports a missing blob', async () => {
    const key = freshKey();
    await assert.rejects(readBlob(store(), key), BlobMissing);
    await assert.rejects(readBlob(store(), key, { start: 0, end: 0 }), BlobMissing);
    assert.equal(await store().stat(key), null);
  });

  it('does not overwrite a blob', async () => {
    const key = freshKey();
    await putBlob(store(), key, Buffer.from('first'));
    await assert.rejects(putBlob(store(), key, Buffer.from('second')));
    assert.equal(String(await readBlob(store(), key)), 'first');
  });

  it('accepts no more bytes after an abort', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    await writer.write(Buffer.from('x'));
    await writer.abort();
    await assert.rejects(writer.write(Buffer.from('y')));
    await assert.rejects(writer.commit());
    assert.equal(await store().stat(key), null);
  });
}

function writing(store: () => BlobStore): void {
  it('shows nothing under the key before the commit', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    await writer.write(randomBytes(100_000));
    assert.equal(await store().stat(key), null);
    assert.ok(!(await listKeys(store())).includes(key));
    await assert.rejects(readBlob(store(), key), BlobMissing);
    await writer.abort();
  });

  it('leaves nothing after an abort, and may be aborted twice', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    await writer.write(randomBytes(100_000));
    await writer.abort();
    await writer.abort();
    assert.equal(await store().stat(key), null);
    assert.equal(await store().removeUnfinished(Date.now() + 3_600_000, async () => false), 0);
  });

  it('accepts nothing from a writer after its commit', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    await writer.write(Buffer.from('whole'));
    await writer.commit();
    await assert.rejects(writer.write(Buffer.from('more')));
    await assert.rejects(writer.commit());
    await writer.abort();
    assert.equal(String(await readBlob(store(), key)), 'whole');
    assert.equal(await store().state(), 'healthy');
  });

  it('knows how full it is, or that this is unknown', async () => {
    const space = await store().space();
    if (space !== null) assert.ok(space.usedBytes >= 0 && space.usedBytes < space.totalBytes, JSON.stringify(space));
  });

  it('keeps a committed blob when it is aborted afterwards', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    await writer.write(Buffer.from('kept'));
    await writer.commit();
    await writer.abort();
    assert.equal(String(await readBlob(store(), key)), 'kept');
  });
}

function written(store: () => BlobStore, place: () => StoreUnderTest): void {
  it('keeps an empty blob', async () => {
    const key = freshKey();
    await putBlob(store(), key);
    assert.equal((await store().stat(key))?.storedBytes, 0);
    assert.equal((await readBlob(store(), key)).length, 0);
  });

  it('returns many written chunks as one blob, to another process too', async () => {
    const key = freshKey();
    const chunks = [1, 65_536, 3, 1_048_576, 17].map((length) => randomBytes(length));
    await putBlob(store(), key, ...chunks);
    const other = await place().reopen();
    assert.ok(Buffer.concat(chunks).equals(await readBlob(other, key)));
  });

  it('may not keep the bytes of a write after it has resolved', async () => {
    const key = freshKey();
    const writer = await store().create(key);
    const bytes = Buffer.from('true');
    await writer.write(bytes);
    bytes.fill('x');
    await writer.commit();
    assert.equal(String(await readBlob(store(), key)), 'true');
  });

  it('removes unfinished blobs of a dead process, but not recent or active ones', async () => {
    const key = freshKey();
    const other = await place().reopen();
    const writer = await other.create(key);
    // Enough for a store that sends nothing before a part is full.
    for (let n = 0; n < 9; n += 1) await writer.write(Buffer.alloc(1024 * 1024));
    assert.equal(await store().removeUnfinished(Date.now() - 3_600_000, async () => false), 0);
    const asked: string[] = [];
    const isArriving = async (key: string) => asked.push(key) > 0;
    assert.equal(await store().removeUnfinished(Date.now() + 3_600_000, isArriving), 0);
    assert.deepEqual(asked, [key]);
    assert.equal(await store().removeUnfinished(Date.now() + 3_600_000, async () => false), 1);
    await assert.rejects(writer.commit());
    await writer.abort();
    assert.equal(await store().stat(key), null);
  });
}

function reading(store: () => BlobStore): void {
  it('reads any range, and the existing part of one beyond the end', async () => {
    const key = freshKey();
    const bytes = randomBytes(3 * 1024 * 1024 + 5);
    await putBlob(store(), key, bytes);
    const ends = [0, 1, 65_536, 1_048_575, 1_048_576, 1_048_577, bytes.length - 1, bytes.length, bytes.length + 10];
    for (const start of ends) {
      for (const end of ends.filter((value) => value >= start)) {
        const got = await readBlob(store(), key, { start, end });
        assert.ok(bytes.subarray(start, end).equals(got), `${start} to ${end}`);
      }
    }
  });

  it('returns chunks that the reader owns', async () => {
    const key = freshKey();
    await putBlob(store(), key, Buffer.from('unchanged'));
    for await (const chunk of store().read(key, { start: 0, end: 9 })) chunk.fill('x');
    assert.equal(String(await readBlob(store(), key)), 'unchanged');
  });

  it('permits a reader to stop in the middle of a blob', async () => {
    const key = freshKey();
    await putBlob(store(), key, randomBytes(4 * 1024 * 1024));
    for await (const chunk of store().read(key, { start: 0, end: 4 * 1024 * 1024 })) {
      assert.ok(chunk.length > 0);
      break;
    }
    await store().delete(key);
  });

  it('returns size and age, alone and in the list', async () => {
    const key = freshKey();
    await putBlob(store(), key, randomBytes(1234));
    const alone = await store().stat(key);
    const listed = (await collect(store().list())).find((blob) => blob.key === key);
    assert.equal(alone?.storedBytes, 1234);
    assert.equal(listed?.storedBytes, 1234);
    // Object stores report whole seconds in one of the two.
    assert.ok(Math.abs((alone?.modifiedAt ?? 0) - (listed?.modifiedAt ?? 0)) < 2000);
    assert.ok(Math.abs((alone?.modifiedAt ?? 0) - Date.now()) < 600_000);
  });

  it('deletes, and deleting again does no harm', async () => {
    const key = freshKey();
    await putBlob(store(), key, Buffer.from('x'));
    await store().delete(key);
    await store().delete(key);
    await store().delete(freshKey());
    assert.equal(await store().stat(key), null);
    await assert.rejects(readBlob(store(), key), BlobMissing);
    assert.ok(!(await listKeys(store())).includes(key));
  });

  it('is healthy', async () => {
    assert.equal(await store().state(), 'healthy');
  });
}
