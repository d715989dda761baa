import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import {
  type BlobStore,
  type BlobWriter,
  BodyAborted,
  type ReceivedBlob,
  type RunningHash,
  StoreFull,
  StoreUnavailable,
} from '#server/domain/ports.ts';
import { Problem } from '#server/domain/problem.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { bodyOf, freshBlob, interruptedBody, readRange, storeWith } from '#test/kit/sealed-blobs.ts';
import { collect } from './blob-store.suite.ts';
import { openVault } from './encrypted.ts';
import { segmentBytes } from './format.ts';
import { receiveBlob } from './receive.ts';
import { countTransfers } from './transfers.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const large = randomBytes(13 * 1024 * 1024 + 77);
/** More than one batch of writes. */
const several = large.subarray(0, 5 * 1024 * 1024 + 77);

async function assertEmpty(store: BlobStore): Promise<void> {
  assert.deepEqual(await collect(store.list()), []);
  assert.equal(await store.removeUnfinished(Date.now() + 3_600_000, async () => false), 0);
}

/** A memory store whose writer fails at one call, or at create. */
function failingStore(memory: BlobStore, failsAt: number, error: Error): BlobStore {
  let calls = 0;
  const step = async <T>(action: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls === failsAt) throw error;
    return action();
  };
  return storeWith(memory, {
    create: (key) =>
      step(async () => {
        const writer: BlobWriter = await memory.create(key);
        return {
          write: (bytes) => step(() => writer.write(bytes)),
          commit: () => step(() => writer.commit()),
          abort: () => writer.abort(),
        };
      }),
  });
}

describe('an upload that fails', () => {
  it('leaves nothing and returns the error, whichever call of the store fails', async () => {
    for (let failsAt = 1; failsAt <= 6; failsAt += 1) {
      const memory = openMemoryStore();
      const body = bodyOf(large);
      const vault = openVault(failingStore(memory, failsAt, new StoreFull()));
      await assert.rejects(vault.receive(freshBlob(), body), StoreFull, `call ${failsAt}`);
      await assertEmpty(memory);
      assert.equal(body.isPaused(), false);
    }
  });

  it('is rejected immediately when the store fails while no byte arrives', async () => {
    const memory = openMemoryStore();
    const body = new PassThrough();
    const vault = openVault(failingStore(memory, 1, new StoreUnavailable('test')));
    await assert.rejects(vault.receive(freshBlob(), body), StoreUnavailable);
    body.write('still coming');
    body.destroy(new Error('a late error is handled'));
    await assertEmpty(memory);
  });

  it('leaves nothing wherever the connection is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.nat(several.length), fc.constantFrom(0, 1, segmentBytes)), async (diesAfter) => {
        const memory = openMemoryStore();
        const vault = openVault(memory);
        await assert.rejects(vault.receive(freshBlob(), interruptedBody(several, diesAfter)), BodyAborted);
        await assertEmpty(memory);
      }),
      { numRuns: 30 },
    );
  });

  it('reports a reset connection as such, and other errors of the body unchanged', async () => {
    const memory = openMemoryStore();
    const vault = openVault(memory);
    const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    await assert.rejects(vault.receive(freshBlob(), interruptedBody(large, 100_000, reset)), BodyAborted);
    const tooLarge = new Problem('too_large', 'file.too_large', 'The file is too large.');
    await assert.rejects(vault.receive(freshBlob(), interruptedBody(large, 100_000, tooLarge)), (e) => e === tooLarge);
    await assertEmpty(memory);
  });

  it('refuses a body that is over already', async () => {
    const memory = openMemoryStore();
    const vault = openVault(memory);
    const read = bodyOf(Buffer.from('x'));
    await collect(read);
    await assert.rejects(vault.receive(freshBlob(), read), BodyAborted);
    const destroyed = new PassThrough().destroy();
    await assert.rejects(vault.receive(freshBlob(), destroyed), BodyAborted);
    await assertEmpty(memory);
  });

  it('stops when the caller throws at a chunk, leaves nothing and lets the body flow', async () => {
    for (const limit of [0, 100_000, 2_000_000]) {
      const memory = openMemoryStore();
      const vault = openVault(memory);
      const body = bodyOf(large);
      const problem = new Problem('too_large', 'file.too_large', 'The file is too large.');
      let seen = 0;
      const onBytes = (count: number) => {
        seen += count;
        if (seen > limit) throw problem;
        return undefined;
      };
      await assert.rejects(vault.receive(freshBlob(), body, { onBytes }), (error) => error === problem);
      assert.ok(seen <= limit + 65_536);
      assert.equal(body.isPaused(), false);
      await assertEmpty(memory);
    }
  });

  it('accepts no further chunk while the caller delays one, and leaves nothing when it is refused then', async () => {
    const memory = openMemoryStore();
    const vault = openVault(memory);
    const problem = new Problem('too_large', 'file.too_large', 'The file is too large.');
    const held = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    let calls = 0;
    const onBytes = () => {
      calls += 1;
      called.resolve();
      return held.promise;
    };
    const body = bodyOf(large);
    const receiving = vault.receive(freshBlob(), body, { onBytes });
    await called.promise;
    assert.equal(body.isPaused(), true);
    assert.equal(calls, 1);
    held.reject(problem);
    await assert.rejects(receiving, (error) => error === problem);
    assert.equal(calls, 1);
    await assertEmpty(memory);
  });

  it('refuses a running hash of another kind before it touches the store', async () => {
    const memory = openMemoryStore();
    const foreign: RunningHash = { digest: () => 'x' };
    await assert.rejects(openVault(memory).receive(freshBlob(), bodyOf(large), { after: foreign }), TypeError);
    await assertEmpty(memory);
  });
});

