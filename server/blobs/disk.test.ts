import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type BlobStore, StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { blobStoreSuite, freshKey, putBlob, readBlob } from './blob-store.suite.ts';
import { openDiskStore } from './disk.ts';
import type { Files } from './disk-health.ts';

blobStoreSuite('disk', async () => {
  const dir = await fileSystem.mkdtemp(join(tmpdir(), 'blobs-'));
  const open = () => openDiskStore({ dir, minFreeBytes: 0 });
  return { store: await open(), reopen: open, dispose: () => fileSystem.rm(dir, { recursive: true }) };
});

type Handle = fileSystem.FileHandle;

interface Faults {
  write?: (n: number) => string | null | Promise<string | null>;
  sync?: (path: string) => string | null;
  datasync?: (path: string) => string | null | Promise<string | null>;
}

/** A file system with faults that records the order in which things become durable. */
function faultyFiles(faults: Faults) {
  const journal: string[] = [];
  const closed: string[] = [];
  let writes = 0;
  const fail = (code: string) => Object.assign(new Error(code), { code });
  function wrap(handle: Handle, path: string): Handle {
    return new Proxy(handle, {
      get(target, name: keyof Handle) {
        if (name === 'write') {
          return async (...values: Parameters<Handle['write']>) => {
            writes += 1;
            const code = await faults.write?.(writes);
            if (code) throw fail(code);
            return target.write(...values);
          };
        }
        if (name === 'close') {
          return () => {
            closed.push(path);
            return target.close();
          };
        }
        if (name === 'sync' || name === 'datasync') {
          return async () => {
            journal.push(`${name} ${path}`);
            const code = await faults[name]?.(path);
            if (code) throw fail(code);
            await target[name]();
          };
        }
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
  const files: Files = {
    ...fileSystem,
    open: async (path, ...rest) => wrap(await fileSystem.open(path, ...rest), String(path)),
    rename: async (from, to) => {
      journal.push(`rename ${to}`);
      await fileSystem.rename(from, to);
    },
    unlink: async (path) => {
      journal.push(`unlink ${path}`);
      await fileSystem.unlink(path);
    },
  };
  return { files, journal, closed };
}

async function tempDir(t: TestContext): Promise<string> {
  const dir = await fileSystem.mkdtemp(join(tmpdir(), 'blobs-'));
  t.after(() => fileSystem.rm(dir, { recursive: true }));
  return dir;
}

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await fileSystem.readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('a disk', () => {
  it('is durable with its folder and its mark before anything is stored on it', async (t) => {
    const dir = join(await tempDir(t), 'files');
    const { files, journal } = faultyFiles({});
    const store = await openDiskStore({ dir, minFreeBytes: 0, files });
    assert.deepEqual(journal, [`sync ${dir}`, `sync ${dirname(dir)}`]);
    journal.length = 0;
    await store.writeMark('ours');
    const [flushed, ...rest] = journal;
    assert.match(flushed!, /^sync .*\/tmp\//);
    assert.deepEqual(
      rest.map((line) => line.split(' ')[0]),
      ['rename', 'sync'],
    );
    assert.equal(rest[1], `sync ${dir}`);
    assert.equal(await store.readMark(), 'ours');
  });

  it('keeps unfinished files that are newer than the requested instant', async (t) => {
    const dir = await tempDir(t);
    const store = await openDiskStore({ dir, minFreeBytes: 0 });
    for (const [index, modified] of [1000, 999].entries()) {
      const path = join(dir, 'tmp', `${freshKey()}.${index}`);
      await fileSystem.writeFile(path, '');
      await fileSystem.utimes(path, modified / 1000, modified / 1000);
    }
    assert.equal(await store.removeUnfinished(1000, async () => false), 1);
    assert.equal((await filesBelow(dir)).length, 1);
  });
});

describe('a disk that fails', () => {
  it('leaves nothing when any write fails for lack of space', async (t) => {
    for (const failing of [1, 2, 3]) {
      const dir = await tempDir(t);
      const { files } = faultyFiles({ write: (n) => (n === failing ? 'ENOSPC' : null) });
      const store = await openDiskStore({ dir, minFreeBytes: 0, files });
      const writer = await store.create(freshKey());
      for (let n = 1; n < failing; n += 1) await writer.write(randomBytes(1000));
      await assert.rejects(writer.write(randomBytes(1000)), StoreFull);
      await assert.rejects(writer.commit(), StoreFull);
      await writer.abort();
      assert.deepEqual(await filesBelow(dir), []);
      assert.equal(await store.state(), 'healthy');
    }
  });

  it('becomes read-only permanently when a flush fails, drops the blob, and still reads', async (t) => {
    const isBlobOrFolder = [
      (path: string) => /\.[0-9a-f]{12}$/.test(path),
      (path: string) => /\/[A-Za-z0-9]{2}$/.test(path),
    ];
    for (const isFailing of isBlobOrFolder) {
      const dir = await tempDir(t);
      const old = freshKey();
      await putBlob(await openDiskStore({ dir, minFreeBytes: 0 }), old, Buffer.from('old'));
      const { files } = faultyFiles({ sync: (path) => (isFailing(path) ? 'EIO' : null) });
      const store = await openDiskStore({ dir, minFreeBytes: 0, files });
      const writer = await store.create(freshKey());
      await writer.write(Buffer.from('new'));
      await assert.rejects(writer.commit(), StoreUnavailable);
      await assert.rejects(writer.commit(), StoreUnavailable);
      await writer.abort();
      assert.equal((await filesBelow(dir)).length, 1);
      assert.equal(await store.state(), 'read_only');
      await assert.rejects(store.create(freshKey()), StoreUnavailable);
      assert.equal(String(await readBlob(store, old)), 'old');
    }
  });

  it('never commits a blob when an early flush has failed, even if the last one would succeed', async (t) => {
    const dir = await tempDir(t);
    const { files, journal } = faultyFiles({ datasync: () => 'EIO' });
    const store = await openDiskStore({ dir, minFreeBytes: 0, files });
    const writer = await store.create(freshKey());
    const bytes = Buffer.alloc(8 * 1024 * 1024);
    for (let n = 0; n < 4; n += 1) await writer.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(writer.write(Buffer.alloc(1)), StoreUnavailable);
    await assert.rejects(writer.commit(), StoreUnavailable);
    assert.ok(journal.some((line) => line.startsWith('datasync')));
    await writer.abort();
    assert.deepEqual(await filesBelow(dir), []);
    assert.equal(await store.state(), 'read_only');
  });

  it('never commits a blob when an early flush failed and no write followed, before the commit or during it', async (t) => {
    for (const when of ['before', 'during'] as const) {
      const dir = await tempDir(t);
      const failing = Promise.withResolvers<string>();
      const { files, journal } = faultyFiles({ datasync: () => failing.promise });
      const store = await openDiskStore({ dir, minFreeBytes: 0, files });
      const writer = await store.create(freshKey());
      const bytes = Buffer.alloc(16 * 1024 * 1024);
      // The second write reaches the size at which the early flush begins.
      for (let n = 0; n < 2; n += 1) await writer.write(bytes);
      assert.ok(journal.some((line) => line.startsWith('datasync')));
      if (when === 'before') {
        failing.resolve('EIO');
        await new Promise((resolve) => setImmediate(resolve));
      }
      const committing = writer.commit();
      failing.resolve('EIO');
      await assert.rejects(committing, StoreUnavailable);
      await writer.abort();
      assert.deepEqual(await filesBelow(dir), []);
    }
  });

  it('closes an aborted file only after its last write has ended', async (t) => {
    const dir = await tempDir(t);
    const writing = Promise.withResolvers<string>();
    const { files, closed } = faultyFiles({ write: () => writing.promise });
    const store = await openDiskStore({ dir, minFreeBytes: 0, files });
    const writer = await store.create(freshKey());
    const written = assert.rejects(writer.write(Buffer.from('x')), StoreUnavailable);
    const aborted = writer.abort();
    const isOpen = () => !closed.some((path) => path.startsWith(join(dir, 'tmp')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(isOpen());
    writing.resolve('EIO');
    await Promise.all([written, aborted]);
    assert.ok(!isOpen());
    assert.deepEqual(await filesBelow(dir), []);
  });

  it('becomes read-only on an input/output error', async (t) => {
    const dir = await tempDir(t);
    const { files } = faultyFiles({ write: () => 'EIO' });
    const store = await openDiskStore({ dir, minFreeBytes: 0, files });
    const writer = await store.create(freshKey());
    await assert.rejects(writer.write(Buffer.from('x')), StoreUnavailable);
    await writer.abort();
    assert.equal(await store.state(), 'read_only');
  });

  it('accepts no uploads when less than the reserve is free, even in the middle of one', async (t) => {
    const dir = await tempDir(t);
    let freeBlocks = 100;
    const files: Files = {
      ...fileSystem,
      statfs: (async () => ({ bavail: freeBlocks, bsize: 4096 })) as unknown as Files['statfs'],
    };
    let now = 0;
    const store = await openDiskStore({ dir, minFreeBytes: 4096 * 50, files, clock: { now: () => now } });
    const writer = await store.create(freshKey());
    assert.equal(await store.state(), 'healthy');
    freeBlocks = 10;
    const bytes = Buffer.alloc(16 * 1024 * 1024);
    await assert.rejects(async () => {
      for (let n = 0; n < 5; n += 1) await writer.write(bytes);
    }, StoreFull);
    await writer.abort();
    now += 1000;
    assert.equal(await store.state(), 'no_uploads');
    assert.match(store.trouble(), /^40960 bytes are free in .* WAYBILL_MIN_FREE_SPACE is 204800 bytes$/);
    await assert.rejects(store.create(freshKey()), StoreFull);
    freeBlocks = 49;
    now += 1000;
    assert.equal(await store.state(), 'no_uploads');
    // Exactly the reserve is enough.
    freeBlocks = 50;
    now += 1000;
    assert.deepEqual([await store.state(), store.trouble()], ['healthy', '']);
    await (await store.create(freshKey())).abort();
  });

  it('stays healthy when a check takes so long that the next one begins', async (t) => {
    const dir = await tempDir(t);
    let now = 0;
    const [first, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    const files: Files = {
      ...fileSystem,
      async unlink(path) {
        const waits = isFirst;
        isFirst = false;
        first.resolve();
        if (waits) await next.promise;
        await fileSystem.unlink(path);
      },
    };
    const store = await openDiskStore({ dir, minFreeBytes: 0, files, clock: { now: () => now } });
    const slow = store.state();
    await first.promise;
    now += 1000;
    assert.equal(await store.state(), 'healthy');
    next.resolve();
    assert.equal(await slow, 'healthy');
  });

  it('is read-only when its folder refuses files, and unreachable when the folder is gone', async (t) => {
    const dir = await tempDir(t);
    let code = 'EROFS';
    let now = 0;
    const files: Files = { ...fileSystem, writeFile: () => Promise.reject(Object.assign(new Error(code), { code })) };
    const store = await openDiskStore({ dir, minFreeBytes: 0, files, clock: { now: () => now } });
    assert.equal(await store.state(), 'read_only');
    code = 'ENOENT';
    now += 1000;
    assert.equal(await store.state(), 'unreachable');
  });
});

it('a commit flushes the file before the rename, and the folder after it', async (t) => {
  const dir = await tempDir(t);
  const { files, journal } = faultyFiles({});
  const store: BlobStore = await openDiskStore({ dir, minFreeBytes: 0, files });
  const key = freshKey();
  journal.length = 0;
  await putBlob(store, key, Buffer.from('x'));
  const folder = join(dir, key.slice(0, 2));
  assert.deepEqual(
    journal.map((line) => line.replace(/\.[0-9a-f]+$/, '')),
    [`sync ${join(dir, 'tmp', key)}`, `sync ${dir}`, `rename ${join(folder, key)}`, `sync ${folder}`],
  );
});

it('a deleted blob stays deleted: its folder is flushed after it, even when it was gone already', async (t) => {
  const dir = await tempDir(t);
  const { files, journal } = faultyFiles({});
  const store = await openDiskStore({ dir, minFreeBytes: 0, files });
  const key = freshKey();
  await putBlob(store, key, Buffer.from('x'));
  const folder = join(dir, key.slice(0, 2));
  for (let round = 0; round < 2; round += 1) {
    journal.length = 0;
    await store.delete(key);
    assert.deepEqual(journal, [`unlink ${join(folder, key)}`, `sync ${folder}`]);
  }
});

it('a blob is not reported as deleted when its folder could not be flushed', async (t) => {
  const dir = await tempDir(t);
  const key = freshKey();
  await putBlob(await openDiskStore({ dir, minFreeBytes: 0 }), key, Buffer.from('x'));
  const { files } = faultyFiles({ sync: (path) => (path === join(dir, key.slice(0, 2)) ? 'EIO' : null) });
  const store = await openDiskStore({ dir, minFreeBytes: 0, files });
  await assert.rejects(store.delete(key), StoreUnavailable);
});

it('a disk store survives a partial write', async (t) => {
  const dir = await tempDir(t);
  const files: Files = {
    ...fileSystem,
    open: async (path, ...rest) => {
      const handle = await fileSystem.open(path, ...rest);
      const write = handle.write.bind(handle);
      handle.write = ((bytes: Buffer, at: number, length: number, position: number) =>
        write(bytes, at, Math.min(length, 7), position)) as typeof handle.write;
      return handle;
    },
  };
  const store = await openDiskStore({ dir, minFreeBytes: 0, files });
  const key = freshKey();
  const bytes = randomBytes(50);
  await putBlob(store, key, bytes.subarray(0, 20), bytes.subarray(20));
  assert.ok(bytes.equals(await readBlob(store, key)));
});

it('foreign files in the folders of a disk store are not in its list', async (t) => {
  const dir = await tempDir(t);
  const store = await openDiskStore({ dir, minFreeBytes: 0 });
  const [key, other] = [`aa${freshKey().slice(2)}`, `bb${freshKey().slice(2)}`];
  await putBlob(store, key, Buffer.from('x'));
  // Not a key; a key of another folder; foreign folders.
  for (const folder of ['aa', 'abc', 'x']) await fileSystem.mkdir(join(dir, folder), { recursive: true });
  for (const path of [
    join('aa', 'aa.txt'),
    join('aa', other),
    join('abc', `abc${other.slice(3)}`),
    join('x', `x${other.slice(1)}`),
  ])
    await fileSystem.writeFile(join(dir, path), 'stray');
  const listed: string[] = [];
  for await (const blob of store.list()) listed.push(blob.key);
  assert.deepEqual(listed, [key]);
});
