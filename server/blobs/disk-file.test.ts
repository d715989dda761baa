// Direct writes, on file systems without them, and after failures.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { bodyOf, freshBlob, readRange, store as storeIn } from '#test/kit/sealed-blobs.ts';
import { collect } from './blob-store.suite.ts';
import { openDiskStore } from './disk.ts';
import type { Files } from './disk-health.ts';
import { openVault } from './encrypted.ts';
import { giveBack, isWholeBlocks, takeMemory } from './page-memory.ts';
import { mostBatchBytes } from './transfers.ts';

const large = randomBytes(3 * mostBatchBytes + 12_345);
/** Two batches of whole pages, plus the beginning and the end. */
const directBytes = 2 * mostBatchBytes;

interface Answers {
  /** Results of opening with O_DIRECT. */
  open?: (n: number) => string | null;
  /** Results of direct writes; a number is how many bytes are written. */
  write?: (n: number) => string | number | null;
}

interface Write {
  isDirect: boolean;
  bytes: Buffer;
  position: number;
}

const failWith = (code: string) => Object.assign(new Error(code), { code });

/** The real file system, with these results of direct access. */
function answeringFiles({ open = () => null, write = () => null }: Answers) {
  const writes: Write[] = [];
  const closed: boolean[] = [];
  const order: string[] = [];
  let opens = 0;
  let directWrites = 0;
  const watch = (handle: fileSystem.FileHandle, isDirect: boolean): fileSystem.FileHandle =>
    new Proxy(handle, {
      get(target, name: keyof fileSystem.FileHandle) {
        if (name === 'close') closed.push(isDirect);
        if (name === 'sync') order.push('flush');
        if (name === 'write')
          return async (bytes: Buffer, from: number, length: number, position: number) => {
            if (isDirect) directWrites += 1;
            const answer = isDirect ? write(directWrites) : null;
            if (typeof answer === 'string') throw failWith(answer);
            const count = answer ?? length;
            order.push('write');
            writes.push({ isDirect, bytes: bytes.subarray(from, from + count), position });
            return target.write(bytes, from, count, position);
          };
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const files: Files = {
    ...fileSystem,
    rename: async (from, to) => {
      order.push('name');
      await fileSystem.rename(from, to);
    },
    open: async (path, flags, mode) => {
      if (typeof flags !== 'number') return watch(await fileSystem.open(path, flags, mode), false);
      opens += 1;
      const code = open(opens);
      if (code !== null) throw failWith(code);
      return watch(await fileSystem.open(path, constants.O_WRONLY), true);
    },
  };
  return { files, writes, closed, order, opens: () => opens, directWrites: () => directWrites };
}

async function openOn(t: TestContext, answers: Answers) {
  const dir = await fileSystem.mkdtemp(join(tmpdir(), 'blobs-direct-'));
  t.after(() => fileSystem.rm(dir, { recursive: true }));
  const disk = answeringFiles(answers);
  const store = await openDiskStore({ dir, minFreeBytes: 0, files: disk.files });
  const vault = openVault(store);
  t.after(() => vault.close());
  return { ...disk, dir, store, vault };
}

async function assertWhole(vault: ReturnType<typeof openVault>, blob: Awaited<ReturnType<typeof storeIn>>) {
  const kept = await readRange(vault, blob, { start: 0, end: large.length });
  assert.ok(kept.equals(large), 'it came back as it went');
}

const skipsWithoutDirect = constants.O_DIRECT === undefined ? 'this system has no O_DIRECT' : false;

describe('a large file that bypasses the page cache', { skip: skipsWithoutDirect }, () => {
  it('uses the page cache on a file system without direct access, which is tried once', async (t) => {
    const { vault, opens, writes } = await openOn(t, { open: () => 'EINVAL' });
    await assertWhole(vault, await storeIn(vault, large));
    await assertWhole(vault, await storeIn(vault, large));
    assert.equal(opens(), 1);
    assert.ok(writes.every(({ isDirect }) => !isDirect));
  });

  it('uses the page cache on a file system with larger blocks, which is tried once', async (t) => {
    const { vault, opens, directWrites, closed } = await openOn(t, { write: () => 'EINVAL' });
    await assertWhole(vault, await storeIn(vault, large));
    await assertWhole(vault, await storeIn(vault, large));
    assert.deepEqual([opens(), directWrites()], [1, 1]);
    assert.equal(closed.filter(Boolean).length, 1);
  });

  it('uses the page cache for this file only when the second open fails otherwise', async (t) => {
    const { vault, opens, writes } = await openOn(t, { open: (n) => (n === 1 ? 'EMFILE' : null) });
    await assertWhole(vault, await storeIn(vault, large));
    assert.ok(writes.every(({ isDirect }) => !isDirect));
    await assertWhole(vault, await storeIn(vault, large));
    assert.equal(opens(), 2);
    assert.ok(writes.some(({ isDirect }) => isDirect));
  });

  it('leaves nothing when the disk is full, and reports it', async (t) => {
    const { vault, store, dir, closed } = await openOn(t, { write: (n) => (n === 2 ? 'ENOSPC' : null) });
    await assert.rejects(vault.receive(freshBlob(), bodyOf(large)), StoreFull);
    assert.deepEqual(await collect(store.list()), []);
    assert.deepEqual(await fileSystem.readdir(join(dir, 'tmp')), []);
    assert.deepEqual(closed.filter(Boolean), [true]);
    assert.equal(await store.state(), 'healthy');
  });

  it('stops when the disk reports an error', async (t) => {
    const { vault, store } = await openOn(t, { write: () => 'EIO' });
    await assert.rejects(vault.receive(freshBlob(), bodyOf(large)), StoreUnavailable);
    assert.equal(await store.state(), 'read_only');
  });

  it('is complete after partial writes of the disk', async (t) => {
    const { vault } = await openOn(t, { write: (n) => (n === 1 ? 4096 : 1000) });
    await assertWhole(vault, await storeIn(vault, large));
  });

  it('is written directly in whole blocks at their offsets, and nothing else is', async (t) => {
    const { vault, writes, order } = await openOn(t, {});
    await assertWhole(vault, await storeIn(vault, large));
    const direct = writes.filter(({ isDirect }) => isDirect);
    assert.ok(direct.length > 0);
    for (const { bytes, position } of direct) assert.ok(isWholeBlocks(bytes) && position % 4096 === 0);
    const count = direct.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(count > directBytes - 2 * 65_536, `${count} bytes went past the cache`);
    const positions = writes.map(({ position }) => position);
    assert.deepEqual(
      positions,
      [...positions].sort((a, b) => a - b),
    );
    assert.deepEqual(order.slice(order.lastIndexOf('write')), ['write', 'flush', 'flush', 'name', 'flush']);
  });

  it('is accepted by a disk with direct access', async (t) => {
    const dir = await fileSystem.mkdtemp(join(import.meta.dirname, '../../node_modules/.direct-'));
    t.after(() => fileSystem.rm(dir, { recursive: true }));
    const block = takeMemory(mostBatchBytes);
    t.after(() => giveBack(block));
    const refusal = await tryBlock(join(dir, 'probe'), block);
    if (refusal !== null) return t.skip(`the file system here says ${refusal}`);
    const refusals: unknown[] = [];
    const open: Files['open'] = async (path, flags, mode) => {
      const handle = await fileSystem.open(path, flags, mode);
      const { write } = handle;
      handle.write = ((...all: Parameters<typeof write>) =>
        write.apply(handle, all).catch((error: unknown) => {
          refusals.push(error);
          throw error;
        })) as typeof write;
      return handle;
    };
    const vault = openVault(
      await openDiskStore({ dir: join(dir, 'files'), minFreeBytes: 0, files: { ...fileSystem, open } }),
    );
    await assertWhole(vault, await storeIn(vault, large));
    assert.deepEqual(refusals, []);
    await vault.close();
  });
});

/** Null after a success, or the error. */
async function tryBlock(path: string, block: Buffer): Promise<string | null> {
  try {
    const handle = await fileSystem.open(path, constants.O_CREAT | constants.O_WRONLY | constants.O_DIRECT);
    await handle.write(block, 0, block.length, 0).finally(() => handle.close());
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