describe('an upload', () => {
  it('of any length in any chunks is measured correctly and reads back', async () => {
    const shape = fc.record({
      size: fc.oneof(fc.nat(100), fc.nat(several.length), fc.constantFrom(0, segmentBytes, 16 * segmentBytes)),
      chunkBytes: fc.oneof(fc.integer({ min: 1000, max: 3_000_000 }), fc.constant(65_536)),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ size, chunkBytes }) => {
        const vault = openVault(openMemoryStore());
        const plain = several.subarray(0, size);
        const blob = freshBlob();
        let counted = 0;
        const received = await vault.receive(blob, bodyOf(plain, chunkBytes), {
          onBytes: (count) => {
            counted += count;
          },
        });
        assert.equal(counted, size);
        assert.equal(received.sizeBytes, size);
        assert.equal(received.sha256, sha256(plain));
        assert.equal(received.crc32, crc32(plain));
        assert.ok(received.head.equals(plain.subarray(0, 65_536)));
        assert.equal(received.running, null);
        assert.ok(plain.equals(await readRange(vault, blob, { start: 0, end: size })));
      }),
      { numRuns: 40 },
    );
  });

  it('accepts single bytes', async () => {
    const vault = openVault(openMemoryStore());
    const plain = randomBytes(500);
    const blob = freshBlob();
    const received = await vault.receive(blob, bodyOf(plain, 1));
    assert.equal(received.sha256, sha256(plain));
    assert.ok(plain.equals(await readRange(vault, blob, { start: 0, end: 500 })));
  });

  it('is correct among many simultaneous ones, which get less memory each', async () => {
    const vault = openVault(openMemoryStore());
    const sizes = Array.from({ length: 150 }, (_, n) => n * 3_001);
    const blobs = await Promise.all(
      sizes.map(async (size) => {
        const blob = freshBlob();
        const received = await vault.receive(blob, bodyOf(large.subarray(0, size)));
        assert.equal(received.sha256, sha256(large.subarray(0, size)));
        return { blob, size };
      }),
    );
    for (const { blob, size } of blobs) {
      assert.ok(large.subarray(0, size).equals(await readRange(vault, blob, { start: 0, end: size })));
    }
  });

  async function receiveSlowly(receive: (store: BlobStore, body: Readable) => Promise<ReceivedBlob>): Promise<void> {
    const memory = openMemoryStore();
    let writes = 0;
    let waiting = 0;
    let mostPulledBytes = 0;
    let pulledBytes = 0;
    let storedBytes = 0;
    const slow = storeWith(memory, {
      async create(key) {
        const writer = await memory.create(key);
        return {
          ...writer,
          async write(bytes) {
            writes += 1;
            waiting += 1;
            assert.equal(waiting, 1, 'one write at a time');
            for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
            await writer.write(bytes);
            storedBytes += bytes.length;
            waiting -= 1;
          },
        };
      },
    });
    const chunk = randomBytes(65_536);
    /** Twice the limit of memory. */
    const chunks = 320;
    let left = chunks;
    const body = new Readable({
      read() {
        pulledBytes += chunk.length;
        mostPulledBytes = Math.max(mostPulledBytes, pulledBytes - storedBytes);
        left -= 1;
        this.push(left >= 0 ? chunk : null);
      },
    });
    const received = await receive(slow, body);
    assert.equal(received.sizeBytes, chunks * 65_536);
    assert.ok(writes > 5);
    assert.ok(mostPulledBytes < 10 * 1024 * 1024, `held ${mostPulledBytes}`);
  }

  it('waits for a slow store instead of collecting the body', () =>
    receiveSlowly((store, body) => openVault(store).receive(freshBlob(), body)));

  it('waits for a slow store, too, when its hash is computed in a thread and is ready sooner', () => {
    const hash = createHash('sha256');
    const add = async (chunk: Buffer) => void hash.update(chunk);
    const begin = () => ({ add, finish: async () => hash.digest('hex'), drop: () => {} });
    const offload = { begin, close: async () => {} };
    return receiveSlowly((store, body) =>
      receiveBlob({ store, transfers: countTransfers(), offload }, freshBlob(), body),
    );
  });
});

describe('a chain of uploads', () => {
  it('ends with the hash of all bytes in order, and a repeated chunk starts from the same state', async () => {
    const vault = openVault(openMemoryStore());
    const parts = [several.subarray(0, 100_000), several.subarray(100_000, 100_001), several.subarray(100_001)];
    let after: RunningHash | 'start' = 'start';
    for (const [n, part] of parts.entries()) {
      const failed = vault.receive(freshBlob(), interruptedBody(part, part.length / 2), { after });
      await assert.rejects(failed, BodyAborted);
      const first = await vault.receive(freshBlob(), bodyOf(part), { after });
      const again = await vault.receive(freshBlob(), bodyOf(part, 999), { after });
      const end = parts.slice(0, n + 1).reduce((sum, { length }) => sum + length, 0);
      assert.ok(first.running && again.running);
      assert.equal(first.running.digest(), sha256(several.subarray(0, end)));
      assert.equal(first.running.digest(), again.running.digest());
      assert.equal(first.sha256, sha256(part));
      after = first.running;
    }
  });
});
