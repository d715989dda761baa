// Each file system call that fails becomes an error of the store.
import assert from 'node:assert/strict';
import fileSystem, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type BlobStore, StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { collect, freshKey, putBlob, readBlob } from './blob-store.suite.ts';
import { openDiskStore } from './disk.ts';
import type { Files } from './disk-health.ts';

interface Refusal {
  call: keyof Files | 'read';
  code: string;
  isMeant?(path: string): boolean;
}

interface Place {
  dir: string;
  store: BlobStore;
  refuse(what: Refusal | null): void;
  /** Requested modes of files and folders, by name. */
  modes: Map<string, number>;
}

async function open(t: TestContext): Promise<Place> {
  const dir = await fileSystem.mkdtemp(join(tmpdir(), 'blobs-refused-'));
  t.after(() => fileSystem.rm(dir, { recursive: true }));
  const modes = new Map<string, number>();
  let refusal: Refusal | null = null;
  const watched =
    (call: keyof Files) =>
    async (path: string, ...rest: unknown[]) => {
      const mode = rest
        .map((one) => (one as { mode?: number } | null)?.mode ?? one)
        .find((one) => typeof one === 'number');
      if (mode !== undefined) modes.set(path, mode as number);
      if (refusal?.call === call && (refusal.isMeant?.(path) ?? true))
        throw Object.assign(new Error(refusal.code), { code: refusal.code });
      const done = await (fileSystem[call] as (...all: unknown[]) => unknown)(path, ...rest);
      if (refusal?.call === 'read' && call === 'open') {
        const { code } = refusal;
        (done as FileHandle).read = () => Promise.reject(Object.assign(new Error(code), { code }));
      }
      return done;
    };
  const calls = ['mkdir', 'open', 'opendir', 'rename', 'stat', 'statfs', 'unlink', 'writeFile'] as const;
  const files = Object.fromEntries(calls.map((call) => [call, watched(call)])) as unknown as Files;
  const store = await openDiskStore({ dir: join(dir, 'files'), minFreeBytes: 0, files });
  return {
    dir,
    store,
    refuse(what) {
      refusal = what;
    },
    modes,
  };
}

const said = (code: string) => (error: unknown) => {
  assert.ok(error instanceof StoreUnavailable, String(error));
  assert.equal(error.message, `the store is not available: the file system said ${code}`);
  return true;
};

describe('a disk that refuses a call', () => {
  it('for the mark is unreachable', async (t) => {
    const { store, refuse } = await open(t);
    refuse({ call: 'open', code: 'EACCES' });
    await assert.rejects(store.readMark(), said('EACCES'));
    refuse({ call: 'rename', code: 'EACCES' });
    await assert.rejects(store.writeMark('ours'), said('EACCES'));
    refuse(null);
    assert.equal(await store.readMark(), null);
  });

  it('for a new file, a new folder or its name stores nothing', async (t) => {
    const { dir, store, refuse } = await open(t);
    refuse({ call: 'open', code: 'ENOSPC' });
    await assert.rejects(store.create(freshKey()), StoreFull);
    for (const call of ['mkdir', 'rename'] as const) {
      refuse({ call, code: 'EACCES' });
      await assert.rejects(putBlob(store, freshKey(), Buffer.from('x')), said('EACCES'));
    }
    refuse(null);
    assert.deepEqual(await collect(store.list()), []);
    assert.deepEqual(await fileSystem.readdir(join(dir, 'files', 'tmp')), []);
    assert.equal(await store.state(), 'healthy');
  });

  it('for the flush of a folder accepts no more blobs', async (t) => {
    const { store, refuse } = await open(t);
    refuse({ call: 'open', code: 'EACCES', isMeant: (path) => /\/[A-Za-z0-9]{2}$/.test(path) });
    await assert.rejects(putBlob(store, freshKey(), Buffer.from('x')), StoreUnavailable);
    refuse(null);
    assert.deepEqual([await store.state(), store.trouble()], ['read_only', 'a flush to disk failed with EACCES']);
  });

  it('for the state of a blob, its reading or its deletion does not report it as missing', async (t) => {
    const { store, refuse } = await open(t);
    const key = freshKey();
    await putBlob(store, key, Buffer.from('kept'));
    refuse({ call: 'stat', code: 'EACCES' });
    await assert.rejects(store.stat(key), said('EACCES'));
    await assert.rejects(collect(store.list()), said('EACCES'));
    refuse({ call: 'open', code: 'EACCES' });
    await assert.rejects(readBlob(store, key), said('EACCES'));
    refuse({ call: 'read', code: 'EACCES' });
    await assert.rejects(readBlob(store, key), said('EACCES'));
    refuse({ call: 'unlink', code: 'EACCES' });
    await assert.rejects(store.delete(key), said('EACCES'));
    refuse(null);
    assert.equal(String(await readBlob(store, key)), 'kept');
  });

  it('for the removal of unfinished files reports it', async (t) => {
    const { store, refuse } = await open(t);
    const [writer, other] = [await store.create(freshKey()), await store.create(freshKey())];
    refuse({ call: 'unlink', code: 'EACCES' });
    await assert.rejects(writer.abort(), { code: 'EACCES' });
    await assert.rejects(
      store.removeUnfinished(Number.MAX_SAFE_INTEGER, async () => false),
      { code: 'EACCES' },
    );
    refuse({ call: 'unlink', code: 'ENOENT' });
    await other.abort();
    assert.equal(await store.removeUnfinished(Number.MAX_SAFE_INTEGER, async () => false), 0);
  });
});

it('files and folders on a disk are accessible to their owner only', async (t) => {
  const { dir, store, modes } = await open(t);
  const key = freshKey();
  await putBlob(store, key, Buffer.from('x'));
  await store.writeMark('ours');
  assert.equal(await store.state(), 'healthy');
  const asked = [...modes].map(([path, mode]) => [path.slice(dir.length).replace(/-?[^-/]{12,}$/, ''), mode] as const);
  assert.deepEqual(Object.fromEntries(asked), {
    '/files/tmp': 0o700,
    [`/files/${key.slice(0, 2)}`]: 0o700,
    '/files/tmp/': 0o600,
    [`/files/tmp/waybill-installation-${process.pid}`]: 0o600,
    '/files/tmp/probe': 0o600,
  });
});
